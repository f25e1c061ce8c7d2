package io.dht4j.transport.common;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.spi.Transport;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Compares the port on which a transport listens with the local node's address in the topology. They may differ, behind
 * a proxy or NAT, so a difference causes a warning, not an error. Safe for use by any number of threads.
 */
public final class OwnAddress {

    private volatile List<Node> topology = List.of();

    /** Creates an object that knows no topology. */
    public OwnAddress() {}

    /**
     * Remembers the topology, which a node passes to {@link Transport#endpoints} before it starts the transport.
     *
     * @param nodes the nodes
     */
    public void resolving(List<Node> nodes) {
        topology = List.copyOf(nodes);
    }

    /**
     * Returns the local node as the topology has it.
     *
     * @param self its name
     * @return the node; empty if the topology lacks it
     */
    public Optional<Node> node(NodeId self) {
        return topology.stream().filter(node -> node.id().equals(self)).findFirst();
    }

    /**
     * Returns the warning for a started transport.
     *
     * @param self the name of the local node, if the handler has one
     * @param port the bound port; empty if the transport does not listen
     * @return one line; empty if the ports are equal, if the topology has no other node that could call, or if it lacks
     *     the local node
     */
    public Optional<String> warning(Optional<NodeId> self, OptionalInt port) {
        List<Node> nodes = topology;
        if (nodes.size() < 2 || self.isEmpty()) {
            return Optional.empty();
        }
        return node(self.get())
                .filter(node -> port.isEmpty() || port.getAsInt() != node.port())
                .map(node -> warning(node, port));
    }

    private static String warning(Node node, OptionalInt port) {
        String called = "peers call it at " + node.address() + ", its address in the topology";
        return port.isEmpty()
                ? "this node, " + node.id() + ", does not listen, but " + called + ": they cannot reach it"
                : "this node, " + node.id() + ", listens on port " + port.getAsInt() + ", but " + called
                        + ": unless a proxy or NAT forwards port " + node.port() + ", correct one of the two";
    }
}
