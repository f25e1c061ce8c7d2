package io.dht4j.core.internal.refill;

import java.util.BitSet;

/** Which partitions of this node must not be read yet. Safe for use by any number of threads; does not block. */
public final class Unfilled {

    /** Replaced as a whole, never changed. */
    private volatile BitSet partitions;

    /**
     * Partitions that must not be read.
     *
     * @param partitions their numbers
     */
    Unfilled(BitSet partitions) {
        this.partitions = copy(partitions);
    }

    /**
     * Nothing is missing.
     *
     * @return none, for ever
     */
    public static Unfilled none() {
        return new Unfilled(new BitSet());
    }

    void set(BitSet left) {
        partitions = copy(left);
    }

    private static BitSet copy(BitSet partitions) {
        return (BitSet) partitions.clone();
    }

    BitSet copy() {
        return copy(partitions);
    }

    /**
     * Whether every partition may be read.
     *
     * @return true when nothing is missing, or no longer
     */
    public boolean isEmpty() {
        return partitions.isEmpty();
    }

    /**
     * Whether a partition must not be read yet.
     *
     * @param partition its number
     * @return true if something may be missing
     */
    public boolean contains(int partition) {
        return partitions.get(partition);
    }

    /**
     * Whether one of several partitions must not be read yet.
     *
     * @param several their numbers
     * @return true if something may be missing
     */
    public boolean containsAny(BitSet several) {
        return partitions.intersects(several);
    }
}
