package io.dht4j.lab.workload;

import io.dht4j.Ranges;
import java.util.BitSet;

/**
 * The keys of a workload by number, from 0. Inserts add keys at the end. Choosers see a key when its insert and those
 * of all keys before it have ended, so that no read comes before the write. Safe for use by any number of threads,
 * which share one instance.
 */
public final class KeySpace {

    /** The largest number of keys: 10 billion. */
    public static final long MAX_KEYS = 10_000_000_000L;

    // Guarded by this. Bits of ended inserts count from the number of visible keys.
    private final BitSet ended = new BitSet();
    private long next;
    private final long writtenBefore;
    private volatile long size;

    /**
     * Creates a space whose keys are all written already.
     *
     * @param keys their number, 1 to {@link #MAX_KEYS}
     * @throws IllegalArgumentException if it is out of range
     */
    public KeySpace(long keys) {
        Ranges.require("keys", keys, 1, MAX_KEYS);
        this.next = keys;
        this.writtenBefore = keys;
        this.size = keys;
    }

    /**
     * Returns the number of keys that may be chosen.
     *
     * @return 1 or more; it never decreases
     */
    public long size() {
        return size;
    }

    /**
     * Returns the number of keys that were there before any insert.
     *
     * @return 1 or more; always the same
     */
    public long sizeBeforeInserts() {
        return writtenBefore;
    }

    /**
     * Begins the insert of a new key.
     *
     * @return its number, given once
     */
    public synchronized long beginInsert() {
        return next++;
    }

    /**
     * Ends an insert, also one that failed: a key that stayed out would hide all later ones.
     *
     * @param key from {@link #beginInsert}; called once for each
     */
    public synchronized void endInsert(long key) {
        long seen = size;
        ended.set((int) (key - seen));
        int more = ended.nextClearBit(0);
        if (more > 0) {
            // Few inserts are in flight, so few bits move.
            BitSet rest = ended.get(more, ended.length());
            ended.clear();
            ended.or(rest);
            size = seen + more;
        }
    }
}
