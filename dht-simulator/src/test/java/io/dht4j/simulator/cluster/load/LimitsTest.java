package io.dht4j.simulator.cluster.load;

import static io.dht4j.simulator.cluster.SimulatedCluster.id;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.Node;
import io.dht4j.Scan;
import io.dht4j.ScanScope;
import io.dht4j.Topology;
import io.dht4j.Value;
import io.dht4j.Version;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.core.HashFunctions;
import io.dht4j.simulator.cluster.BlockingStore;
import io.dht4j.simulator.cluster.SimulatedCluster;
import io.dht4j.spi.PartitionTable;
import io.dht4j.spi.Placement;
import io.dht4j.spi.StoreException;
import io.dht4j.spi.Transport;
import io.dht4j.spi.TransportException;
import io.dht4j.testkit.network.Fault;
import io.dht4j.testkit.network.LoopbackNetwork;
import io.dht4j.testkit.store.ModelStore;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class LimitsTest {

    private static final Key KEY = Key.of("key");
    private static final CallOptions ALL_OF_THREE = CallOptions.defaults().withPolicy(3, 3);

    @Test
    void aNodeWhoseClockIsFarAheadTakesNoWrites() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3)
                .clocks(i -> i == 0 ? Duration.ofSeconds(61) : Duration.ZERO)
                .start()) {
            cluster.env.advance(Duration.ofSeconds(3));
            DhtException failure = cluster.failureOf(cluster.node(0).put(KEY, new byte[1]));
            assertThat(failure.code()).isEqualTo(ErrorCode.CLOCK_CONTRADICTED);
            assertThat(failure)
                    .hasMessageContaining("the clock of this node is 60.9 s")
                    .hasMessageContaining("ahead of n1, n2");
            assertThat(cluster.stores.get(0).get(KEY)).isEmpty();
            assertThat(cluster.stores.get(1).get(KEY)).isEmpty();
            assertThat(cluster.stores.get(2).get(KEY)).isEmpty();

            // The others are not poisoned: their own writes keep the right time.
            Version version = cluster.await(cluster.node(1).put(Key.of("other"), new byte[1]));
            assertThat(version.millis())
                    .isEqualTo(cluster.env.withClockOffset(Duration.ZERO).currentTimeMillis());
        }
    }

    @Test
    void aNodeWhoseClockIsALittleAheadIsFollowed() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3)
                .clocks(i -> i == 0 ? Duration.ofSeconds(59) : Duration.ZERO)
                .start()) {
            Version ahead = cluster.await(cluster.node(0).put(KEY, new byte[] {1}, ALL_OF_THREE));
            Version later = cluster.await(cluster.node(1).put(KEY, new byte[] {2}, ALL_OF_THREE));
            assertThat(later).isGreaterThan(ahead);
            assertThat(cluster.await(cluster.node(2).get(KEY)).orElseThrow().bytes())
                    .containsExactly(2);
        }
    }

    @Test
    void startingNodeLearnsTheTimeFromItsPeers() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3)
                .clocks(i -> i == 2 ? Duration.ofSeconds(-50) : Duration.ZERO)
                .start()) {
            Version first = cluster.await(cluster.node(0).put(KEY, new byte[] {1}, ALL_OF_THREE));
            cluster.env.advance(Duration.ofMillis(1));
            Version second = cluster.await(cluster.node(2).put(KEY, new byte[] {2}, ALL_OF_THREE));
            assertThat(second).isGreaterThan(first);
        }
    }

    @Test
    void callsBeyondTheLimitAreRefusedAtOnceAndRoomComesBack() {
        try (SimulatedCluster cluster =
                SimulatedCluster.of(1, 3).options(b -> b.maxInFlight(5)).start()) {
            cluster.env.advance(Duration.ofSeconds(3));
            cluster.links.get(0).towardAll(Fault.loseRequest());
            Cluster node = cluster.node(0);
            List<CompletionStage<?>> admitted = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                admitted.add(node.put(Key.of("k" + i), new byte[1]));
            }
            List<DhtException> refused = List.of(
                    cluster.failureOf(node.get(KEY)),
                    cluster.failureOf(node.put(KEY, new byte[1])),
                    cluster.failureOf(node.delete(KEY)),
                    cluster.failureOf(node.getAll(List.of(KEY))),
                    cluster.failureOf(node.putAll(Map.of(KEY, new byte[1]))),
                    cluster.failureOf(node.scan(KeyRange.all()).next()));
            assertThat(refused).allSatisfy(e -> {
                assertThat(e.code()).isEqualTo(ErrorCode.OVERLOADED);
                assertThat(e).hasMessageContaining("5");
            });
            assertThat(admitted).noneMatch(stage -> stage.toCompletableFuture().isDone());
            cluster.env.advance(Duration.ofSeconds(1));
            assertThat(admitted).allMatch(stage -> stage.toCompletableFuture().isCompletedExceptionally());
            cluster.heal();
            cluster.await(node.put(KEY, new byte[1]));
        }
    }

    @Test
    void callsWhoseCallerCompletesTheirFuturesLeaveTheirRoom() {
        try (SimulatedCluster cluster =
                SimulatedCluster.of(1, 3).options(b -> b.maxInFlight(1)).start()) {
            Cluster node = cluster.node(0);
            cluster.await(node.put(KEY, new byte[1], ALL_OF_THREE));
            List<Supplier<CompletionStage<?>>> calls = List.of(
                    () -> node.get(KEY, ALL_OF_THREE),
                    () -> node.getAll(List.of(KEY), ALL_OF_THREE),
                    () -> node.scan(KeyRange.all(), ScanScope.CLUSTER, CallOptions.defaults())
                            .next(),
                    () -> node.openSnapshot(Duration.ofMinutes(1), CallOptions.defaults()));
            for (Supplier<CompletionStage<?>> call : calls) {
                cluster.links.get(0).towardAll(Fault.delay(Duration.ofMillis(20), Duration.ofMillis(20)));
                CompletableFuture<?> given = call.get().toCompletableFuture();
                assertThat(given).isNotDone();
                given.completeExceptionally(new IllegalStateException("the caller waits no longer"));
                cluster.env.advance(SimulatedCluster.BOUND);
                cluster.heal();
                assertThat(cluster.await(node.get(KEY, ALL_OF_THREE))).isPresent();
            }
        }
    }

    @Test
    void scanStaysFailedWhenItsCallerCompletesTheFutureFirst() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            cluster.await(cluster.node(0).put(KEY, new byte[1], ALL_OF_THREE));
            Scan scan = cluster.node(0).scan(KeyRange.all(), ScanScope.CLUSTER, ALL_OF_THREE);
            cluster.links.get(0).towardAll(Fault.loseRequest());
            scan.next().toCompletableFuture().cancel(false);
            cluster.env.advance(SimulatedCluster.BOUND);
            cluster.heal();
            assertThat(cluster.failureOf(scan.next()).code()).isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
        }
    }

    @Test
    void callsThatAreDoneAtOnceLeaveTheirRoomAtOnce() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3)
                .options(b -> b.maxInFlight(1))
                .stores(i -> BlockingStore.memoryFast())
                .start()) {
            CallOptions one = CallOptions.defaults().withPolicy(1, 3);
            cluster.await(cluster.node(0).put(KEY, new byte[] {7}, ALL_OF_THREE));
            for (int i = 0; i < 10; i++) {
                CompletableFuture<Optional<Value>> call =
                        cluster.node(0).get(KEY, one).toCompletableFuture();
                assertThat(call).isCompletedWithValueMatching(Optional::isPresent);
            }
            // Nor was more let out than came in: the bound still holds.
            cluster.links.get(0).towardAll(Fault.loseRequest());
            CompletionStage<Optional<Value>> slow = cluster.node(0).get(KEY, ALL_OF_THREE);
            assertThat(slow.toCompletableFuture()).isNotDone();
            assertThat(cluster.failureOf(cluster.node(0).get(KEY, one)).code()).isEqualTo(ErrorCode.OVERLOADED);
        }
    }

    @Test
    void writesOverTheByteLimitAreRefusedUnlessAlone() {
        try (SimulatedCluster cluster =
                SimulatedCluster.of(1, 3).options(b -> b.maxInFlightBytes(1000)).start()) {
            Cluster node = cluster.node(0);
            cluster.await(node.put(KEY, new byte[5000]));
            cluster.links.get(0).towardAll(Fault.loseRequest());
            CompletionStage<Version> slow = node.put(KEY, new byte[600]);
            assertThat(cluster.failureOf(node.put(KEY, new byte[600])).code()).isEqualTo(ErrorCode.OVERLOADED);
            CompletionStage<Version> small = node.put(KEY, new byte[100]);
            assertThat(cluster.failureOf(small).code()).isEqualTo(ErrorCode.WRITE_INDETERMINATE);
            assertThat(cluster.failureOf(slow).code()).isEqualTo(ErrorCode.WRITE_INDETERMINATE);
            cluster.heal();
            cluster.await(node.put(KEY, new byte[600]));
        }
    }

    @Test
    void closedNodeServesNoCallsAndItsPeersDo() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            cluster.await(cluster.node(0).put(KEY, new byte[] {4}, ALL_OF_THREE));
            Cluster node = cluster.node(0);
            node.close();
            node.close();
            List<DhtException> refused = List.of(
                    cluster.failureOf(node.get(KEY)),
                    cluster.failureOf(node.put(KEY, new byte[1])),
                    cluster.failureOf(node.delete(KEY)),
                    cluster.failureOf(node.getAll(List.of(KEY))),
                    cluster.failureOf(node.putAll(Map.of(KEY, new byte[1]))),
                    cluster.failureOf(node.scan(KeyRange.all()).next()),
                    cluster.failureOf(node.scan(KeyRange.all(), ScanScope.NODE, CallOptions.defaults())
                            .next()));
            assertThat(refused).allSatisfy(e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_SERVING));
            assertThat(cluster.await(cluster.node(1).get(KEY)).map(Value::bytes))
                    .hasValueSatisfying(bytes -> assertThat(bytes).containsExactly(4));
        }
    }

    @Test
    void callsUnderWayWhenTheirNodeClosesStillComplete() {
        try (SimulatedCluster cluster =
                SimulatedCluster.of(1, 3).stores(i -> new BlockingStore()).start()) {
            cluster.links.get(0).towardAll(Fault.loseRequest());
            Cluster node = cluster.node(0);
            List<CompletionStage<?>> underWay = List.of(
                    node.get(KEY),
                    node.put(KEY, new byte[1]),
                    node.getAll(List.of(KEY)),
                    node.scan(KeyRange.all()).next());
            node.close();
            cluster.env.advance(Duration.ofSeconds(1));
            assertThat(underWay).allMatch(stage -> stage.toCompletableFuture().isCompletedExceptionally());
        }
    }

    @Test
    void twoClustersLiveInOneProcessWithoutMixing() {
        VirtualEnvironment env = VirtualEnvironment.seeded(1);
        LoopbackNetwork network = LoopbackNetwork.on(env);
        try (SimulatedCluster red =
                        SimulatedCluster.of(1, 3).on(env, network, "red-").start();
                SimulatedCluster blue =
                        SimulatedCluster.of(1, 3).on(env, network, "blue-").start()) {
            red.await(red.node(0).put(KEY, new byte[] {1}, ALL_OF_THREE));
            blue.await(blue.node(0).put(KEY, new byte[] {2}, ALL_OF_THREE));
            for (int i = 0; i < 3; i++) {
                assertThat(red.await(red.node(i).get(KEY)).orElseThrow().bytes())
                        .containsExactly(1);
                assertThat(blue.await(blue.node(i).get(KEY)).orElseThrow().bytes())
                        .containsExactly(2);
            }
        }
    }

    @Test
    void aCoordinatorWithAnOldTopologyLearnsOfIt() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3)
                .topologies((i, t) -> i == 0 ? t : new Topology(t.epoch() + 1, t.nodes()))
                .start()) {
            DhtException read = cluster.failureOf(cluster.node(0).get(KEY));
            assertThat(read.code().action()).isEqualTo(ErrorCode.Action.RETRY_ANYWHERE);
            assertThat(read).hasMessageContaining("epoch 1").hasMessageContaining("2");
            DhtException write = cluster.failureOf(cluster.node(0).put(KEY, new byte[1]));
            assertThat(write).hasMessageContaining("epoch 1");
            // The newer ones go on among themselves, and may use the older one.
            cluster.await(cluster.node(1).put(KEY, new byte[1], ALL_OF_THREE));
        }
    }

    @Test
    void refusalNamesTheDifferenceInPlacement() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3)
                .options((i, b) -> i == 0 ? b.hash(HashFunctions.murmur3()) : b)
                .start()) {
            DhtException failure = cluster.failureOf(cluster.node(0).get(KEY));
            assertThat(failure).hasMessageContaining("hash: murmur3 at n0, xxh3 at n1");
            cluster.await(
                    cluster.node(1).put(KEY, new byte[1], CallOptions.defaults().withPolicy(2, 3)));
            DhtException both = cluster.failureOf(cluster.node(1).put(KEY, new byte[1], ALL_OF_THREE));
            assertThat(both).hasMessageContaining(id(0).value());
        }
    }

    @Test
    void aNodeThatCannotStartClosesItsTransportAndItsStore() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            ModelStore store = new ModelStore();
            ClusterBuilder second = ClusterBuilder.of("n1", cluster.topology)
                    .transport(cluster.network.transport("host1:1"))
                    .store(store)
                    .environment(cluster.env);
            assertThatIllegalStateException()
                    .isThrownBy(second::start)
                    .withMessageContaining("host1")
                    .withCauseInstanceOf(TransportException.class)
                    .satisfies(e -> assertThat(e.getStackTrace())
                            .anyMatch(frame -> frame.getClassName().equals(LimitsTest.class.getName())));
            assertThatExceptionOfType(StoreException.class).isThrownBy(store::entries);
            // The node that was there before is not disturbed.
            cluster.await(cluster.node(0).put(KEY, new byte[1], ALL_OF_THREE));
        }
    }

    @Test
    void throwingPlacementClosesTransportAndStore() {
        VirtualEnvironment env = VirtualEnvironment.seeded(1);
        Transport transport = LoopbackNetwork.on(env).transport("host0:1");
        ModelStore store = new ModelStore();
        IllegalStateException fault = new IllegalStateException("no table");
        ClusterBuilder builder = ClusterBuilder.of("n0", Topology.of(Node.of("n0", "host0:1")))
                .transport(transport)
                .store(store)
                .environment(env)
                .placement(new Placement() {
                    @Override
                    public PartitionTable assign(Topology topology, int partitions) {
                        throw fault;
                    }

                    @Override
                    public String name() {
                        return "faulty";
                    }
                });
        assertThatIllegalStateException()
                .isThrownBy(builder::start)
                .withMessage("no table")
                .withCause(fault);
        assertThatExceptionOfType(StoreException.class).isThrownBy(store::entries);
        assertThat(transport
                        .start((request, context) -> CompletableFuture.completedFuture(request))
                        .toCompletableFuture())
                .isCompletedExceptionally();
    }
}
