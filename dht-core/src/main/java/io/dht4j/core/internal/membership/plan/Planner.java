package io.dht4j.core.internal.membership.plan;

import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.spi.Placement;
import java.util.Arrays;
import java.util.List;

/**
 * Plans which slots move. It begins with the present rows, so that no slot moves without need, in this order:
 *
 * <ol>
 *   <li>Vacant slots, and those of leaving and dead members, go to members with room.
 *   <li>In rows whose replicas are not spread over zones as they can be, replicas change their zone.
 *   <li>Underfull members, such as those that have just joined, take slots from the fullest ones.
 *   <li>Overfull members give slots to members with room.
 *   <li>Where zones or distinct replicas forbid a direct move, chains of moves even out the rest.
 * </ol>
 *
 * <p>Among equally useful moves the partition's preference decides: an heir takes the partitions that prefer it most.
 * Of several slots it takes the one whose place in the row its owner has too often and itself too seldom, so that
 * shorter replica lists stay balanced too. No step worsens the spread over zones, and none gives a member two slots of
 * one row. Safe for use by any number of threads. Does not block.
 */
public final class Planner {

    /** An odd factor visits every partition, in a scattered order. */
    private static final int SCATTER = 0x9E3779B1;

    private final LoadTargets targets;
    private final TargetTable table;
    private final PreferenceOrder order;
    private int unplaced;

    private Planner(ClusterState state, PreferenceOrder order) {
        this.targets = new LoadTargets(state);
        this.table = new TargetTable(state, targets);
        this.order = order;
    }

    /**
     * Plans moves.
     *
     * @param state the current state; running batches are considered finished
     * @param order which members partitions prefer
     * @return the moves
     */
    public static Plan plan(ClusterState state, PreferenceOrder order) {
        Planner planner = new Planner(state, order);
        planner.vacate();
        planner.spreadOverZones();
        planner.fillUnderfull();
        planner.drainOverfull();
        ChainSearch chains = new ChainSearch(planner.table, planner.targets);
        chains.run();
        return new Plan(
                new PlanDifference(planner.table, planner.targets).batches(), planner.unplaced, planner.table.work());
    }

    /**
     * Plans moves. Takes up to a second for large clusters.
     *
     * @param state the current state; no slot moves if no member takes slots
     * @param placement determines which members partitions prefer
     * @return the moves
     */
    public static Plan plan(ClusterState state, Placement placement) {
        return state.members().takers().findAny().isEmpty()
                ? new Plan(List.of(), 0, 0)
                : plan(state, PlacementOrder.of(placement, state));
    }

    private void vacate() {
        for (int partition = 0; partition < table.partitions(); partition++) {
            for (int slot = 0; slot < table.width(); slot++) {
                if (!targets.takes(table.owner(partition, slot))) {
                    int taker = bestTaker(partition, slot);
                    if (taker == 0) {
                        unplaced++;
                    } else {
                        table.move(partition, slot, taker);
                    }
                }
            }
        }
    }

    private void spreadOverZones() {
        if (targets.zoneCount() < 2) {
            return;
        }
        for (int partition = 0; partition < table.partitions(); partition++) {
            int excess = table.zoneExcess(partition);
            while (excess > 0) {
                int before = excess;
                improveZones(partition);
                excess = table.zoneExcess(partition);
                if (excess >= before) {
                    break;
                }
            }
        }
    }

    /** Replaces the fullest member whose zone should have fewer replicas. */
    private void improveZones(int partition) {
        int bestSlot = -1;
        int bestTaker = 0;
        int bestChange = 0;
        for (int slot = 0; slot < table.width(); slot++) {
            int owner = table.owner(partition, slot);
            int taker = targets.takes(owner) ? bestTaker(partition, slot) : 0;
            int change = taker == 0 ? 0 : table.zoneChange(partition, owner, taker);
            boolean better = change < bestChange
                    || (change == bestChange
                            && bestSlot >= 0
                            && taker != 0
                            && table.fullness(owner) > table.fullness(table.owner(partition, bestSlot)));
            if (better) {
                bestSlot = slot;
                bestTaker = taker;
                bestChange = change;
            }
        }
        if (bestSlot >= 0) {
            table.move(partition, bestSlot, bestTaker);
        }
    }

