package io.dht4j.core.internal.coordinator.node;

import io.dht4j.Key;
import io.dht4j.KeyPlacement;
import io.dht4j.Ranges;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.view.ReplicaSlot;
import java.util.List;
import java.util.stream.IntStream;

/** Lists the replicas of partitions in one view. */
final class PlacementReport {

    private PlacementReport() {}

    /** Returns the partition of a key and its replicas. */
    static KeyPlacement of(ClusterView view, Key key) {
        int partition = view.partitionOf(key);
        return placement(partition, view.slots(partition));
    }

    /** Returns the replicas of at most so many partitions from the first one on, in their order. */
    static List<KeyPlacement> of(ClusterView view, int first, int count) {
        Ranges.require("first", first, 0, Integer.MAX_VALUE);
        Ranges.require("count", count, 1, Integer.MAX_VALUE);
        return IntStream.range(first, view.partitions())
                .limit(count)
                .mapToObj(partition -> placement(partition, view.slots(partition, view.width(partition))))
                .toList();
    }

    private static KeyPlacement placement(int partition, List<ReplicaSlot> slots) {
        return new KeyPlacement(
                partition,
                slots.stream().flatMap(slot -> slot.readerFirst().stream()).toList());
    }
}
