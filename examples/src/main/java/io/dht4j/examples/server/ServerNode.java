package io.dht4j.examples.server;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.spi.Store;
import io.dht4j.spi.StoreException;
import io.dht4j.spi.TransportException;
import io.dht4j.transport.http.HttpApi;
import io.dht4j.transport.http.HttpApiOptions;
import io.dht4j.transport.http.HttpTransport;
import io.dht4j.transport.http.HttpTransportOptions;
import java.time.Duration;

/** A node with its public API, as a {@link ServerConfig} describes it. Safe for use by any number of threads. */
public final class ServerNode implements AutoCloseable {

    /** APIs, cluster and transport drain one after the other: together they stay well below 10 seconds. */
    private static final Duration DRAIN = Duration.ofMillis(1_500);

    /** A node that refuses or does not exist answers sooner; one that hangs must not hold up a start. */
    private static final Duration WARM_UP = Duration.ofSeconds(1);

    /** What a frame holds besides the largest value. */
    private static final int FRAME_OVERHEAD = 1 << 20;

    private static final int SMALLEST_FRAME_LIMIT = 17 << 20;
    private static final long BODIES_IN_FLIGHT = 256L << 20;

    private final Cluster cluster;
    private final Opened opened;
    private final String url;

    private ServerNode(Cluster cluster, Opened opened, String url) {
        this.cluster = cluster;
        this.opened = opened;
        this.url = url;
    }

    /**
     * Opens the store and starts to serve. Blocks until all ports listen; does not wait for the other nodes.
     *
     * @param config what to run
     * @return the node, to be closed
     * @throws ServerStartException if the directory or a file cannot be used, or a port is not free; nothing is left open
     *     then
     */
    public static ServerNode start(ServerConfig config) throws ServerStartException {
        Opened opened = new Opened();
        try {
            return start(config, opened);
        } catch (StoreException | TransportException | IllegalArgumentException e) {
            opened.closeAfter(e);
            throw new ServerStartException(String.valueOf(e.getMessage()), e);
        } catch (RuntimeException | Error e) {
            opened.closeAfter(e);
            throw e;
        }
    }

    private static ServerNode start(ServerConfig config, Opened opened) {
        // The store first: until its directory is ours, nobody must be able to reach this node.
        Store store = opened.add(config.store().open());
        HttpTransport transport = opened.add(HttpTransport.create(transportOptions(config)));
        Cluster cluster = opened.add(cluster(config, transport, store));
        warmUp(cluster);
        HostPort listen = config.addresses().listen();
        opened.add(
                config.addresses().isShared()
                        ? HttpApi.sharing(transport, cluster, apiOptions(config))
                        : HttpApi.listening(listen.host(), listen.port(), cluster, apiOptions(config)));
        return new ServerNode(cluster, opened, "http://" + listen);
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
    public synchronized void close() {
        opened.close();
    }

    private static Cluster cluster(ServerConfig config, HttpTransport transport, Store store) {
        ClusterBuilder builder = ClusterBuilder.of(config.id(), config.topology())
                .transport(transport)
                .store(store)
                .placement(config.placement().placement())
                .hash(config.placement().function())
                .partitions(config.placement().partitions())
                .readFanOut(config.calls().reads())
                .timeout(config.calls().timeout())
                .maxValueBytes(config.calls().maxValueBytes())
                .drainTimeout(DRAIN);
        config.placement().replicationFactor().ifPresent(builder::replicationFactor);
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

    private static HttpTransportOptions transportOptions(ServerConfig config) {
        HostPort address = config.addresses().transport();
        int frame = Math.max(SMALLEST_FRAME_LIMIT, config.calls().maxValueBytes() + FRAME_OVERHEAD);
        HttpTransportOptions options =
                HttpTransportOptions.at(address.host(), address.port()).withDrainTimeout(DRAIN);
        return frame == SMALLEST_FRAME_LIMIT
                ? options
                : options.withMaxInFlightBytes(4L * frame).withMaxFrameBytes(frame);
    }

    private static HttpApiOptions apiOptions(ServerConfig config) {
        int maxValueBytes = config.calls().maxValueBytes();
        HttpApiOptions options = HttpApiOptions.defaults()
                .withMaxBodyBytesInFlight(Math.max(BODIES_IN_FLIGHT, 4L * maxValueBytes))
                .withMaxValueBytes(maxValueBytes)
                .withDrainTimeout(DRAIN);
        return config.security().tokens().map(options::withTokens).orElse(options);
    }
}