    /**
     * Returns the member that should take a slot: one of those that are best for the zones, and of these one far below
     * its share, or else below it, or else with room, or else the least full. Among equals, preference decides.
     *
     * @return 0 if all members have a slot of the row
     */
    private int bestTaker(int partition, int slot) {
        int giver = table.owner(partition, slot);
        int best = 0;
        int bestChange = Integer.MAX_VALUE;
        int bestNeed = Integer.MAX_VALUE;
        for (int taker : targets.takers()) {
            int need = need(taker);
            if (table.slotOf(partition, taker) >= 0) {
                continue;
            }
            int change = table.zoneChange(partition, giver, taker);
            if (change < bestChange
                    || (change == bestChange && need < bestNeed)
                    || (change == bestChange && need == bestNeed && table.fullness(taker) < table.fullness(best))) {
                best = taker;
                bestChange = change;
                bestNeed = need;
            }
        }
        for (int rank = 0; rank < order.depth() && best != 0; rank++) {
            int taker = order.member(partition, rank);
            if (targets.takes(taker)
                    && need(taker) == bestNeed
                    && table.slotOf(partition, taker) < 0
                    && table.zoneChange(partition, giver, taker) == bestChange) {
                return taker;
            }
        }
        return best;
    }

    private int need(int taker) {
        if (table.load(taker) < targets.filled(taker)) {
            return 0;
        }
        if (table.load(taker) < targets.share(taker)) {
            return 1;
        }
        return table.hasRoom(taker) ? 2 : 3;
    }

    private void fillUnderfull() {
        for (int taker : targets.takers()) {
            if (table.isUnderfull(taker)) {
                int[] candidates = mostWilling(taker);
                // From members over their limit first: their excess has to move anyway.
                take(taker, candidates, giver -> targets.most(giver));
                take(taker, candidates, giver -> targets.share(giver));
                take(taker, candidates, giver -> targets.filled(giver));
            }
        }
    }

    /** How many partitions a member keeps in any case. */
    private interface Floor {
        double of(int giver);
    }

    private void take(int taker, int[] candidates, Floor floor) {
        if (Arrays.stream(targets.takers()).noneMatch(giver -> table.load(giver) > floor.of(giver))) {
            return;
        }
        for (int i = 0; i < candidates.length && table.load(taker) < targets.filled(taker); i++) {
            int partition = candidates[i];
            if (table.slotOf(partition, taker) >= 0) {
                continue;
            }
            int best = -1;
            double bestSurplus = 0;
            for (int slot = 0; slot < table.width(); slot++) {
                int giver = table.owner(partition, slot);
                if (targets.takes(giver)
                        && table.load(giver) > floor.of(giver)
                        && table.zoneChange(partition, giver, taker) <= 0) {
                    double surplus = table.surplusOfPlace(slot, giver, taker);
                    if (best < 0 || surplus > bestSurplus) {
                        best = slot;
                        bestSurplus = surplus;
                    }
                }
            }
            if (best >= 0) {
                table.move(partition, best, taker);
            }
        }
    }

    /** Returns all partitions, those first that prefer a member most. */
    private int[] mostWilling(int member) {
        return byRank(member, true);
    }

    private int[] byRank(int member, boolean ascending) {
        int[] ranks = new int[table.partitions()];
        int[] ends = new int[order.depth() + 2];
        for (int partition = 0; partition < ranks.length; partition++) {
            int rank = rank(partition, member);
            ranks[partition] = ascending ? rank : order.depth() - rank;
            ends[ranks[partition] + 1]++;
        }
        for (int rank = 1; rank < ends.length; rank++) {
            ends[rank] += ends[rank - 1];
        }
        int[] sorted = new int[ranks.length];
        for (int i = 0; i < ranks.length; i++) {
            int partition = ((i + member) * SCATTER) & (ranks.length - 1);
            sorted[ends[ranks[partition]]++] = partition;
        }
        return sorted;
    }

    private int rank(int partition, int member) {
        int rank = 0;
        while (rank < order.depth() && order.member(partition, rank) != member) {
            rank++;
        }
        return rank;
    }

    private void drainOverfull() {
        for (int giver : targets.takers()) {
            if (!table.isOverfull(giver)) {
                continue;
            }
            int[] candidates = byRank(giver, false);
            for (int i = 0; i < candidates.length && table.isOverfull(giver); i++) {
                int partition = candidates[i];
                int slot = table.slotOf(partition, giver);
                int taker = slot < 0 ? 0 : bestTaker(partition, slot);
                if (taker != 0 && table.hasRoom(taker) && table.zoneChange(partition, giver, taker) <= 0) {
                    table.move(partition, slot, taker);
                }
            }
        }
    }
}
