package io.dht4j.core.internal.repair.session;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.core.internal.placement.PartitionSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.function.Predicate;

/** The replicas of each partition, as one node sees them. Immutable, as long as the replicas do not change. */
final class PartitionRoles {

    private final NodeId self;
    private final int partitions;
    private final IntFunction<List<Node>> replicas;
    private final PartitionSet held;

    /**
     * Creates the view of a node.
     *
     * @param self the node
     * @param partitions the number of partitions
     * @param replicas returns the replicas of each partition, in their order
     */
    PartitionRoles(NodeId self, int partitions, IntFunction<List<Node>> replicas) {
        this.self = self;
        this.partitions = partitions;
        this.replicas = replicas;
        this.held = PartitionSet.matching(
                partitions, partition -> replicas.apply(partition).stream().anyMatch(this::isSelf));
    }

    private boolean isSelf(Node node) {
        return node.id().equals(self);
    }

    int partitions() {
        return partitions;
    }

    /** Returns the partitions of which this node is a replica. */
    PartitionSet held() {
        return held;
    }

    /**
     * Returns the partitions that this node coordinates: it is the first replica that is not suspected, or the
     * partition is orphaned.
     */
    PartitionSet coordinated(Predicate<Node> isSuspected, PartitionSet orphaned) {
        return held.filter(partition -> {
            for (Node replica : replicas.apply(partition)) {
                if (isSelf(replica)) {
                    return true;
                }
                if (!isSuspected.test(replica) && !orphaned.contains(partition)) {
                    return false;
                }
            }
            return false;
        });
    }

    /** Returns the other replicas of some partitions, each with its partitions. */
    Map<Node, PartitionSet> others(PartitionSet chosen) {
        Map<Node, PartitionSet.Builder> others = new LinkedHashMap<>();
        chosen.forEach(partition -> {
            for (Node node : replicas.apply(partition)) {
                if (!isSelf(node)) {
                    others.computeIfAbsent(node, other -> PartitionSet.builder())
                            .add(partition);
                }
            }
        });
        Map<Node, PartitionSet> built = new LinkedHashMap<>();
        others.forEach((node, builder) -> built.put(node, builder.build()));
        return built;
    }
}
