package io.dht4j.benchmarks.scenario;

/**
 * The greatest needs of a run.
 *
 * @param diskBytes disk space for its data and its report, zero or more
 * @param memoryBytes memory of the processes that run at one time, zero or more
 */
public record Needs(long diskBytes, long memoryBytes) {

    /** The needs of a scenario without data and without processes of its own. */
    public static final Needs LITTLE = new Needs(64L << 20, 0);

    /** The memory of a process outside its heap: classes, compiled code, threads, buffers. */
    private static final int MEGABYTES_BESIDES_HEAP = 128;

    private static final long FILE_PER_LIVE = 4;
    private static final long KEY_BYTES = 100;

    /**
     * Validates the ranges.
     *
     * @throws IllegalArgumentException if one is negative
     */
    public Needs {
        if (diskBytes < 0 || memoryBytes < 0) {
            throw new IllegalArgumentException(
                    "what a run needs must not be negative: " + diskBytes + " and " + memoryBytes + " bytes");
        }
    }

    /** Returns these needs with some processes of this heap size. */
    public static Needs of(long diskBytes, int processes, int heapMegabytes) {
        long megabytes = (long) processes * (heapMegabytes + MEGABYTES_BESIDES_HEAP);
        return new Needs(diskBytes, megabytes << 20);
    }

    /**
     * Returns the disk space of stores: a file may be several times the live data, and has a log.
     *
     * @param entries in all stores together
     * @param valueBytes size of the largest value
     */
    public static long storeBytes(long entries, long valueBytes) {
        return FILE_PER_LIVE * entries * (valueBytes + KEY_BYTES);
    }

    /** Returns the needs of both at the same time. */
    public Needs beside(Needs other) {
        return new Needs(diskBytes + other.diskBytes, memoryBytes + other.memoryBytes);
    }

    /** Returns the needs of both in sequence. */
    public Needs or(Needs other) {
        return new Needs(Math.max(diskBytes, other.diskBytes), Math.max(memoryBytes, other.memoryBytes));
    }
}
