package io.dht4j;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * The nodes of a cluster at one epoch. Every node of a cluster requires the same topology in the same order, since it
 * determines the placement of keys. Immutable.
 *
 * @param epoch grows with every change of the nodes, 0 or more
 * @param nodes 1 to {@value #MAX_NODES} nodes in the order in which they joined, with distinct ids and addresses
 */
public record Topology(long epoch, List<Node> nodes) {

    /** The largest number of nodes of a cluster. */
    public static final int MAX_NODES = 10_000;

    /**
     * Checks and copies the nodes.
     *
     * @throws IllegalArgumentException if the epoch is negative, the number of nodes is out of range, or an id or an
     *     address is repeated
     */
    public Topology {
        for (Node node : Objects.requireNonNull(nodes, "nodes")) {
            Objects.requireNonNull(node, "node");
        }
        nodes = List.copyOf(nodes);
        if (epoch < 0) {
            throw new IllegalArgumentException("epoch must be 0 or more, not " + epoch);
        }
        if (nodes.isEmpty() || nodes.size() > MAX_NODES) {
            throw new IllegalArgumentException("a topology has 1 to " + MAX_NODES + " nodes, not " + nodes.size());
        }
        Set<NodeId> seen = new HashSet<>();
        Map<String, NodeId> byAddress = new HashMap<>();
        for (Node node : nodes) {
            if (!seen.add(node.id())) {
                throw new IllegalArgumentException("node id " + node.id() + " stands twice in the topology");
            }
            NodeId other = byAddress.putIfAbsent(node.address(), node.id());
            if (other != null) {
                throw new IllegalArgumentException(
                        "nodes " + other + " and " + node.id() + " have the same address " + node.address());
            }
        }
    }

    /**
     * Returns the first topology of a cluster.
     *
     * @param nodes its nodes
     * @return the topology with epoch 1
     * @throws IllegalArgumentException as the constructor
     */
    public static Topology of(Node... nodes) {
        return new Topology(1, Arrays.asList(Objects.requireNonNull(nodes, "nodes")));
    }

    /**
     * Returns the number of nodes.
     *
     * @return 1 or more
     */
    public int size() {
        return nodes.size();
    }

    /**
     * Finds a node by its name.
     *
     * @param id a node's name
     * @return the node, or empty if the topology has none of that name
     */
    public Optional<Node> node(NodeId id) {
        Objects.requireNonNull(id, "id");
        for (Node node : nodes) {
            if (node.id().equals(id)) {
                return Optional.of(node);
            }
        }
        return Optional.empty();
    }

    /**
     * Returns the next topology, with one more node at the end.
     *
     * @param node the node that joins
     * @return a topology whose epoch is greater by one
     * @throws IllegalArgumentException if its id or its address is taken
     */
    public Topology with(Node node) {
        Objects.requireNonNull(node, "node");
        List<Node> all = new ArrayList<>(nodes);
        all.add(node);
        return new Topology(epoch + 1, all);
    }
}
