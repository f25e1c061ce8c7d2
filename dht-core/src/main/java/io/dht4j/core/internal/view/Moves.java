package io.dht4j.core.internal.view;

import io.dht4j.NodeId;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The moves of a view, which complement its rows.
 *
 * @param batches the running batches
 * @param settings how fast slots move, and whether moves are paused
 * @param dead the members that an operator has declared dead; no node waits for them
 */
public record Moves(List<Batch> batches, RebalanceSettings settings, Set<NodeId> dead) {

    /** No slot moves, and no member is dead. */
    public static final Moves NONE = new Moves(List.of(), RebalanceSettings.DEFAULT, Set.of());

    /** Copies the collections. */
    public Moves {
        batches = List.copyOf(batches);
        dead = Set.copyOf(dead);
    }

    /** Returns the batch that moves a slot of a partition. */
    public Optional<Batch> batchOf(int partition) {
        return batches.stream()
                .filter(batch -> batch.partitions().contains(partition))
                .findFirst();
    }
}
