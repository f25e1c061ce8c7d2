package io.dht4j.core.internal.coordinator.node;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.view.ReplicaSlot;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Counts the partitions of which too few replicas answer this node for a read or a write with the default policy. It
 * uses what the node already knows of the others, and sends nothing. Does not block; safe for use by any number of
 * threads.
 */
final class LostQuorums {

    private final Supplier<ClusterView> view;
    private final Supplier<Set<NodeId>> suspects;
    private final Supplier<Set<NodeId>> disagreeing;
    private volatile @Nullable Known known;

    /** The last count. Probes and scrapes repeat it much more often than it changes. */
    private record Known(ClusterView view, Set<NodeId> silent, int count) {}

    /**
     * Creates a counter.
     *
     * @param view the present view
     * @param suspects the nodes that do not answer
     * @param disagreeing the nodes that refuse this node's requests
     */
    LostQuorums(Supplier<ClusterView> view, Supplier<Set<NodeId>> suspects, Supplier<Set<NodeId>> disagreeing) {
        this.view = view;
        this.suspects = suspects;
        this.disagreeing = disagreeing;
    }

    /** Returns the number of partitions. */
    int count() {
        ClusterView now = view.get();
        Set<NodeId> silent = new HashSet<>(suspects.get());
        silent.addAll(disagreeing.get());
        Known last = known;
        if (last == null || last.view != now || !last.silent.equals(silent)) {
            last = new Known(now, silent, count(now, silent));
            known = last;
        }
        return last.count;
    }

    private static int count(ClusterView view, Set<NodeId> silent) {
        return (int) IntStream.range(0, view.partitions())
                .filter(partition -> isLost(view, partition, silent))
                .count();
    }

    private static boolean isLost(ClusterView view, int partition, Set<NodeId> silent) {
        int readable = 0;
        int writable = 0;
        for (ReplicaSlot slot : view.slots(partition, view.width(partition))) {
            readable +=
                    slot.reader().filter(node -> !silent.contains(node.id())).isPresent() ? 1 : 0;
            // Both nodes of a slot that moves must acknowledge a write.
            writable += slot.nodes().stream().map(Node::id).noneMatch(silent::contains) ? 1 : 0;
        }
        return Math.min(readable, writable) < view.majority(partition).ack();
    }
}
