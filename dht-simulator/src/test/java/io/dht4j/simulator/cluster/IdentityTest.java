package io.dht4j.simulator.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.dht4j.CallOptions;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.Topology;
import io.dht4j.Value;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Frame;
import io.dht4j.spi.FrameHandler;
import io.dht4j.spi.Transport;
import io.dht4j.testkit.network.ForwardingTransport;
import io.dht4j.testkit.store.ModelStore;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nobody answers for somebody else, however wrong a list of nodes is. */
class IdentityTest {

    private static final Key KEY = Key.of("key");
    /** The longest time for which a node keeps a connection over which another node answers, and pings it. */
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(15);

    private static final CallOptions ALL = CallOptions.defaults().withPolicy(3, 3);
    private static final CallOptions MAJORITY = CallOptions.defaults().withPolicy(2, 3);

    /**
     * A topology in which nodes have the addresses of others: the one at each place that of the one whose number stands
     * there.
     */
    private static Topology withAddressesOf(Topology topology, int... numbers) {
        List<Node> nodes = new ArrayList<>();
        for (int i = 0; i < numbers.length; i++) {
            Node node = topology.nodes().get(i);
            nodes.add(new Node(node.id(), topology.nodes().get(numbers[i]).address(), node.weight()));
        }
        return new Topology(topology.epoch(), nodes);
    }

