package io.dht4j.spi;

import io.dht4j.Ranges;

/**
 * The memory limits of a node's parts: shares of one heap, with caps beyond which more memory gains nothing. The same
 * budget is passed to a node's store, transport, cluster and public APIs. On a small heap the shares fall to one
 * largest value each, so that one such value may be under way in each part at a time. Immutable.
 *
 * @param heapBytes the heap to share out, 1 byte or more
 * @param maxValueBytes the largest value, 1 byte to 1 GiB
 */
public record MemoryBudget(long heapBytes, int maxValueBytes) {

    /** The largest value by default: 16 MiB. */
    public static final int DEFAULT_MAX_VALUE_BYTES = 16 << 20;

    private static final int LARGEST_VALUE = 1 << 30;
    private static final long MIB = 1L << 20;

    /** What classes, threads, connections and indexes take. */
    private static final long BASE_BYTES = 24 * MIB;

    /**
     * In how many places a largest value may be at the same time: on its way in, in the coordinator, in a frame to or
     * from a peer, in the tables, in what is merged, and in an answer.
     */
    private static final int PLACES = 6;

    /** What a frame or a message holds besides a value. */
    private static final long OVERHEAD_BYTES = MIB;

    /**
     * Checks the numbers.
     *
     * @throws IllegalArgumentException if one is out of its range
     */
    public MemoryBudget {
        if (heapBytes < 1) {
            throw new IllegalArgumentException("heapBytes must be 1 or more, not " + heapBytes);
        }
        Ranges.require("maxValueBytes", maxValueBytes, 1, LARGEST_VALUE);
    }

    /**
     * The budget of a node that has this process's heap for itself, with values of up to
     * {@value #DEFAULT_MAX_VALUE_BYTES} bytes.
     *
     * @return a budget of the largest heap that this process may have
     */
    public static MemoryBudget ofHeap() {
        return new MemoryBudget(Runtime.getRuntime().maxMemory(), DEFAULT_MAX_VALUE_BYTES);
    }

    /**
     * The budget of one of several nodes, or of a node beside an application.
     *
     * @param parts how many parts of equal size this one is of, 1 or more
     * @return a budget of that part of the heap
     * @throws IllegalArgumentException if {@code parts} is less than 1
     */
    public MemoryBudget part(int parts) {
        if (parts < 1) {
            throw new IllegalArgumentException("parts must be 1 or more, not " + parts);
        }
        return new MemoryBudget(Math.max(1, heapBytes / parts), maxValueBytes);
    }

    /**
     * The same heap for other values.
     *
     * @param maxValueBytes the largest value, 1 byte to 1 GiB
     * @return a new budget
     * @throws IllegalArgumentException if it is out of its range
     */
    public MemoryBudget withMaxValueBytes(int maxValueBytes) {
        return new MemoryBudget(heapBytes, maxValueBytes);
    }

    /**
     * The smallest heap that values of this size work with.
     *
     * @return bytes
     */
    public long leastHeapBytes() {
        return BASE_BYTES + (long) PLACES * maxValueBytes;
    }

    /**
     * Refuses a heap that is too small for one largest value at a time.
     *
     * @return this budget
     * @throws IllegalArgumentException if it is; the message says how large it must be
     */
    public MemoryBudget requireRoom() {
        if (heapBytes < leastHeapBytes()) {
            // A JVM counts a part of the heap that it was given as not usable.
            long megabytes = (leastHeapBytes() + leastHeapBytes() / 16) / MIB + 1;
            throw new IllegalArgumentException("values of up to " + maxValueBytes + " bytes need a heap of "
                    + leastHeapBytes() / MIB + " MiB, and this node has " + heapBytes / MIB
                    + " MiB: start the JVM with -Xmx"
                    + megabytes + "m, or lower maxValueBytes");
        }
        return this;
    }

    /**
     * For the bodies of requests and the answers that a public API holds, each API by itself: an eighth, up to 256 MiB.
     *
     * @return bytes; a batch of one largest value in Base64 fits
     */
    public long apiBytes() {
        return share(8, 256 * MIB, maxValueBytes + maxValueBytes / 2 + OVERHEAD_BYTES);
    }

