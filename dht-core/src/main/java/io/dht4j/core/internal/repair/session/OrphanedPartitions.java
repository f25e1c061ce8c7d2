package io.dht4j.core.internal.repair.session;

import io.dht4j.core.internal.placement.PartitionSet;

/**
 * Finds the partitions that no coordinator repairs. Their first replica may answer but be unable to repair: its disk is
 * full or damaged, or its background repair is off. A session seals its partitions on all their replicas. So if a seal
 * has not changed for some sessions of this node, no session of the partition has begun. A session that takes much
 * longer than the interval may be missed; then the partition is compared twice. Not thread-safe.
 */
final class OrphanedPartitions {

    /** More than one: two sessions of another node may be further apart than two of this one. */
    private static final int SESSIONS = 4;

    private long[] before;
    private final int[] unchanged;

    OrphanedPartitions(int partitions) {
        this.before = new long[partitions];
        this.unchanged = new int[partitions];
    }

    /**
     * Compares the seals; called once for each scheduled session of this node.
     *
     * @param seals the seal of each partition
     * @return the partitions without a recent session
     */
    PartitionSet after(long[] seals) {
        PartitionSet.Builder orphaned = PartitionSet.builder();
        for (int i = 0; i < seals.length; i++) {
            unchanged[i] = seals[i] == before[i] ? unchanged[i] + 1 : 0;
            if (unchanged[i] == SESSIONS) {
                orphaned.add(i);
                // This node repairs it now; its own seal shows only two sessions later.
                unchanged[i] = 0;
            }
        }
        before = seals;
        return orphaned.build();
    }
}
