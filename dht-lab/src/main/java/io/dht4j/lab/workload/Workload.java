package io.dht4j.lab.workload;

import io.dht4j.PrintableText;
import io.dht4j.Ranges;
import java.util.List;
import java.util.Locale;

/**
 * Operations, keys and sizes of a load. Immutable. The constants are the core workloads of the Yahoo! Cloud Serving
 * Benchmark (Cooper, Silberstein, Tam, Ramakrishnan and Sears, <i>Benchmarking Cloud Serving Systems with YCSB</i>,
 * SoCC 2010), whose records of ten fields of 100 bytes are one value of 1000 bytes here.
 *
 * @param name for reports
 * @param mix how often each operation comes
 * @param keys which key an operation chooses; not those of inserts, which are new
 * @param valueSizes the size of a written value
 * @param longestScan the largest number of keys that a scan reads, 1 to 10,000; each number from 1 on comes equally
 *     often
 */
public record Workload(String name, OperationMix mix, KeyDistribution keys, ValueSizes valueSizes, int longestScan) {

    /** The largest number of keys of a scan. */
    public static final int MAX_SCAN = 10_000;

    private static final KeyDistribution ZIPFIAN = new KeyDistribution.Zipfian(KeyDistribution.YCSB_THETA);
    private static final ValueSizes RECORD = new ValueSizes.Fixed(1000);
    private static final int SCAN = 100;

    /** A, update heavy: 50 % reads, 50 % updates, zipfian keys; as a store of sessions. */
    public static final Workload YCSB_A = new Workload("ycsb-a", OperationMix.ofGets(50), ZIPFIAN, RECORD, SCAN);

    /** B, read mostly: 95 % reads, 5 % updates, zipfian keys; as tags of photos. */
    public static final Workload YCSB_B = new Workload("ycsb-b", OperationMix.ofGets(95), ZIPFIAN, RECORD, SCAN);

    /** C, read only: 100 % reads, zipfian keys; as a cache of profiles. */
    public static final Workload YCSB_C = new Workload("ycsb-c", OperationMix.ofGets(100), ZIPFIAN, RECORD, SCAN);

    /** D, read latest: 95 % reads, 5 % inserts, the latest keys; as updates of a status. */
    public static final Workload YCSB_D = new Workload(
            "ycsb-d",
            OperationMix.parse("get=95,insert=5"),
            new KeyDistribution.Latest(KeyDistribution.YCSB_THETA),
            RECORD,
            SCAN);

    /** E, short ranges: 95 % scans of 1 to 100 keys, 5 % inserts, zipfian first keys; as threads of conversations. */
    public static final Workload YCSB_E =
            new Workload("ycsb-e", OperationMix.parse("scan=95,insert=5"), ZIPFIAN, RECORD, SCAN);

    /** F, read-modify-write: 50 % reads, 50 % read-modify-writes, zipfian keys; as a database of users. */
    public static final Workload YCSB_F =
            new Workload("ycsb-f", OperationMix.parse("get=50,rmw=50"), ZIPFIAN, RECORD, SCAN);

    /**
     * Checks the range of scans.
     *
     * @throws IllegalArgumentException if it is out of range
     */
    public Workload {
        Ranges.require("longest scan", longestScan, 1, MAX_SCAN);
    }

    /**
     * Returns the six workloads of YCSB.
     *
     * @return A to F
     */
    public static List<Workload> ycsb() {
        return List.of(YCSB_A, YCSB_B, YCSB_C, YCSB_D, YCSB_E, YCSB_F);
    }

    /**
     * Returns a workload of YCSB.
     *
     * @param text A to F, or {@code ycsb-a} to {@code ycsb-f}, in either case
     * @return the workload
     * @throws IllegalArgumentException if there is none of that name
     */
    public static Workload parse(String text) {
        String name = text.strip().toLowerCase(Locale.ROOT);
        return ycsb().stream()
                .filter(workload ->
                        workload.name().equals(name) || workload.name().equals("ycsb-" + name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "a workload must be A to F of YCSB, not \"" + PrintableText.of(text, 100) + "\""));
    }

    /**
     * Returns a copy with other keys.
     *
     * @param other which key an operation chooses
     * @return a copy
     */
    public Workload withKeys(KeyDistribution other) {
        return new Workload(name, mix, other, valueSizes, longestScan);
    }

    /**
     * Returns a copy with other values.
     *
     * @param other the size of a written value
     * @return a copy
     */
    public Workload withValueSizes(ValueSizes other) {
        return new Workload(name, mix, keys, other, longestScan);
    }

    /**
     * Creates the operations of one thread.
     *
     * @param space the keys, shared by all threads
     * @param seed generators of the same seed and space generate the same operations
     * @return a new generator
     */
    public OperationGenerator generator(KeySpace space, long seed) {
        return new OperationGenerator(this, space, seed);
    }
}
