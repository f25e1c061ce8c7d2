package io.dht4j.examples.server;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.core.HashFunctions;
import io.dht4j.core.Placements;
import io.dht4j.spi.HashFunction;
import io.dht4j.spi.Placement;
import io.dht4j.spi.Store;
import io.dht4j.spi.StoreException;
import io.dht4j.spi.TransportException;
import io.dht4j.store.memory.MemoryStore;
import io.dht4j.store.mvstore.MvStore;
import io.dht4j.store.mvstore.MvStoreOptions;
import io.dht4j.transport.http.HttpApi;
import io.dht4j.transport.http.HttpApiOptions;
import io.dht4j.transport.http.HttpTransport;
import io.dht4j.transport.http.HttpTransportOptions;
import java.time.Duration;
import java.util.HexFormat;
import java.util.stream.Collectors;

/** A node with its public API, as a {@link ServerConfig} describes it. Safe for use by any number of threads. */
public final class ServerNode implements AutoCloseable {

    /** API, cluster and transport drain one after the other: together they stay well below 10 seconds. */
    private static final Duration DRAIN = Duration.ofSeconds(2);

    /** A node that refuses or does not exist answers sooner; one that hangs must not hold up a start. */
    private static final Duration WARM_UP = Duration.ofSeconds(1);

    /** What a frame holds besides the largest value. */
    private static final int FRAME_OVERHEAD = 1 << 20;

    private static final int SMALLEST_FRAME_LIMIT = 17 << 20;
    private static final long BODIES_IN_FLIGHT = 256L << 20;

    private final Cluster cluster;
    private final HttpApi api;
    private final String url;

    private ServerNode(Cluster cluster, HttpApi api, String url) {
        this.cluster = cluster;
        this.api = api;
        this.url = url;
    }

    /**
     * Opens the store and starts to serve. Blocks until both ports listen; does not wait for the other nodes.
     *
     * @param config what to run
     * @return the node, to be closed
     * @throws ServerStartException if the node is not among the peers, the directory cannot be used or a port is not free;
     *     nothing is left open then
     */
    public static ServerNode start(ServerConfig config) throws ServerStartException {
        Node self = config.self()
                .orElseThrow(() -> new ServerStartException(Setting.ID.option() + " " + config.id()
                        + " is not among the " + Setting.PEERS.option() + ": "
                        + config.topology().nodes().stream()
                                .map(node -> node.id().value())
                                .collect(Collectors.joining(", "))));
        HostPort peer = HostPort.parse(self.address());
        HostPort listen = config.listen();
        boolean isShared = listen.equals(peer) || (listen.port() == peer.port() && listen.isWildcard());
        try {
            // The store first: until its directory is ours, nobody must be able to reach this node.
            Store store = openStore(config);
            HttpTransport transport = HttpTransport.create(transportOptions(config, isShared ? listen : peer));
            Cluster cluster = startCluster(config, transport, store);
            try {
                warmUp(cluster);
                HttpApi api = isShared
                        ? HttpApi.sharing(transport, cluster, apiOptions(config))
                        : HttpApi.listening(listen.host(), listen.port(), cluster, apiOptions(config));
                return new ServerNode(cluster, api, "http://" + listen);
            } catch (RuntimeException e) {
                cluster.close();
                throw e;
            }
        } catch (StoreException | TransportException e) {
            throw new ServerStartException(String.valueOf(e.getMessage()), e);
        }
    }

    /**
     * The cluster as seen from this node.
     *
     * @return the cluster, which this node closes
     */
    public Cluster cluster() {
        return cluster;
    }

    /**
     * Where the public API is.
     *
     * @return for example {@code http://127.0.0.1:8080}
     */
    public String url() {
        return url;
    }

    /**
     * Takes no more requests, waits for those under way, and closes everything. Blocks, usually for milliseconds, at most
     * for some seconds. May be called repeatedly.
     */
    @Override
    public void close() {
        try (cluster) {
            api.close();
        }
    }

    private static Store openStore(ServerConfig config) {
        return switch (config.store()) {
            case MEMORY -> new MemoryStore();
            case MVSTORE ->
                MvStore.open(config.data(), MvStoreOptions.defaults().withDurability(config.durability()));
        };
    }

    private static Cluster startCluster(ServerConfig config, HttpTransport transport, Store store) {
        ClusterBuilder builder = ClusterBuilder.of(config.id(), config.topology())
                .transport(transport)
                .store(store)
                .placement(placement(config))
                .hash(hash(config))
                .partitions(config.partitions())
                .readFanOut(config.reads())
                .timeout(config.timeout())
                .maxValueBytes(config.maxValueBytes())
                .drainTimeout(DRAIN);
        config.replicationFactor().ifPresent(builder::replicationFactor);
        return builder.start();
    }

    /**
     * Asks every node for a key, so that the first request of a user does not pay for loading classes and connecting. What
     * comes of it does not matter: other nodes need not run yet.
     */
    private static void warmUp(Cluster cluster) {
        CallOptions everyNode = CallOptions.defaults()
                .withPolicy(cluster.topology().size(), cluster.topology().size())
                .withTimeout(WARM_UP);
        cluster.get(Key.of("warm-up"), everyNode)
                .handle((value, error) -> error == null)
                .toCompletableFuture()
                .join();
    }

    private static HttpTransportOptions transportOptions(ServerConfig config, HostPort address) {
        int frame = Math.max(SMALLEST_FRAME_LIMIT, config.maxValueBytes() + FRAME_OVERHEAD);
        HttpTransportOptions options =
                HttpTransportOptions.at(address.host(), address.port()).withDrainTimeout(DRAIN);
        return frame == SMALLEST_FRAME_LIMIT
                ? options
                : options.withMaxInFlightBytes(4L * frame).withMaxFrameBytes(frame);
    }

    private static HttpApiOptions apiOptions(ServerConfig config) {
        return HttpApiOptions.defaults()
                .withMaxBodyBytesInFlight(Math.max(BODIES_IN_FLIGHT, 4L * config.maxValueBytes()))
                .withMaxValueBytes(config.maxValueBytes())
                .withDrainTimeout(DRAIN);
    }

    private static Placement placement(ServerConfig config) {
        return switch (config.placement()) {
            case RING -> Placements.ring();
            case RENDEZVOUS -> Placements.rendezvous();
            case JUMP -> Placements.jump();
            case MODULO -> Placements.modulo();
        };
    }

    private static HashFunction hash(ServerConfig config) {
        return switch (config.hash()) {
            case XXH3 -> HashFunctions.xxh3();
            case MURMUR3 -> HashFunctions.murmur3();
            case SIPHASH ->
                HashFunctions.sipHash(HexFormat.of().parseHex(config.hashKey().orElseThrow()));
            case STRING -> HashFunctions.stringHashCode();
        };
    }
}