    /**
     * For the values of writes that a coordinator has under way, and as much again for those that wait for a replica's
     * store: an eighth, up to 256 MiB.
     *
     * @return bytes
     */
    public long writeBytes() {
        return share(8, 256 * MIB, maxValueBytes);
    }

    /**
     * For the values of reads and pages of scans that a coordinator holds: an eighth, up to 256 MiB.
     *
     * @return bytes
     */
    public long readBytes() {
        return share(8, 256 * MIB, maxValueBytes);
    }

    /**
     * For the frames of peers that a transport holds, and its replies to them: a quarter, up to 512 MiB.
     *
     * @param maxFrameBytes the largest frame
     * @return bytes
     */
    public long frameBytes(int maxFrameBytes) {
        return share(4, 512 * MIB, maxFrameBytes);
    }

    /**
     * For the frames that wait for a connection to a peer, for each peer: an eighth, up to 256 MiB.
     *
     * @param maxFrameBytes the largest frame
     * @return bytes
     */
    public long queueBytes(int maxFrameBytes) {
        return share(8, 256 * MIB, maxFrameBytes);
    }

    /**
     * For each table of new writes of a durable store, of which there are three: a sixteenth, up to 64 MiB; less where
     * little is left beyond {@link #leastHeapBytes()}.
     *
     * @return bytes, 2 MiB or more
     */
    public long tableBytes() {
        return Math.max(2 * MIB, Math.min(share(16, 64 * MIB, 0), spareBytes() / 8));
    }

    /**
     * For the pages of a durable store: an eighth, up to 1 GiB; less where little is left beyond
     * {@link #leastHeapBytes()}.
     *
     * @return bytes, 4 MiB or more
     */
    public long pageCacheBytes() {
        return Math.max(4 * MIB, Math.min(share(8, 1024 * MIB, 0), spareBytes() / 4));
    }

    /**
     * For single entries of a durable store that were read: a sixteenth, up to 512 MiB; less where little is left
     * beyond {@link #leastHeapBytes()}.
     *
     * @return bytes, 1 MiB or more
     */
    public long entryCacheBytes() {
        return Math.max(MIB, Math.min(share(16, 512 * MIB, 0), spareBytes() / 8));
    }

    /** What is held for longer than a request takes must leave room for the largest values under way. */
    private long spareBytes() {
        return Math.max(0, heapBytes - leastHeapBytes());
    }

    /**
     * For what a node has promised to the proposers of atomic operations, and as much for the atomic keys that it has
     * changed last as their proposer: a 256th each, up to 16 MiB.
     *
     * @return bytes
     */
    public long promiseBytes() {
        return share(256, 16 * MIB, 0);
    }

    /**
     * For the entries of a store in memory: three quarters, less what is needed for what is under way.
     *
     * @return bytes, two largest values or more
     */
    public long memoryStoreBytes() {
        return Math.max(2L * maxValueBytes, heapBytes / 4 * 3 - BASE_BYTES - 3L * maxValueBytes);
    }

    /**
     * For what is written again while snapshots are read: a sixteenth, up to 128 MiB.
     *
     * @return bytes
     */
    public long snapshotBytes() {
        return share(16, 128 * MIB, 0);
    }

    /**
     * For hints of a node that keeps them in memory: a sixteenth, up to 64 MiB.
     *
     * @return bytes
     */
    public long hintBytes() {
        return share(16, 64 * MIB, MIB);
    }

    /**
     * How many reads may be in the middle of reading a store's files at the same time, each with one largest value.
     *
     * @return 1 or more
     */
    public int storeReads() {
        return (int) Math.max(1, Math.min(256, heapBytes / 8 / maxValueBytes));
    }

    /**
     * How many calls of repair and refill may be in the middle of reading a store's files at the same time, each with
     * one largest value: half as many as {@link #storeReads()}, besides those.
     *
     * @return 1 or more
     */
    public int maintenanceReads() {
        return Math.max(1, storeReads() / 2);
    }

    private long share(int part, long cap, long least) {
        return Math.max(least, Math.min(cap, heapBytes / part));
    }
}
