package io.dht4j.benchmarks.load.client;

import io.dht4j.lab.workload.ValueSizes;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Values of a distribution of sizes. They are random, so no store or protocol can compress them. Some of the largest
 * size are prepared and used round-robin for all keys; smaller ones are copied from them. Immutable.
 */
public final class Values {

    /** The largest value. */
    public static final int MAX_BYTES = 16 << 20;

    private static final int PREPARED_BYTES = 4 << 20;
    private static final int FEWEST = 4;
    private static final int MOST = 4096;
    private static final long SEED = 20_261_121;

    private final ValueSizes sizes;
    private final byte[][] values;

    /**
     * Prepares values of one size.
     *
     * @param bytes of each, 0 to {@link #MAX_BYTES}
     */
    public Values(int bytes) {
        this(new ValueSizes.Fixed(requireBytes(bytes)));
    }

    /**
     * Prepares values.
     *
     * @param sizes of at most {@link #MAX_BYTES}
     */
    public Values(ValueSizes sizes) {
        int bytes = requireBytes(sizes.largest());
        this.sizes = sizes;
        SplittableRandom random = new SplittableRandom(SEED);
        values = new byte[Math.max(FEWEST, Math.min(MOST, PREPARED_BYTES / Math.max(1, bytes)))][bytes];
        for (byte[] value : values) {
            random.nextBytes(value);
        }
    }

    private static int requireBytes(int bytes) {
        if (bytes < 0 || bytes > MAX_BYTES) {
            throw new IllegalArgumentException("bytes of a value: " + bytes + " is not 0 to " + MAX_BYTES);
        }
        return bytes;
    }

    /** Returns the sizes. */
    public ValueSizes sizes() {
        return sizes;
    }

    /**
     * Returns a value of a key.
     *
     * @param key its number
     * @param bytes size of the value, at most the largest one
     * @return the same value for the same arguments; callers leave the array unchanged
     */
    public byte[] of(long key, int bytes) {
        byte[] largest = of(key);
        return bytes == largest.length ? largest : Arrays.copyOf(largest, bytes);
    }

    /**
     * Returns the value of a key of the largest size.
     *
     * @param key its number
     * @return the same array for the same number; callers leave it unchanged
     */
    public byte[] of(long key) {
        return values[(int) Long.remainderUnsigned(key, values.length)];
    }
}
