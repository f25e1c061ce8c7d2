package io.dht4j.core.internal.membership.driver;

import io.dht4j.core.internal.membership.plan.BatchSchedule;
import io.dht4j.core.internal.membership.plan.Plan;
import io.dht4j.core.internal.membership.plan.PlannedBatch;
import io.dht4j.core.internal.membership.state.ClusterState;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Adds slots to a row only when all its members have installed the row as it is. A majority of {@code n} slots and one
 * of {@code n + 1} have a slot in common, so one growth needs no fence. But one of {@code n} and one of {@code n + 2}
 * need not: a coordinator that still has the row before the last growth could acknowledge writes that the row after the
 * next one does not show. It is refused by every member that has installed the row between.
 */
final class GrowthFence {

    private final Observation seen;
    private final ClusterState state;

    GrowthFence(Observation seen) {
        this.seen = seen;
        this.state = seen.state();
    }

    /** Returns whether all present members of a row have installed it. */
    boolean mayGrow(int partition) {
        for (int slot = 0; slot < state.width(partition); slot++) {
            if (lacks(state.slots().owner(partition, slot), partition)) {
                return false;
            }
        }
        return true;
    }

    /**
     * No node waits for a dead member: it is filled before the row grows, or it is one of the replicas that may fail.
     */
    private boolean lacks(int member, int partition) {
        return seen.member(member).lifecycle().isPresent()
                && seen.report(member)
                        .map(report -> report.epoch() < state.rowVersion(partition))
                        .orElse(true);
    }

    /** Returns what planned growths wait for: members, and how many partitions wait for each. */
    Optional<String> waitsFor(Plan plan) {
        Map<Integer, Integer> waiting = new TreeMap<>();
        for (PlannedBatch planned : plan.batches()) {
            planned.partitions().stream()
                    .filter(partition -> planned.isGrowth() && BatchSchedule.canGrow(state, partition, planned))
                    .forEach(partition -> count(partition, waiting));
        }
        return waiting.isEmpty()
                ? Optional.empty()
                : Optional.of(waiting.entrySet().stream()
                        .map(entry ->
                                (seen.answers(entry.getKey()) ? seen.name(entry.getKey()) : seen.silent(entry.getKey()))
                                        + ", to install the rows of " + entry.getValue()
                                        + " partitions before they get another replica")
                        .collect(Collectors.joining("; ")));
    }

    private void count(int partition, Map<Integer, Integer> waiting) {
        for (int slot = 0; slot < state.width(partition); slot++) {
            int member = state.slots().owner(partition, slot);
            if (lacks(member, partition)) {
                waiting.merge(member, 1, Integer::sum);
            }
        }
    }
}
