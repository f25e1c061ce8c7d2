package io.dht4j.core.internal.membership.plan;

import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.Lifecycle;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.view.Batch;
import io.dht4j.core.internal.view.Phase;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.function.Predicate;

/**
 * Chooses which planned batches begin next. A member takes part in one incoming and one outgoing batch at a time, so
 * that its store is scanned once at a time and its disk is not written by several. A dead member takes part in any
 * number of outgoing batches: its slots are filled from the others. An added slot counts as an outgoing one of its
 * row's last owner. Safe for use by any number of threads. Does not block.
 */
public final class BatchSchedule {

    private BatchSchedule() {}

    /**
     * Returns the batches that may begin now together.
     *
     * @param state the current state
     * @param plan a plan for this state, or for an earlier one with the same members
     * @param mayGrow returns whether a slot may be added to a partition now
     * @param mayBegin returns whether owner and heir of a batch can begin now. If not, each may begin with another
     *     member
     * @return the batches, without partitions that have a moving slot; empty while moves are paused
     */
    public static List<PlannedBatch> next(
            ClusterState state, Plan plan, IntPredicate mayGrow, Predicate<PlannedBatch> mayBegin) {
        if (state.rebalance().paused()) {
            return List.of();
        }
        Set<Integer> sources = new HashSet<>();
        Set<Integer> targets = new HashSet<>();
        for (Batch batch : state.batches()) {
            targets.add(batch.to());
            if (batch.phase() != Phase.FILL) {
                sources.add(batch.from());
            }
        }
        List<PlannedBatch> chosen = new ArrayList<>();
        PartitionSet taken = PartitionSet.empty();
        for (PlannedBatch planned : plan.batches()) {
            if (sources.contains(planned.from()) || targets.contains(planned.to())) {
                continue;
            }
            boolean dead = state.members().get(planned.from()).lifecycle() == Lifecycle.DEAD;
            PartitionSet free = planned.partitions()
                    .minus(taken)
                    .filter(partition -> planned.isGrowth()
                            ? canGrow(state, partition, planned) && mayGrow.test(partition)
                            : canMove(state, partition, planned, dead));
            if (!free.isEmpty() && mayBegin.test(planned.of(free))) {
                chosen.add(planned.of(free));
                taken = taken.union(free);
                targets.add(planned.to());
                if (!dead) {
                    sources.add(planned.from());
                }
            }
        }
        return chosen;
    }

    /** Returns whether a batch adds the next slot of a partition, and no other slot of it moves. */
    public static boolean canGrow(ClusterState state, int partition, PlannedBatch planned) {
        return state.width(partition) == planned.added()
                && planned.added() < state.replicationFactor()
                && state.slots().owner(partition, planned.added() - 1) == planned.from()
                && state.members().get(planned.from()).lifecycle() != Lifecycle.DEAD
                && !state.involves(partition, planned.to())
                && state.batchOf(partition).isEmpty();
    }

    private static boolean canMove(ClusterState state, int partition, PlannedBatch planned, boolean dead) {
        return state.slots().slotOf(partition, planned.from()) >= 0
                && !state.involves(partition, planned.to())
                && state.batchOf(partition)
                        .map(batch -> dead && batch.phase() == Phase.FILL && batch.to() == planned.from())
                        .orElse(true);
    }
}
