package io.dht4j.core.internal.membership.plan;

import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.view.Batch;
import io.dht4j.core.internal.view.Phase;
import io.dht4j.core.internal.view.Slot;

/**
 * The planned rows, during planning. At the beginning they are those of the state after all running batches. A vacant
 * slot is one of member {@link Slot#NOBODY}, which takes no slots. Not thread-safe.
 */
final class TargetTable {

    private final LoadTargets targets;
    private final int width;
    private final int[] before;
    private final int[] rows;
    private final int[] loads;
    /** How often each member has each place of a row. */
    private final int[] places;

    private long work;

    TargetTable(ClusterState state, LoadTargets targets) {
        this.targets = targets;
        this.width = state.replicationFactor();
        this.rows = state.slots().toArray();
        for (Batch batch : state.batches()) {
            batch.partitions().forEach(partition -> {
                int last = state.width(partition) - 1;
                if (batch.phase() == Phase.GROW) {
                    rows[partition * width + last + 1] = batch.to();
                    return;
                }
                for (int slot = 0; slot <= last; slot++) {
                    Slot moving = state.slot(partition, slot);
                    rows[partition * width + slot] = moving.heir();
                }
            });
        }
        this.before = rows.clone();
        this.loads = new int[state.members().size() + 1];
        this.places = new int[loads.length * width];
        for (int i = 0; i < rows.length; i++) {
            loads[rows[i]]++;
            places[rows[i] * width + i % width]++;
        }
    }

    int partitions() {
        return rows.length / width;
    }

    int width() {
        return width;
    }

    int owner(int partition, int slot) {
        return rows[partition * width + slot];
    }

    int ownerBefore(int partition, int slot) {
        return before[partition * width + slot];
    }

    int load(int member) {
        return loads[member];
    }

    /** Returns the load relative to the share. */
    double fullness(int member) {
        return loads[member] / targets.share(member);
    }

    boolean isOverfull(int member) {
        return loads[member] > targets.most(member);
    }

    boolean isUnderfull(int member) {
        return loads[member] < targets.least(member);
    }

    boolean hasRoom(int member) {
        return loads[member] < targets.most(member);
    }

    /** Returns the slot of a member in a row, or -1. */
    int slotOf(int partition, int member) {
        work += width;
        for (int i = partition * width; i < (partition + 1) * width; i++) {
            if (rows[i] == member) {
                return i - partition * width;
            }
        }
        return -1;
    }

    /** Returns the excess of a slot's place at its owner, plus the lack at a taker. */
    double surplusOfPlace(int slot, int giver, int taker) {
        return places[giver * width + slot] / (double) loads[giver]
                - places[taker * width + slot] / targets.share(taker);
    }

    void move(int partition, int slot, int to) {
        int at = partition * width + slot;
        int from = rows[at];
        rows[at] = to;
        loads[from]--;
        loads[to]++;
        places[from * width + slot]--;
        places[to * width + slot]++;
    }

    private int replicasIn(int partition, int zone) {
        int count = 0;
        for (int i = partition * width; i < (partition + 1) * width; i++) {
            if (targets.isIn(rows[i], zone)) {
                count++;
            }
        }
        return count;
    }

    /** Returns the number of replicas that the zones of a row have too many or too few. */
    int zoneExcess(int partition) {
        int excess = 0;
        for (int zone = 0; zone < targets.zoneCount(); zone++) {
            excess += targets.spread().excess(zone, replicasIn(partition, zone));
        }
        return excess;
    }

    /** Returns the growth of the excess of a row's zones if a taker replaces a giver. */
    int zoneChange(int partition, int giver, int taker) {
        work += width;
        int left = targets.zone(giver);
        int entered = targets.zone(taker);
        if (left == entered) {
            return 0;
        }
        ZoneSpread spread = targets.spread();
        int there = replicasIn(partition, entered);
        int change = spread.excess(entered, there + 1) - spread.excess(entered, there);
        if (targets.takes(giver)) {
            int here = replicasIn(partition, left);
            change += spread.excess(left, here - 1) - spread.excess(left, here);
        }
        return change;
    }

    /** Returns the number of steps so far. */
    long work() {
        return work;
    }
}
