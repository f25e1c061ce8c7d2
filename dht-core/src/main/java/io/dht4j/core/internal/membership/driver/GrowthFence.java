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
 * Allows the growth of a row only when all its members have installed the present row. Majorities of {@code n} and of
 * {@code n + 1} slots have a slot in common, so one growth needs no fence. Majorities of {@code n} and of {@code n + 2}
 * slots may have none: a coordinator with the row before the last growth could acknowledge writes that reads miss after
 * the next growth. Every member that has installed the row in between refuses that coordinator.
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

    /** Dead members are ignored: a dead one is filled before the row grows, or is one of the replicas that may fail. */
    private boolean lacks(int member, int partition) {
        return seen.member(member).lifecycle().isPresent()
                && seen.report(member)
                        .map(report -> report.epoch() < state.rowVersion(partition))
                        .orElse(true);
    }

    /** Returns the members that planned growths wait for, with the number of partitions that wait for each. */
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
