package io.dht4j.core.internal.membership.plan;

import io.dht4j.core.internal.placement.PartitionSet;

/**
 * Slots to move from one member to another, or to add.
 *
 * @param from the member that owns a slot of each partition; in a growth the last one before the slot that is added
 * @param to the member that takes them over, or gets the slots that are added
 * @param partitions at least one
 * @param added the place in the row of the slots that are added, 1 or more; {@link #NONE} if slots move
 */
public record PlannedBatch(int from, int to, PartitionSet partitions, int added) {

    /** Stands for no slot that is added. */
    public static final int NONE = 0;

    /** Plans slots that move. */
    public PlannedBatch(int from, int to, PartitionSet partitions) {
        this(from, to, partitions, NONE);
    }

    /** Returns whether the batch adds slots: the other member keeps its own. */
    public boolean isGrowth() {
        return added != NONE;
    }

    /** Returns the same batch of other partitions. */
    public PlannedBatch of(PartitionSet others) {
        return new PlannedBatch(from, to, others, added);
    }
}
