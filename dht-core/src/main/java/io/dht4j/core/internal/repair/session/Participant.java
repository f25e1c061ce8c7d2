package io.dht4j.core.internal.repair.session;

import io.dht4j.Node;
import io.dht4j.core.internal.placement.PartitionSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Another node of a session, with the session's partitions that it replicates. Used by one step at a time. */
final class Participant {

    final Node node;
    final PartitionSet partitions;

    /** The comparison with the node; null before it, and after it has failed. */
    @Nullable
    Comparison comparison;

    Participant(Node node, PartitionSet partitions) {
        this.node = node;
        this.partitions = partitions;
    }

    /** Returns the partitions among some that the node replicates. */
    PartitionSet of(PartitionSet some) {
        return partitions.intersection(some);
    }

    /** Runs a step with one participant after the other. */
    static CompletableFuture<Void> each(
            List<Participant> participants, Function<Participant, CompletableFuture<Void>> step) {
        CompletableFuture<Void> done = CompletableFuture.completedFuture(null);
        for (Participant participant : participants) {
            done = done.thenCompose(before -> step.apply(participant));
        }
        return done;
    }
}