    @Test
    void misaddressedNodeDoesNothingAndCountsForNoReplica() {
        // Only the first one's list is wrong: it has the others' addresses the wrong way round.
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3)
                .topologies((i, topology) -> i == 0 ? withAddressesOf(topology, 0, 2, 1) : topology)
                .start()) {
            DhtException failure = cluster.failureOf(cluster.node(0).put(KEY, new byte[1], MAJORITY));
            assertThat(failure.code()).isEqualTo(ErrorCode.WRITE_INDETERMINATE);
            assertThat(failure)
                    .hasMessageContaining("the node at its address host")
                    .hasMessageContaining(" is n");
            cluster.env.advance(Duration.ofSeconds(10));
            assertThat(cluster.stores.get(1).get(KEY)).isEmpty();
            assertThat(cluster.stores.get(2).get(KEY)).isEmpty();
            assertThat(cluster.await(cluster.node(0).operations().status()).disagreeing())
                    .hasSize(2);
            assertThat(cluster.await(cluster.node(1).operations().status()).disagreeing())
                    .isEmpty();
            assertThat(cluster.failureOf(cluster.node(0).get(KEY, MAJORITY)).code())
                    .isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
            cluster.await(cluster.node(1).put(KEY, new byte[] {7}, ALL));
        }
    }

    @Test
    void nodesAreFoundByNameAfterTheyExchangeAddresses() {
        // The name service is late: at first each of two names leads to the other node.
        Map<String, String> names = new HashMap<>(Map.of("host1:1", "host2:1", "host2:1", "host1:1"));
        AtomicInteger connected = new AtomicInteger();
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3)
                .wires((i, wire) -> i == 0 ? new Named(wire, names, connected) : wire)
                .start()) {
            DhtException failure = cluster.failureOf(cluster.node(0).put(KEY, new byte[1], ALL));
            assertThat(failure).hasMessageContaining("the node at its address host");
            cluster.env.advance(Duration.ofMinutes(10));
            // Connections are replaced with a growing pause, not with each refused call.
            assertThat(connected.get()).isBetween(10, 200);

            names.clear();
            cluster.env.advance(LONGEST_PAUSE);
            cluster.await(cluster.node(0).put(KEY, new byte[] {7}, ALL));
            assertThat(cluster.await(cluster.node(0).operations().status()).disagreeing())
                    .isEmpty();
            int before = connected.get();
            cluster.env.advance(Duration.ofMinutes(10));
            assertThat(connected.get()).isEqualTo(before);
        }
    }

    /** A name is looked up for each connection, and a connection lasts until its node is forgotten. */
    private static final class Named extends ForwardingTransport {

        private final Map<String, String> names;
        private final AtomicInteger connected;
        private final Map<String, String> connections = new HashMap<>();

        Named(Transport transport, Map<String, String> names, AtomicInteger connected) {
            super(transport);
            this.names = names;
            this.connected = connected;
        }

        @Override
        public CompletionStage<byte[]> call(Node node, Frame request, CallContext context) {
            String leadsTo = connections.computeIfAbsent(node.address(), name -> {
                connected.incrementAndGet();
                return names.getOrDefault(name, name);
            });
            return super.call(new Node(node.id(), leadsTo, node.weight()), request, context);
        }

        @Override
        public void forget(Node node) {
            connections.remove(node.address());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void acknowledgedWritesSurviveSwappedAddresses(boolean swappedAtFirst) {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 5)
                .topologies((i, topology) ->
                        (i == 0) == swappedAtFirst && i < 2 ? withAddressesOf(topology, 0, 1, 4, 3, 2) : topology)
                .start()) {
            List<Key> acknowledged = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                Key key = Key.of("key-" + i);
                CompletableFuture<?> put =
                        cluster.node(i % 5).put(key, new byte[] {1}).toCompletableFuture();
                cluster.env.runUntil(put::isDone, SimulatedCluster.BOUND);
                if (!put.isCompletedExceptionally()) {
                    acknowledged.add(key);
                }
            }
            assertThat(acknowledged).hasSizeGreaterThan(200);
            for (Key key : acknowledged) {
                for (int reader = 2; reader < 5; reader++) {
                    assertThat(cluster.await(cluster.node(reader).get(key)).map(Value::bytes))
                            .as("%s at node %d", key, reader)
                            .hasValue(new byte[] {1});
                }
            }
        }
    }

    @Test
    void refusalNamesBothReplicationFactors() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3)
                .options((i, builder) -> builder.replicationFactor(i == 2 ? 2 : 3))
                .start()) {
            assertThat(cluster.failureOf(cluster.node(2).put(KEY, new byte[1], ALL)))
                    .hasMessageContaining("replication factor: 2 at n2, 3 at n");
            assertThat(cluster.failureOf(cluster.node(0).put(KEY, new byte[1], ALL)))
                    .hasMessageContaining("replication factor: 3 at n0, 2 at n2");
            cluster.await(cluster.node(0).put(KEY, new byte[1], MAJORITY));
        }
    }

    @Test
    void anotherOrderOfTheNodesIsNamedAsSuch() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3)
                .topologies((i, topology) -> {
                    List<Node> nodes = new ArrayList<>(topology.nodes());
                    nodes.add(i == 1 ? 0 : 2, nodes.remove(2));
                    return new Topology(1, nodes);
                })
                .start()) {
            assertThat(cluster.failureOf(cluster.node(0).put(KEY, new byte[1], ALL)))
                    .hasMessageContaining("nodes in another order: (n0, n1, n2) at n0, (n2, n0, n1) at n1");
        }
    }

    @Test
    void twoNamesOfOneEndpointAreRefusedAtTheStart() {
        Topology topology = Topology.of(Node.of("n1", "one:1"), Node.of("n2", "two:1"), Node.of("n3", "uno:1"));
        Resolving transport =
                new Resolving(List.of(Set.of("10.0.0.1:1"), Set.of("10.0.0.2:1"), Set.of("::1:1", "10.0.0.1:1")));
        assertThatIllegalStateException()
                .isThrownBy(() -> start(topology, transport))
                .withMessage("nodes n1 and n3 have the same address: one:1 and uno:1 are both 10.0.0.1:1");
        assertThat(transport.closed).isTrue();
    }

    @Test
    void aNameThatCannotBeResolvedYetIsNoObstacle() {
        Topology topology = Topology.of(Node.of("n1", "one:1"), Node.of("n2", "two:1"), Node.of("n3", "uno:1"));
        start(topology, new Resolving(List.of(Set.of("10.0.0.1:1"), Set.of(), Set.of())))
                .run();
        // Nor is a name service that fails.
        start(topology, new Resolving(List.of())).run();
    }

    /** Starts a node; what is returned closes it. */
    private static Runnable start(Topology topology, Transport transport) {
        return ClusterBuilder.of("n1", topology)
                .transport(transport)
                .store(new ModelStore())
                .environment(VirtualEnvironment.seeded(1))
                .drainTimeout(Duration.ZERO)
                .start()::close;
    }

    /** Reports endpoints, and calls nobody. */
    private static final class Resolving implements Transport {

        private final List<Set<String>> endpoints;
        private boolean closed;

        Resolving(List<Set<String>> endpoints) {
            this.endpoints = endpoints;
        }

        @Override
        public CompletionStage<Void> start(FrameHandler handler) {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletionStage<byte[]> call(Node node, Frame request, CallContext context) {
            return new CompletableFuture<>();
        }

        @Override
        public CompletionStage<List<Set<String>>> endpoints(List<Node> nodes) {
            return endpoints.isEmpty()
                    ? CompletableFuture.failedFuture(new CompletionException(new IllegalStateException("no service")))
                    : CompletableFuture.completedFuture(endpoints);
        }

        @Override
        public String name() {
            return "resolving";
        }

        @Override
        public void close() {
            closed = true;
        }
    }
}
