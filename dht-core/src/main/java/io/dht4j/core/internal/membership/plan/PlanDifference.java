package io.dht4j.core.internal.membership.plan;

import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.view.Slot;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Turns planned rows into batches. A member that stays in a row keeps its slot, even if planning moved it to another
 * one. A new member of a row takes the slot of a member that leaves it, of the same zone if possible, or else the next
 * vacant one.
 */
final class PlanDifference {

    /** A batch's key. The rounds, and the places of added slots, keep moves of one partition in different batches. */
    private record Key(int added, int round, int from, int to) {}

    private final TargetTable table;
    private final LoadTargets targets;
    private final Map<Key, PartitionSet.Builder> batches = new TreeMap<>(Comparator.comparingInt(Key::added)
            .thenComparingInt(Key::round)
            .thenComparingInt(Key::from)
            .thenComparingInt(Key::to));

    PlanDifference(TargetTable table, LoadTargets targets) {
        this.table = table;
        this.targets = targets;
    }

    List<PlannedBatch> batches() {
        for (int partition = 0; partition < table.partitions(); partition++) {
            difference(partition);
        }
        List<PlannedBatch> result = new ArrayList<>();
        batches.forEach((key, partitions) ->
                result.add(new PlannedBatch(key.from(), key.to(), partitions.build(), key.added())));
        return result;
    }

    private void difference(int partition) {
        List<Integer> gone = new ArrayList<>(0);
        List<Integer> come = new ArrayList<>(0);
        int width = 0;
        int last = Slot.NOBODY;
        for (int slot = 0; slot < table.width(); slot++) {
            int before = table.ownerBefore(partition, slot);
            int now = table.owner(partition, slot);
            if (before != Slot.NOBODY) {
                width++;
                last = before;
                if (table.slotOf(partition, before) < 0) {
                    gone.add(before);
                }
            }
            if (now != Slot.NOBODY && !stoodBefore(partition, now)) {
                come.add(now);
            }
        }
        for (int round = 0; !gone.isEmpty(); round++) {
            int from = gone.remove(0);
            int to = come.stream()
                    .filter(member -> targets.zone(member) == targets.zone(from))
                    .findFirst()
                    .orElse(come.get(0));
            come.remove(Integer.valueOf(to));
            last = last == from ? to : last;
            add(new Key(PlannedBatch.NONE, round, from, to), partition);
        }
        // Each copies the content of the last slot before it.
        for (int to : come) {
            add(new Key(width++, 0, last, to), partition);
            last = to;
        }
    }

    private void add(Key key, int partition) {
        batches.computeIfAbsent(key, other -> PartitionSet.builder()).add(partition);
    }

    private boolean stoodBefore(int partition, int member) {
        for (int slot = 0; slot < table.width(); slot++) {
            if (table.ownerBefore(partition, slot) == member) {
                return true;
            }
        }
        return false;
    }
}
