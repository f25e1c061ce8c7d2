package io.dht4j.simulator.contract;

import static io.dht4j.simulator.contract.Results.PATIENCE;

import io.dht4j.Cluster;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.Topology;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.core.SystemEnvironment;
import io.dht4j.core.options.Membership;
import io.dht4j.spi.RemoteApi;
import io.dht4j.testkit.network.LoopbackNetwork;
import io.dht4j.testkit.store.ModelStore;
import io.dht4j.testkit.topology.ModelTopologyGroup;
import io.dht4j.testkit.topology.ModelTopologyLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * The contract of every {@link RemoteApi}, over its real server, with a cluster of three nodes in this process. The
 * contract is composed of suites, one for each subject: single keys, batches and scans, atomic keys, the state of the
 * cluster, its membership, trace contexts, and failures. No test measures time: deadlines are long where an answer is
 * expected and short where none is.
 */
public abstract class RemoteApiContract
        implements SingleKeysSuite,
                BatchesAndScansSuite,
                ClusterStateSuite,
                AtomicsSuite,
                MembershipSuite,
                TraceContextSuite,
                RemoteFailuresSuite {

    private final List<Cluster> clusters = new ArrayList<>();
    private final List<Server> servers = new ArrayList<>();
    private final SystemEnvironment environment = SystemEnvironment.create("remote-contract");
    private RemoteApi api;

    /** Constructor for subclasses. */
    @SuppressWarnings("NullAway.Init") // set before each test
    protected RemoteApiContract() {}

    /** A listener of the API. */
    public interface Server extends AutoCloseable {

        /**
         * Returns the listening address.
         *
         * @return {@code host:port}
         */
        String address();

        /** Announces that it is about to close, and serves as before. By default it has no way to announce that. */
        default void announceStop() {}

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
    @Override
    public abstract RemoteApi newApi();

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

    @Override
    public final String agreedAddress() throws Exception {
        NodeId self = new NodeId("a0");
        Cluster cluster = ClusterBuilder.of(Membership.bootstrap(
                        self,
                        List.of(Node.of(self.value(), "a0:1")),
                        (ref, initial, any) ->
                                new ModelTopologyLog(new ModelTopologyGroup(initial, 20), ref, environment)))
                .partitions(16)
                .transport(LoopbackNetwork.on(environment).transport("a0:1"))
                .store(new ModelStore())
                .environment(environment)
                .timeout(PATIENCE)
                .maxValueBytes(MAX_VALUE_BYTES)
                .drainTimeout(Duration.ZERO)
                .start();
        clusters.add(cluster);
        return served(cluster).address();
    }

    @Override
    public final Server served(Cluster cluster) throws Exception {
        Server server = serve(cluster);
        servers.add(server);
        return server;
    }

    @Override
    public final RemoteApi api() {
        return api;
    }

    @Override
    public final List<Cluster> clusters() {
        return clusters;
    }

    @Override
    public final List<Server> servers() {
        return servers;
    }
}
