package io.dht4j.lab.internal.load;

import io.dht4j.lab.workload.KeyDistribution;
import io.dht4j.lab.workload.OperationMix;
import io.dht4j.lab.workload.ValueSizes;
import io.dht4j.lab.workload.Workload;

/**
 * The operations of a load: one kind, or those of a workload. The client of the load has the sizes of values.
 *
 * @param name in reports
 * @param mix the frequency of each kind, in a form of {@link OperationMix#parse}
 * @param keys which keys they choose, in a form of {@link KeyDistribution#parse}
 * @param longestScan the largest number of keys of a scan, 1 to {@value Workload#MAX_SCAN}
 */
public record Operation(String name, String mix, String keys, int longestScan) {

    /** Writes a value under a random key. */
    public static final Operation PUT = new Operation("PUT", "put=100", "uniform", 1);

    /** Reads a random key. */
    public static final Operation GET = new Operation("GET", "get=100", "uniform", 1);

    private static final ValueSizes ANY = new ValueSizes.Fixed(0);

    /**
     * Validates mix and keys.
     *
     * @throws IllegalArgumentException if one has another form or is out of range
     */
    public Operation {
        parsed(name, mix, keys, longestScan, ANY);
    }

    /**
     * Returns the operations of a workload.
     *
     * @param workload whose sizes of values are left to the client
     */
    public static Operation of(Workload workload) {
        return new Operation(
                workload.name(), workload.mix().toString(), workload.keys().toString(), workload.longestScan());
    }

    /**
     * Returns a copy with other keys.
     *
     * @param distribution which keys its operations choose
     */
    public Operation withKeys(KeyDistribution distribution) {
        return new Operation(name, mix, distribution.toString(), longestScan);
    }

    /**
     * Returns the workload.
     *
     * @param sizes of the values that it writes
     */
    public Workload workload(ValueSizes sizes) {
        return parsed(name, mix, keys, longestScan, sizes);
    }

    private static Workload parsed(String name, String mix, String keys, int longestScan, ValueSizes sizes) {
        return new Workload(name, OperationMix.parse(mix), KeyDistribution.parse(keys), sizes, longestScan);
    }

    /** Returns the name. */
    @Override
    public String toString() {
        return name;
    }
}
