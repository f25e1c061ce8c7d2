package io.dht4j.server.demo;

import io.dht4j.Cluster;
import io.dht4j.server.ServerNode;
import io.dht4j.server.ServerStartException;
import io.dht4j.server.StartWatch;
import io.dht4j.server.config.ConfigException;
import io.dht4j.server.config.ServerConfig;
import io.dht4j.server.config.Setting;
import io.dht4j.server.config.TransportChoice.Protocol;
import io.dht4j.spi.MemoryBudget;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/**
 * The nodes of the demo, in this process, which call each other over one of the transports and keep their entries on
 * disk: n1 to n3 form a cluster, and n4 joins it. For one thread.
 */
final class DemoNodes implements AutoCloseable {

    /** The number of nodes that form the cluster, and of the replicas of each key. */
    static final int FOUNDERS = 3;

    /** The number of nodes with the one that joins. */
    static final int MOST = FOUNDERS + 1;

    /**
     * The largest value. With the 16 MiB of a normal server, the nodes would need a heap that not every machine gives
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
     * Creates stopped nodes.
     *
     * @param directory an empty directory for their data
     * @param network the addresses of the nodes, at free ports
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

    /** Returns the names of the nodes that form the cluster. */
    static List<String> founders() {
        return IntStream.rangeClosed(1, FOUNDERS).mapToObj(i -> "n" + i).toList();
    }

    /**
     * Starts the nodes that form the cluster; each waits for the others. Blocks.
     *
     * @param isStopAsked whether to end the starts
     * @throws ServerStartException if one cannot start; those that have started run on
     */
    void form(BooleanSupplier isStopAsked) throws ServerStartException {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        StartWatch watch = watch(() -> failure.get() != null || isStopAsked.getAsBoolean());
        Map<String, CompletableFuture<ServerNode>> starts = new TreeMap<>();
        for (String id : founders()) {
            CompletableFuture<ServerNode> start = new CompletableFuture<>();
            starts.put(id, start);
            Runnable task = () -> {
                try {
                    start.complete(launch(id, watch));
                } catch (ServerStartException | RuntimeException | Error e) {
                    failure.compareAndSet(null, e);
                    start.completeExceptionally(e);
                }
            };
            new Thread(task, "start of " + id).start();
        }
        starts.forEach((id, start) -> {
            try {
                nodes.put(id, start.join());
            } catch (CompletionException e) {
                // The first of the failures is thrown below.
            }
        });
        Throwable failed = failure.get();
        if (failed instanceof ServerStartException refused) {
            throw refused;
        }
        if (failed != null) {
            throw new IllegalStateException("a node of the demo does not start", failed);
        }
    }

    private static StartWatch watch(BooleanSupplier isStopAsked) {
        return new StartWatch() {
            @Override
            public boolean isStopAsked() {
                return isStopAsked.getAsBoolean();
            }
        };
    }

    /**
     * Starts a node that is a member already, or joins. Blocks.
     *
     * @param id the node
     * @param isStopAsked whether to end the start
     */
    void start(String id, BooleanSupplier isStopAsked) throws ServerStartException {
        nodes.put(id, launch(id, watch(isStopAsked)));
    }

    private ServerNode launch(String id, StartWatch watch) throws ServerStartException {
        List<String> founders = new ArrayList<>();
        for (String founder : founders()) {
            founders.add(founder + "=" + address(network.peerPorts(), founder));
        }
        Map<Setting, String> settings = new EnumMap<>(Setting.class);
        settings.put(Setting.ID, id);
        settings.put(Setting.LISTEN, address(network.ports(), id));
        settings.put(Setting.DATA, data(id).toString());
        settings.put(Setting.TRANSPORT, network.transport().name().toLowerCase(Locale.ROOT));
        settings.put(Setting.MAX_VALUE_BYTES, MAX_VALUE_BYTES);
        if (founders().contains(id)) {
            settings.put(Setting.BOOTSTRAP, String.join(",", founders));
        } else {
            settings.put(Setting.JOIN, String.join(",", founders));
            settings.put(Setting.PEER_ADDRESS, address(network.peerPorts(), id));
        }
        try {
            // The nodes share the heap of one process.
            MemoryBudget share = MemoryBudget.ofHeap().part(MOST);
            return ServerNode.start(ServerConfig.of(settings), share, watch);
        } catch (ConfigException e) {
            throw new IllegalStateException("the demo's own settings", e);
        }
    }

    private static String address(List<Integer> ports, String id) {
        return "127.0.0.1:" + ports.get(Integer.parseInt(id.substring(1)) - 1);
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

    /** Returns the names of the running nodes. */
    List<String> running() {
        return List.copyOf(nodes.keySet());
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
