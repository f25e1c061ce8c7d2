package io.dht4j.benchmarks.load.client;

import java.util.SplittableRandom;

/**
 * Values of one size. They are random, so no store or protocol can compress them. Some are prepared and serve all keys
 * in turn. Immutable.
 */
public final class Values {

    /** The largest value. */
    public static final int MAX_BYTES = 16 << 20;

    private static final int PREPARED_BYTES = 4 << 20;
    private static final int FEWEST = 4;
    private static final int MOST = 4096;
    private static final long SEED = 20_261_121;

    private final byte[][] values;

    /**
     * Prepares values.
     *
     * @param bytes of each, 0 to {@link #MAX_BYTES}
     */
    public Values(int bytes) {
        if (bytes < 0 || bytes > MAX_BYTES) {
            throw new IllegalArgumentException("bytes of a value: " + bytes + " is not 0 to " + MAX_BYTES);
        }
        SplittableRandom random = new SplittableRandom(SEED);
        values = new byte[Math.max(FEWEST, Math.min(MOST, PREPARED_BYTES / Math.max(1, bytes)))][bytes];
        for (byte[] value : values) {
            random.nextBytes(value);
        }
    }

    /**
     * Returns the value of a key.
     *
     * @param key its number
     * @return the same array for the same number; callers leave it unchanged
     */
    public byte[] of(long key) {
        return values[(int) Long.remainderUnsigned(key, values.length)];
    }
}
