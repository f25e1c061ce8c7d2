package io.dht4j.simulator.contract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.DhtException;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.Topology;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.core.SystemEnvironment;
import io.dht4j.spi.RemoteApi;
import io.dht4j.testkit.network.LoopbackNetwork;
import io.dht4j.testkit.store.ModelStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * The fixture of the contract of {@link RemoteApi}: a client, and the real servers of a cluster of three nodes in this
 * process.
 */
public abstract class RemoteApiHarness {

    /** How long a test waits for an expected event. */
    protected static final Duration PATIENCE = Duration.ofSeconds(30);

    static final CallOptions OPTIONS = CallOptions.defaults().withTimeout(PATIENCE);
    static final CallOptions EVERYWHERE = OPTIONS.withPolicy(3, 3);
    static final int MAX_VALUE_BYTES = 16 << 20;
    static final int MAX_BATCH = 500;
    static final Key KEY = Key.of("key");

    final List<Cluster> clusters = new ArrayList<>();
    final List<Server> servers = new ArrayList<>();
    private final SystemEnvironment environment = SystemEnvironment.create("remote-contract");
    RemoteApi api;

    /** Constructor for the contract. */
    @SuppressWarnings("NullAway.Init") // set before each test
    RemoteApiHarness() {}

    /** A listener of the API. */
    protected interface Server extends AutoCloseable {

        /**
         * Returns the listening address.
         *
         * @return {@code host:port}
         */
        String address();

        /** Stops listening and aborts running calls within seconds. May be called repeatedly. */
        @Override
        void close();
    }

    /**
     * Serves a cluster through the API on a free port of this machine. The options are the defaults, except for values
     * up to 16 MiB, no tokens and no TLS.
     *
     * @param cluster the cluster to serve; the contract closes it
     * @return a listener that accepts connections, which the contract closes
     * @throws Exception if it cannot listen
     */
    protected abstract Server serve(Cluster cluster) throws Exception;

    /**
     * Creates a client with the default options.
     *
     * @return a new client, which the contract closes
     */
    protected abstract RemoteApi newApi();

    @BeforeEach
    final void startCluster() throws Exception {
        Topology topology = Topology.of(Node.of("n0", "h0:1"), Node.of("n1", "h1:1"), Node.of("n2", "h2:1"));
        LoopbackNetwork network = LoopbackNetwork.on(environment);
        for (Node node : topology.nodes()) {
            Cluster cluster = ClusterBuilder.of(node.id(), topology)
                    .transport(network.transport(node.address()))
                    .store(new ModelStore())
                    .environment(environment)
                    .timeout(PATIENCE)
                    .maxValueBytes(MAX_VALUE_BYTES)
                    .maxBatch(MAX_BATCH)
                    .drainTimeout(Duration.ZERO)
                    .start();
            clusters.add(cluster);
            served(cluster);
        }
        api = newApi();
    }

    @AfterEach
    final void closeAll() {
        api.close();
        servers.forEach(Server::close);
        clusters.forEach(Cluster::close);
        environment.close();
    }

    final Server served(Cluster cluster) throws Exception {
        Server server = serve(cluster);
        servers.add(server);
        return server;
    }

    final String address(int node) {
        return servers.get(node).address();
    }

    static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    static <T> T result(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new AssertionError("expected a result", DhtException.unwrap(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    static DhtException failure(CompletionStage<?> stage) {
        try {
            Object result = stage.toCompletableFuture().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            throw new AssertionError("expected a failure, not " + result);
        } catch (ExecutionException e) {
            assertThat(DhtException.unwrap(e)).isInstanceOf(DhtException.class);
            return (DhtException) DhtException.unwrap(e);
        } catch (TimeoutException e) {
            throw new AssertionError("the call hangs", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }
}
