package io.dht4j.server;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.server.config.ConfigException;
import io.dht4j.server.config.SecurityConfig;
import io.dht4j.server.config.ServerConfig;
import io.dht4j.server.config.StoreChoice;
import io.dht4j.server.log.ShellWords;
import io.dht4j.server.metrics.ServerMetrics;
import io.dht4j.spi.MemoryBudget;
import io.dht4j.spi.Store;
import io.dht4j.spi.StoreException;
import io.dht4j.spi.Transport;
import io.dht4j.spi.TransportException;
import io.dht4j.store.mvstore.Rebuild;
import io.dht4j.transport.common.BoundedWait;
import io.dht4j.transport.grpc.api.GrpcApi;
import io.dht4j.transport.http.HttpApi;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A node with its public APIs, as a {@link ServerConfig} describes it. Safe for use by any number of threads. */
public final class ServerNode implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ServerNode.class);

    /**
     * The timeout of warming up: a node that refuses or does not exist answers sooner, and one that hangs must not
     * delay a start.
     */
    private static final Duration WARM_UP = Duration.ofSeconds(1);

    private final ServerConfig config;
    private final Cluster cluster;
    private final Closer closer;
    private final String transportName;
    private final CompletableFuture<String> failure;
    private final List<Runnable> announcements;

    private ServerNode(
            ServerConfig config,
            Cluster cluster,
            Closer closer,
            String transportName,
            CompletableFuture<String> failure,
            List<Runnable> announcements) {
        this.failure = failure;
        this.announcements = announcements;
        this.config = config;
        this.cluster = cluster;
        this.closer = closer;
        this.transportName = transportName;
    }

    /**
     * Moves the files of a damaged store aside, so that the node starts empty and gets its entries back from the other
     * replicas. Must be called before {@link #start}; until the refill is done, every start continues it. Blocks.
     *
     * @param config of the node
     * @return one line with the new place of the files
     * @throws ConfigException if a rebuild has no effect: no files are on disk, or there is no other replica
     * @throws ServerStartException if the directory cannot be used
     */
    public static String rebuild(ServerConfig config) throws ConfigException, ServerStartException {
        Path data = config.store().data();
        if (config.store().kind() == StoreChoice.Kind.MEMORY) {
            throw new ConfigException("--rebuild needs a store on disk: this one keeps nothing");
        }
        if (config.membership().isAgreed()) {
            throw new ConfigException(
                    "--rebuild is for clusters whose nodes are fixed: stop the node, run ./dht nodes replace "
                            + config.id() + ", and start it with an empty data directory and --join");
        }
        int replicas = config.placement()
                .replicationFactor()
                .orElse(Math.min(3, config.topology().size()));
        if (replicas == 1) {
            throw new ConfigException("--rebuild needs other replicas, and the replication factor is 1: restore " + data
                    + " from a backup");
        }
        try {
            return Rebuild.begin(data)
                    .map(aside -> data + " is rebuilt from the other replicas; its files are in " + aside)
                    .orElse(data + " is rebuilt from the other replicas");
        } catch (StoreException e) {
            throw new ServerStartException(String.valueOf(e.getMessage()), e);
        }
    }

    /**
     * Opens the store and starts to serve. Blocks until all ports listen; does not wait for the other nodes.
     *
     * @param config the configuration of the node
     * @return the node, to be closed
     * @throws ServerStartException if the directory or a file cannot be used, or a port is not free; then all resources
     *     are closed
     */
    public static ServerNode start(ServerConfig config) throws ServerStartException {
        return start(config, StartWatch.NONE);
    }

    /**
     * Starts a node as {@link #start(ServerConfig)} does. A node of a cluster whose nodes may change waits at its first
     * start until it is a member.
     *
     * @param config the configuration of the node
     * @param watch receives what the start waits for, and may end it
     * @return the node, to be closed
     * @throws ServerStartException as {@link #start(ServerConfig)}, or if the node cannot become a member, or was
     *     stopped while it waited
     */
    public static ServerNode start(ServerConfig config, StartWatch watch) throws ServerStartException {
        return start(config, NodeCustomizer.NONE, MemoryBudget.ofHeap(), watch);
    }

    /**
     * Starts a node as {@link #start(ServerConfig)} does, as one of several nodes in this process.
     *
     * @param config the configuration of the node
     * @param memory the memory budget of this node; its largest value is that of the configuration
     * @param watch receives what the start waits for, and may end it
     * @return the node, to be closed
     * @throws ServerStartException as {@link #start(ServerConfig, StartWatch)}
     */
    public static ServerNode start(ServerConfig config, MemoryBudget memory, StartWatch watch)
            throws ServerStartException {
        return start(config, NodeCustomizer.NONE, memory, watch);
    }

    /**
     * Starts a node as {@link #start(ServerConfig)} does, with other components.
     *
     * @param config the configuration of the node
     * @param customizer wraps or replaces them
     * @return the node, to be closed
     * @throws ServerStartException if the directory or a file cannot be used, or a port is not free; then all resources
     *     are closed
     */
    public static ServerNode start(ServerConfig config, NodeCustomizer customizer) throws ServerStartException {
        return start(config, customizer, MemoryBudget.ofHeap(), StartWatch.NONE);
    }

    private static ServerNode start(
            ServerConfig config, NodeCustomizer customizer, MemoryBudget memory, StartWatch watch)
            throws ServerStartException {
        try {
            config.refuseUnwantedPlaintext();
        } catch (ConfigException e) {
            throw new ServerStartException(String.valueOf(e.getMessage()), e);
        }
        Closer closer = new Closer();
        try {
            return start(config, customizer, memory, watch, closer);
        } catch (StoreException | TransportException | IllegalArgumentException | StartFailure e) {
            closer.closeAfter(e);
            String why = String.valueOf(e.getMessage());
            throw new ServerStartException(
                    ShellWords.of(why, config.id().value(), config.membership().isAgreed()), e);
        } catch (RuntimeException | Error e) {
            closer.closeAfter(e);
            throw e;
        }
    }

    private static ServerNode start(
            ServerConfig config, NodeCustomizer customizer, MemoryBudget memory, StartWatch watch, Closer closer) {
        ServerMetrics metrics = closer.add(new ServerMetrics(config.id().value()));
        ServerComponents components = new ServerComponents(config, memory, metrics);
        // Otherwise a mistyped port would leave an unwanted data directory behind.
        components.requireStartable();
        components.warnOfOpenSecrets(LOG::warn);
        // The store first: this node is reachable only once it owns its directory.
        Store store = closer.add(components.store(customizer));
        Transport transport = closer.add(components.transport(customizer));
        ServedCluster served = new ServedCluster();
        // A node may wait for others for minutes, and answers its probes during that time.
        Optional<HttpApi> early = config.membership().isAgreed()
                ? Optional.of(components.startingApi(transport, served))
                : Optional.empty();
        Cluster cluster;
        try {
            cluster = closer.add(components.cluster(transport, store, customizer, watch, served));
        } catch (RuntimeException | Error e) {
            early.ifPresent(HttpApi::close);
            throw e;
        }
        served.started(cluster);
        HttpApi api = closer.add(early.orElseGet(() -> components.httpApi(transport, served)));
        metrics.show(cluster);
        warmUp(cluster);
        CompletableFuture<String> failure = new CompletableFuture<>();
        cluster.failure().thenAccept(reason -> failure.complete(ShellWords.of(reason)));
        api.failure().thenAccept(failure::complete);
        List<Runnable> announcements = new ArrayList<>(List.of(api::announceStop));
        config.addresses().grpc().ifPresent(address -> {
            GrpcApi grpc = closer.add(components.grpcApi(address, served));
            grpc.failure().thenAccept(failure::complete);
            announcements.add(grpc::announceStop);
        });
        return new ServerNode(config, cluster, closer, transport.name(), failure, announcements);
    }

    /**
     * Returns the cluster as seen from this node.
     *
     * @return the cluster, which this node closes
     */
    public Cluster cluster() {
        return cluster;
    }

    /**
     * Reports that a part of this node can no longer serve, so that it should be closed.
     *
     * @return completes with the reason, one line for people, on any thread
     */
    public CompletionStage<String> failure() {
        return failure.minimalCompletionStage();
    }

    /**
     * Returns whether this node was removed from the cluster as an operator wished, which {@link #failure} reports
     * afterwards.
     *
     * @return true from then on
     */
    public boolean isRemoved() {
        return cluster.membership().isRemoved();
    }

    /**
     * Returns where the public HTTP API is.
     *
     * @return for example {@code http://127.0.0.1:8080}
     */
    public String url() {
        return (config.security().tls().isPresent() ? "https://" : "http://")
                + config.addresses().listen();
    }

    /**
     * Returns a summary of the node in one line.
     *
     * @return for example {@code n1 https://127.0.0.1:8080 grpc=127.0.0.1:9090 transport=grpc/stream tls=on tokens=on}
     */
    public String summary() {
        SecurityConfig security = config.security();
        return config.id() + " " + url()
                + config.addresses().grpc().map(address -> " grpc=" + address).orElse("")
                + " transport=" + transportName
                + " tls=" + (security.tls().isPresent() ? "on" : "off")
                + " tokens=" + (security.tokens().isPresent() ? "on" : "off");
    }

    /**
     * Announces the end of the node to clients, and continues to serve for the configured time, so that clients that
     * honor the announcement lose no call. Returns at once if the cluster has no other node, or when the node can no
     * longer serve. Blocks.
     */
    public void awaitClientsToLeave() {
        announcements.forEach(Runnable::run);
        if (cluster.topology().size() > 1) {
            BoundedWait.upTo(config.clients().shutdownDelay(), failure);
        }
    }

    /**
     * Stops accepting requests, waits for those in flight, and closes all resources. Blocks, usually for milliseconds,
     * at most for some seconds. May be called repeatedly.
     */
    @Override
    public synchronized void close() {
        closer.close();
    }

    /**
     * Asks the replicas of a key, so that the first request of a user does not pay for loading classes and connecting.
     * Failures are ignored: other nodes need not run yet. It is no call that metrics, traces or slow calls show.
     */
    private static void warmUp(Cluster cluster) {
        cluster.operations()
                .diagnostics()
                .ifPresent(node -> node.replicas(
                                Key.of("warm-up"), CallOptions.defaults().withTimeout(WARM_UP))
                        .handle((replicas, error) -> error == null)
                        .toCompletableFuture()
                        .join());
    }
}
