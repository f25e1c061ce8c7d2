package io.dht4j.server;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.spi.MemoryBudget;
import io.dht4j.spi.Store;
import io.dht4j.spi.StoreException;
import io.dht4j.spi.Transport;
import io.dht4j.spi.TransportException;
import io.dht4j.store.mvstore.Rebuild;
import java.nio.file.Path;
import java.time.Duration;
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
    private final Opened opened;
    private final String transportName;
    private final CompletableFuture<String> failure;

    private ServerNode(
            ServerConfig config,
            Cluster cluster,
            Opened opened,
            String transportName,
            CompletableFuture<String> failure) {
        this.failure = failure;
        this.config = config;
        this.cluster = cluster;
        this.opened = opened;
        this.transportName = transportName;
    }

    /**
     * Moves the files of a damaged store aside, so that the node starts empty and gets its entries back from the other
     * replicas. Must be called before {@link #start}; until the refill is done, every start continues it. Blocks.
     *
     * @param config of the node
     * @return one line that says where the files are
     * @throws ServerStartException if there is nothing on disk, no other replica, or the directory cannot be used
     */
    public static String rebuild(ServerConfig config) throws ServerStartException {
        Path data = config.store().data();
        if (config.store().kind() == StoreChoice.Kind.MEMORY) {
            throw new ServerStartException("--rebuild needs a store on disk: this one keeps nothing");
        }
        int replicas = config.placement()
                .replicationFactor()
                .orElse(Math.min(3, config.topology().size()));
        if (replicas == 1) {
            throw new ServerStartException("--rebuild needs other replicas, and the replication factor is 1: restore "
                    + data + " from a backup");
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
     * @param config what to run
     * @return the node, to be closed
     * @throws ServerStartException if the directory or a file cannot be used, or a port is not free; nothing is left
     *     open then
     */
    public static ServerNode start(ServerConfig config) throws ServerStartException {
        return start(config, Assembly.STANDARD, MemoryBudget.ofHeap());
    }

    /**
     * Starts a node as {@link #start(ServerConfig)} does, as one of several nodes in this process.
     *
     * @param config what to run
     * @param memory what this node may take; its largest value is that of the configuration
     * @return the node, to be closed
     * @throws ServerStartException if the directory or a file cannot be used, or a port is not free; nothing is left
     *     open then
     */
    public static ServerNode start(ServerConfig config, MemoryBudget memory) throws ServerStartException {
        return start(config, Assembly.STANDARD, memory);
    }

    /**
     * Starts a node as {@link #start(ServerConfig)} does, with parts assembled in another way.
     *
     * @param config what to run
     * @param assembly how
     * @return the node, to be closed
     * @throws ServerStartException if the directory or a file cannot be used, or a port is not free; nothing is left
     *     open then
     */
    public static ServerNode start(ServerConfig config, Assembly assembly) throws ServerStartException {
        return start(config, assembly, MemoryBudget.ofHeap());
    }

    private static ServerNode start(ServerConfig config, Assembly assembly, MemoryBudget memory)
            throws ServerStartException {
        Opened opened = new Opened();
        try {
            return start(config, assembly, memory, opened);
        } catch (StoreException | TransportException | IllegalArgumentException e) {
            opened.closeAfter(e);
            throw new ServerStartException(String.valueOf(e.getMessage()), e);
        } catch (RuntimeException | Error e) {
            opened.closeAfter(e);
            throw e;
        }
    }

    private static ServerNode start(ServerConfig config, Assembly assembly, MemoryBudget memory, Opened opened) {
        Parts parts = new Parts(config, memory);
        parts.requireNoUnwantedPlaintext();
        parts.warnOfForeignCertificate(LOG::warn);
        parts.warnOfOpenSecrets(LOG::warn);
        // Otherwise a mistyped port would leave an unwanted data directory behind.
        parts.requireStartable();
        // The store first: this node must not be reachable until it owns its directory.
        Store store = opened.add(parts.store());
        Transport transport = opened.add(parts.transport());
        Cluster cluster = opened.add(parts.cluster(transport, store, assembly));
        warmUp(cluster);
        CompletableFuture<String> failure = new CompletableFuture<>();
        cluster.failure().thenAccept(failure::complete);
        opened.add(parts.httpApi(transport, cluster)).failure().thenAccept(failure::complete);
        config.addresses()
                .grpc()
                .ifPresent(address ->
                        opened.add(parts.grpcApi(address, cluster)).failure().thenAccept(failure::complete));
        return new ServerNode(config, cluster, opened, transport.name(), failure);
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
     * Stops taking requests, waits for those in flight, and closes everything. Blocks, usually for milliseconds, at
     * most for some seconds. May be called repeatedly.
     */
    @Override
    public synchronized void close() {
        opened.close();
    }

    /**
     * Asks every node for a key, so that the first request of a user does not pay for loading classes and connecting.
     * Failures are ignored: other nodes need not run yet.
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
}
