package io.dht4j.core.internal.view;

import io.dht4j.core.internal.placement.PartitionSet;

/**
 * Slots that move together from one member to another, one slot in each of some partitions. In {@link Phase#GROW} none
 * moves: each of the partitions gets one more slot, with the content of the last slot's owner.
 *
 * @param id the epoch at which the batch began
 * @param from the member that owned the slots when the batch began; in {@link Phase#GROW} it keeps them
 * @param to the member that takes them over
 * @param partitions the partitions, at least one
 * @param phase any phase but {@link Phase#STABLE}
 */
public record Batch(long id, int from, int to, PartitionSet partitions, Phase phase) {

    /**
     * Checks the batch.
     *
     * @throws IllegalArgumentException if the batch has no partitions, or the phase is not one of a batch
     */
    public Batch {
        if (!Epoch.isValid(id) || from < 1 || to < 1 || from == to || partitions.isEmpty() || phase == Phase.STABLE) {
            throw new IllegalArgumentException("a batch has an epoch, two different members, at least one partition"
                    + " and a phase of COPY, BOTH, UNDO, FILL or GROW, not " + Epoch.text(id) + ", " + from + "→" + to
                    + ", "
                    + partitions.cardinality() + " partitions, " + phase);
        }
    }

    /** Returns the same batch in another phase. */
    public Batch in(Phase next) {
        return new Batch(id, from, to, partitions, next);
    }

    /** Returns the slot that this batch moves in each of its partitions. */
    public Slot slot() {
        return phase == Phase.FILL ? new Slot(phase, to, to) : new Slot(phase, from, to);
    }

    /** Returns the member that rows name for the slot: the old owner, or the heir during {@link Phase#FILL}. */
    public int owner() {
        return phase == Phase.FILL ? to : from;
    }

    /** Returns a description for people, of constant length. */
    @Override
    public String toString() {
        return "batch " + Epoch.text(id) + " (" + from + "→" + to + ", " + partitions.cardinality() + " partitions, "
                + phase + ")";
    }
}
