package io.dht4j.spring.boot;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.Topology;
import io.dht4j.transport.common.options.ListenAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Reads the nodes of the properties, and where this one listens. */
final class NodeAddresses {

    /** The address of a single node, which is never called. */
    private static final String ALONE = "127.0.0.1:7400";

    private NodeAddresses() {}

    /**
     * Returns the name of this node.
     *
     * @throws StartException if the name is invalid, or is missing beside other nodes: with a default, each instance
     *     would start as the same node
     */
    static NodeId self(DhtProperties properties) {
        String name = properties.nodeId();
        if (name != null) {
            return StartException.read("dht4j.node-id", () -> new NodeId(name));
        }
        DhtProperties.Membership membership = properties.membership();
        requireAlone("dht4j.nodes", properties.nodes().size() > 1);
        requireAlone("dht4j.membership.bootstrap", membership.bootstrap().size() > 1);
        requireAlone("dht4j.membership.join", !membership.join().isEmpty());
        return new NodeId("n1");
    }

    private static void requireAlone(String property, boolean hasOthers) {
        if (hasOthers) {
            throw new StartException(
                    "dht4j.node-id must name this node, since " + property + " lists other nodes",
                    "Set dht4j.node-id to another name in each instance, such as --dht4j.node-id=n2.",
                    null);
        }
    }

    /** Returns the nodes of a cluster whose nodes are fixed. */
    static Topology topology(DhtProperties properties) {
        NodeId self = self(properties);
        if (properties.nodes().isEmpty()) {
            return new Topology(1, List.of(new Node(self, ALONE, 1)));
        }
        Topology nodes =
                StartException.read("dht4j.nodes", () -> new Topology(1, parse("dht4j.nodes", properties.nodes())));
        requireAmong("dht4j.nodes", self, nodes.nodes());
        return nodes;
    }

    /** Refuses a node that is not in its own list. */
    static void requireAmong(String property, NodeId self, List<Node> nodes) {
        if (nodes.stream().noneMatch(node -> node.id().equals(self))) {
            String names = nodes.stream().map(node -> node.id().value()).collect(Collectors.joining(", "));
            throw StartException.of(
                    "dht4j.node-id or " + property,
                    "dht4j.node-id must be one of " + property + " (" + names + "), not " + self);
        }
    }

    /** Reads entries of the form {@code ID=HOST:PORT}. */
    static List<Node> parse(String property, List<String> entries) {
        List<Node> nodes = new ArrayList<>(entries.size());
        for (String entry : entries) {
            int equals = entry.indexOf('=');
            if (equals < 1) {
                throw StartException.of(
                        property, property + ": expected entries of the form ID=HOST:PORT, not \"" + entry + "\"");
            }
            nodes.add(StartException.read(
                    property,
                    () -> Node.of(
                            entry.substring(0, equals).strip(),
                            entry.substring(equals + 1).strip())));
        }
        return nodes;
    }

    /**
     * Returns where this node listens.
     *
     * @return empty for a node alone without a port
     */
    static Optional<ListenAddress> listen(DhtProperties properties, Node self, boolean hasPeers) {
        DhtProperties.Transport transport = properties.transport();
        Integer port = transport.port();
        if (port == null && !hasPeers) {
            return Optional.empty();
        }
        String host = transport.host() == null ? self.host() : transport.host();
        return Optional.of(StartException.read(
                "dht4j.transport.host", () -> new ListenAddress(host, port == null ? self.port() : port)));
    }
}
