package io.dht4j.core.internal.membership.plan;

import io.dht4j.core.internal.placement.PartitionSet;

/**
 * Slots to move from one member to another, or to add.
 *
 * @param from the member that owns a slot of each partition; in a growth the last one before the added slot
 * @param to the member that takes them over, or gets the added slots
 * @param partitions at least one
 * @param added the place of the added slots in the row, 1 or more; {@link #NONE} if slots move
 */
public record PlannedBatch(int from, int to, PartitionSet partitions, int added) {

    /** No slot is added. */
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
