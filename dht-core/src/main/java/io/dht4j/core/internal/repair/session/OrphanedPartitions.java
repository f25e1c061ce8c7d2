package io.dht4j.core.internal.repair.session;

import java.util.BitSet;

/**
 * Finds out which partitions nobody repairs: their first replica may be up, and answer, and still be unable to, since
 * its disk is full or damaged, or its background repair is off. Whoever begins a round seals its partitions at all
 * their replicas; so where no seal has changed for some rounds of this node's own, nobody has begun one. A round that
 * takes much longer than the time between two may be taken for none: then the partition is compared twice. Not safe for
 * use by several threads.
 */
final class OrphanedPartitions {

    /** Two rounds of another node may be further apart than two of this one. */
    private static final int ROUNDS = 4;

    private long[] before;
    private final int[] unchanged;

    OrphanedPartitions(int partitions) {
        this.before = new long[partitions];
        this.unchanged = new int[partitions];
    }

    /**
     * Looks, once for each of this node's scheduled rounds.
     *
     * @param seals up to where each partition was sealed last
     * @return the partitions that nobody has begun to repair lately
     */
    BitSet after(long[] seals) {
        BitSet neglected = new BitSet();
        for (int i = 0; i < seals.length; i++) {
            unchanged[i] = seals[i] == before[i] ? unchanged[i] + 1 : 0;
            if (unchanged[i] == ROUNDS) {
                neglected.set(i);
                // Now somebody does: this node, whose own seal shows only in its next but one round.
                unchanged[i] = 0;
            }
        }
        before = seals;
        return neglected;
    }
}
