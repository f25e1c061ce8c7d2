package io.dht4j.core.internal.coordinator.node;

import io.dht4j.Key;
import io.dht4j.KeyPlacement;
import io.dht4j.Ranges;
import io.dht4j.core.internal.membership.ClusterView;
import java.util.List;
import java.util.stream.IntStream;

/** Lists the replicas of partitions, as one view has them. */
final class PlacementReport {

    private PlacementReport() {}

    /** Returns the partition of a key and its replicas. */
    static KeyPlacement of(ClusterView view, Key key) {
        int partition = view.partitionOf(key);
        return new KeyPlacement(
                partition,
                view.slots(partition).stream()
                        .flatMap(slot -> slot.readerFirst().stream())
                        .toList());
    }

    /** Returns the replicas of at most so many partitions from the first one on, in their order. */
    static List<KeyPlacement> of(ClusterView view, int first, int count) {
        Ranges.require("first", first, 0, Integer.MAX_VALUE);
        Ranges.require("count", count, 1, Integer.MAX_VALUE);
        return IntStream.range(first, view.partitions())
                .limit(count)
                .mapToObj(partition -> new KeyPlacement(
                        partition,
                        view.slots(partition, view.width(partition)).stream()
                                .flatMap(slot -> slot.readerFirst().stream())
                                .toList()))
                .toList();
    }
}
