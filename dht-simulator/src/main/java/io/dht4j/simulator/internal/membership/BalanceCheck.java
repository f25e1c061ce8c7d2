package io.dht4j.simulator.internal.membership;

import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.Lifecycle;
import io.dht4j.core.internal.membership.state.Member;
import java.util.UUID;

/** Checks that a cluster without faults is at rest: no slot moves, and every member has its share. */
public final class BalanceCheck {

    /** The most that a member may have of its weighted share. */
    private static final double MOST_OF_SHARE = 1.1;

    private BalanceCheck() {}

    /**
     * Checks a state.
     *
     * @return the parts that are not at rest, for people; empty if there are none
     */
    public static String violation(ClusterState state) {
        if (!state.batches().isEmpty()) {
            return "moves are under way: " + state.batches();
        }
        if (state.slots().hasVacant()) {
            return "partitions have fewer than " + state.replicationFactor() + " replicas";
        }
        int[] loads = state.loads();
        long weights = state.members().all().stream()
                .filter(member -> member.lifecycle().takesSlots())
                .mapToLong(member -> member.details().weight())
                .sum();
        for (Member member : state.members().all()) {
            int load = loads[member.number()];
            if (member.lifecycle() == Lifecycle.JOINING || member.lifecycle() == Lifecycle.LEAVING) {
                return member + " has " + load + " slots";
            }
            double share = member.lifecycle().takesSlots()
                    ? (double) state.partitions()
                            * state.replicationFactor()
                            * member.details().weight()
                            / weights
                    : 0;
            long most = Math.min(state.partitions(), (long) Math.ceil(MOST_OF_SHARE * share));
            if (load > most) {
                return member + " has " + load + " slots, more than " + most;
            }
        }
        return "";
    }

    /**
     * Returns whether a member owns or takes over a partition.
     *
     * @param incarnation identifies the member's disk
     */
    public static boolean involves(ClusterState state, int partition, UUID incarnation) {
        return state.members()
                .incarnation(incarnation)
                .filter(member -> state.involves(partition, member.number()))
                .isPresent();
    }
}
