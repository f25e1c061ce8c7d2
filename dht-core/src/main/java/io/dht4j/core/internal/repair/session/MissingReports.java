package io.dht4j.core.internal.repair.session;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.repair.RepairException;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Tracks the nodes that have not reported their purge watermarks, with the partitions concerned. Not thread-safe. */
final class MissingReports {

    private final Map<Node, PartitionSet> missing;

    /** Partitions added during a request to their node: its reply may be outdated. */
    private final Map<Node, PartitionSet> renewed = new HashMap<>();

    /** The nodes among them that the last request could not reach. */
    private final Set<Node> unreachable = new HashSet<>();

    /** The nodes among them that refuse connections. */
    private final Set<Node> refusing = new HashSet<>();

    /** Partitions with a report of another replica. */
    private PartitionSet reported = PartitionSet.empty();

    MissingReports(Map<Node, PartitionSet> expected) {
        this.missing = new LinkedHashMap<>(expected);
    }

    boolean isEmpty() {
        return missing.isEmpty();
    }

    /** Returns a copy of the nodes. */
    Set<Node> nodes() {
        return new LinkedHashSet<>(missing.keySet());
    }

    static List<NodeId> ids(Collection<Node> nodes) {
        return nodes.stream().map(Node::id).toList();
    }

    /**
     * Expects another report of a node.
     *
     * @param inFlight whether the node is being asked
     */
    void expect(Node node, PartitionSet partitions, boolean inFlight) {
        missing.merge(node, partitions, PartitionSet::union);
        if (inFlight) {
            renewed.merge(node, partitions, PartitionSet::union);
        }
    }

    /** Expects reports of some nodes about some partitions only. */
    void retain(Map<Node, PartitionSet> shared) {
        for (Map<Node, PartitionSet> each : List.of(missing, renewed)) {
            each.replaceAll(
                    (node, partitions) -> partitions.intersection(shared.getOrDefault(node, PartitionSet.empty())));
            each.values().removeIf(PartitionSet::isEmpty);
        }
        unreachable.retainAll(shared.keySet());
        refusing.retainAll(shared.keySet());
    }

    /** Returns the partitions that a node must report now; empty if it has reported all. */
    Optional<PartitionSet> beginRequest(Node node) {
        renewed.remove(node);
        return Optional.ofNullable(missing.get(node));
    }

    /** Records that the last request to a node has failed. */
    void failed(Node node, Throwable error) {
        if (missing.containsKey(node)) {
            update(unreachable, node, error instanceof RepairException failure && failure.isNotSent());
            update(refusing, node, error instanceof RepairException failure && failure.isRefused());
        }
    }

    private static void update(Set<Node> set, Node node, boolean isIn) {
        if (isIn) {
            set.add(node);
        } else {
            set.remove(node);
        }
    }

    /** Records the report of a node. */
    void reported(String from, PartitionSet partitions) {
        for (Node node : nodes()) {
            if (node.id().value().equals(from)) {
                reported = reported.union(partitions);
                unreachable.remove(node);
                PartitionSet known = partitions.minus(renewed.getOrDefault(node, PartitionSet.empty()));
                PartitionSet rest =
                        missing.getOrDefault(node, PartitionSet.empty()).minus(known);
                if (rest.isEmpty()) {
                    missing.remove(node);
                } else {
                    missing.put(node, rest);
                }
            }
        }
    }

    boolean areAllUnreachable() {
        return unreachable.containsAll(missing.keySet());
    }

    boolean areAllRefusing() {
        return refusing.containsAll(missing.keySet());
    }

    /** Returns the partitions that are not safe to read: a reachable replica, or all replicas, have not reported. */
    PartitionSet unsafe() {
        PartitionSet unsafe = PartitionSet.empty();
        for (Map.Entry<Node, PartitionSet> each : missing.entrySet()) {
            PartitionSet awaited = each.getValue();
            unsafe = unsafe.union(unreachable.contains(each.getKey()) ? awaited.minus(reported) : awaited);
        }
        return unsafe;
    }
}
