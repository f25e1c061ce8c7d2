package io.dht4j.core.internal.membership.plan;

import java.util.List;

/**
 * The moves from a state to the planned one. Immutable.
 *
 * @param batches the moves and growths. Those of one partition must happen one after the other, after the running batch
 *     that moves a slot of it: moves in any order, and growths in that of the list, after the moves
 * @param unplaced the number of slots that are vacant, or of leaving or dead members, and have no new member
 * @param work the number of steps that planning took, as a measure that does not depend on the machine
 */
public record Plan(List<PlannedBatch> batches, int unplaced, long work) {

    /** Copies the list. */
    public Plan {
        batches = List.copyOf(batches);
    }

    /** Returns the number of slots that move or are added. */
    public int moves() {
        return batches.stream()
                .mapToInt(batch -> batch.partitions().cardinality())
                .sum();
    }

    /** Returns the number of slots that a member takes over or that are added at it. */
    public int incoming(int member) {
        return batches.stream()
                .filter(batch -> batch.to() == member)
                .mapToInt(batch -> batch.partitions().cardinality())
                .sum();
    }

    /** Returns whether the plan is empty. */
    public boolean isEmpty() {
        return batches.isEmpty();
    }
}
