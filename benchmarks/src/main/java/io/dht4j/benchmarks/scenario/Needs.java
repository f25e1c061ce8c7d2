package io.dht4j.benchmarks.scenario;

/**
 * What a run takes of the machine at most.
 *
 * @param diskBytes disk space for its data and its report, zero or more
 * @param memoryBytes memory of the processes that it starts and that are there at a time, zero or more
 */
public record Needs(long diskBytes, long memoryBytes) {

    /** Of a scenario that keeps no data and starts no process of its own. */
    static final Needs LITTLE = new Needs(64L << 20, 0);

    /** What a process takes besides its heap: classes, compiled code, threads, buffers. */
    private static final int MEGABYTES_BESIDES_HEAP = 128;

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException if one is negative
     */
    public Needs {
        if (diskBytes < 0 || memoryBytes < 0) {
            throw new IllegalArgumentException(
                    "what a run needs must not be negative: " + diskBytes + " and " + memoryBytes + " bytes");
        }
    }

    /** With some processes that have a heap of this size each. */
    static Needs of(long diskBytes, int processes, int heapMegabytes) {
        long megabytes = (long) processes * (heapMegabytes + MEGABYTES_BESIDES_HEAP);
        return new Needs(diskBytes, megabytes << 20);
    }

    /** What suffices for both at a time. */
    Needs beside(Needs other) {
        return new Needs(diskBytes + other.diskBytes, memoryBytes + other.memoryBytes);
    }

    /** What suffices for either, one after the other. */
    Needs or(Needs other) {
        return new Needs(Math.max(diskBytes, other.diskBytes), Math.max(memoryBytes, other.memoryBytes));
    }
}
