package io.dht4j.server.demo;

import io.dht4j.Cluster;
import io.dht4j.server.ServerNode;
import io.dht4j.server.ServerStartException;
import io.dht4j.server.config.ConfigException;
import io.dht4j.server.config.ServerConfig;
import io.dht4j.server.config.Setting;
import io.dht4j.server.config.TransportChoice.Protocol;
import io.dht4j.spi.MemoryBudget;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * The nodes of the demo: n1 to n3, in this process, which call each other over one of the transports and keep their
 * entries on disk. For one thread.
 */
final class DemoNodes implements AutoCloseable {

    /** The number of nodes. */
    static final int COUNT = 3;

    /**
     * The largest value. With the 16 MiB of a normal server, three nodes would need a heap that not every machine gives
     * by default.
     */
    private static final String MAX_VALUE_BYTES = Integer.toString(1 << 20);

    private final Path directory;
    private final Network network;
    /** The running nodes, by name. */
    private final Map<String, ServerNode> nodes = new TreeMap<>();

    /**
     * How the nodes are reached.
     *
     * @param transport the protocol between them
     * @param ports the port of each node's public API
     * @param peerPorts the port of each node's transport: over HTTP the same
     */
    record Network(Protocol transport, List<Integer> ports, List<Integer> peerPorts) {

        /** Copies the ports. */
        Network {
            ports = List.copyOf(ports);
            peerPorts = List.copyOf(peerPorts);
        }

        String inWords() {
            return switch (transport) {
                case HTTP -> "over HTTP";
                case GRPC -> "over gRPC";
                case TCP -> "directly over TCP";
            };
        }
    }

    /**
     * Creates nodes, none of which runs.
     *
     * @param directory an empty directory for their data
     * @param network how they are reached, at free ports
     */
    DemoNodes(Path directory, Network network) {
        this.directory = directory;
        this.network = network;
    }

    Network network() {
        return network;
    }

    /** Returns the directory of a node's data. */
    Path data(String id) {
        return directory.resolve(id);
    }

    /** Starts a node. Blocks. */
    void start(String id) throws ServerStartException {
        List<String> peers = new ArrayList<>();
        for (int i = 1; i <= COUNT; i++) {
            peers.add("n" + i + "=127.0.0.1:" + network.peerPorts().get(i - 1));
        }
        int port = network.ports().get(Integer.parseInt(id.substring(1)) - 1);
        Map<Setting, String> settings = Map.of(
                Setting.ID,
                id,
                Setting.LISTEN,
                "127.0.0.1:" + port,
                Setting.PEERS,
                String.join(",", peers),
                Setting.DATA,
                data(id).toString(),
                Setting.TRANSPORT,
                network.transport().name().toLowerCase(Locale.ROOT),
                Setting.MAX_VALUE_BYTES,
                MAX_VALUE_BYTES);
        try {
            // Three nodes share the heap of one process.
            MemoryBudget share = MemoryBudget.ofHeap().part(COUNT);
            nodes.put(id, ServerNode.start(ServerConfig.of(settings), share));
        } catch (ConfigException e) {
            throw new IllegalStateException("the demo's own settings", e);
        }
    }

    /** Stops a running node. Blocks. */
    void stop(String id) {
        node(id).close();
        nodes.remove(id);
    }

    /** Returns a running node. */
    ServerNode node(String id) {
        ServerNode node = nodes.get(id);
        if (node == null) {
            throw new IllegalStateException(id + " does not run");
        }
        return node;
    }

    Cluster cluster(String id) {
        return node(id).cluster();
    }

    /** Returns the running nodes as clusters. */
    List<Cluster> clusters() {
        return nodes.values().stream().map(ServerNode::cluster).toList();
    }

    /** Stops every running node. Blocks. */
    @Override
    public void close() {
        for (ServerNode node : nodes.values()) {
            node.close();
        }
        nodes.clear();
    }
}
