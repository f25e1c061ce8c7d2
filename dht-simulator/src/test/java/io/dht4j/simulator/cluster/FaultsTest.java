package io.dht4j.simulator.cluster;

import static io.dht4j.simulator.cluster.SimulatedCluster.bytes;
import static io.dht4j.simulator.cluster.SimulatedCluster.id;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Hedging;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.Ordering;
import io.dht4j.ReadFanOut;
import io.dht4j.ScanScope;
import io.dht4j.Topology;
import io.dht4j.Value;
import io.dht4j.testkit.network.Fault;
import io.dht4j.testkit.store.ModelStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FaultsTest {

    private static final CallOptions ALL_OF_THREE = CallOptions.defaults().withPolicy(3, 3);
    private static final CallOptions TWO_OF_THREE = CallOptions.defaults().withPolicy(2, 3);

    @ParameterizedTest
    @EnumSource
    void callWithASilentPeerFailsAtItsDeadline(ReadFanOut fanOut) {
        try (SimulatedCluster cluster =
                SimulatedCluster.of(1, 3).options(b -> b.readFanOut(fanOut)).start()) {
            Key key = cluster.keyOf(0, 0);
            cluster.towardNode(1, Fault.loseRequest());
            CallOptions options = ALL_OF_THREE.withTimeout(Duration.ofMillis(300));
            Duration before = cluster.env.elapsed();

            DhtException read = cluster.failureOf(cluster.node(0).get(key, options));
            assertThat(cluster.env.elapsed().minus(before)).isEqualTo(Duration.ofMillis(300));
            assertThat(read.code()).isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
            assertThat(read).hasMessageContaining("2 of 3");

            DhtException write = cluster.failureOf(cluster.node(0).put(key, bytes("x"), options));
            assertThat(cluster.env.elapsed().minus(before)).isEqualTo(Duration.ofMillis(600));
            assertThat(write.code()).isEqualTo(ErrorCode.WRITE_INDETERMINATE);
            assertThat(write).hasMessageContaining("2 of 3");
        }
    }

    @Test
    void deadlinesNameTheSilentNodes() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            Key key = cluster.keyOf(0, 0);
            CallOptions options = TWO_OF_THREE.withTimeout(Duration.ofSeconds(2));
            CallOptions linearizable = options.withOrdering(Ordering.LINEARIZABLE);
            cluster.await(cluster.node(0).put(key, bytes("v"), ALL_OF_THREE));
            cluster.env.advance(Duration.ofSeconds(1));
            cluster.towardNode(1, Fault.loseRequest());
            cluster.towardNode(2, Fault.loseRequest());
            Cluster node = cluster.node(0);

            for (CompletionStage<?> call : List.of(
                    node.put(key, bytes("x"), options),
                    node.delete(key, options),
                    node.putAll(Map.of(key, bytes("x"), Key.of("other"), bytes("y")), options),
                    node.put(key, bytes("x"), linearizable),
                    node.get(key, options),
                    node.getAll(List.of(key, Key.of("other")), options),
                    node.scan(KeyRange.all(), ScanScope.CLUSTER, options).next())) {
                assertThat(cluster.failureOf(call))
                        .hasMessageContaining("; " + id(1) + ": ")
                        .hasMessageContaining("; " + id(2) + ": ")
                        .hasMessageNotContaining(id(0) + ": ");
            }
        }
    }

    @Test
    void theDefaultTimeoutIsTheClusters() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3)
                .options(b -> b.timeout(Duration.ofMillis(70)))
                .start()) {
            cluster.towardNode(1, Fault.loseRequest());
            cluster.towardNode(2, Fault.loseRequest());
            Duration before = cluster.env.elapsed();
            cluster.failureOf(cluster.node(0).get(Key.of("k")));
            assertThat(cluster.env.elapsed().minus(before)).isEqualTo(Duration.ofMillis(70));
        }
    }

    @Test
    void aWriteDoesNotWaitForASilentPeerItDoesNotNeed() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            cluster.towardNode(2, Fault.loseRequest());
            Duration before = cluster.env.elapsed();
            cluster.await(cluster.node(0).put(Key.of("k"), bytes("v"), TWO_OF_THREE));
            assertThat(cluster.env.elapsed()).isEqualTo(before);
        }
    }

    @Test
    void aReadOfAllDoesNotWaitForASilentPeerItDoesNotNeed() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3)
                .options(b -> b.readFanOut(ReadFanOut.ALL))
                .start()) {
            Key key = cluster.keyOf(0, 0);
            cluster.await(cluster.node(0).put(key, bytes("v"), ALL_OF_THREE));
            cluster.towardNode(cluster.replica(key, 1), Fault.loseRequest());
            Duration before = cluster.env.elapsed();
            assertThat(cluster.await(cluster.node(0).get(key)).map(Value::text)).contains("v");
            assertThat(cluster.env.elapsed()).isEqualTo(before);
        }
    }

    @Test
    void readOfEnoughAsksExactlyEnoughReplicas() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 5).start()) {
            Key key = cluster.keyOf(0, 0);
            cluster.env.advance(Duration.ofSeconds(5));
            AtomicInteger calls = new AtomicInteger();
            cluster.links.get(0).towardAll(() -> {
                calls.incrementAndGet();
                return Fault.none();
            });
            cluster.await(cluster.node(0).get(key, CallOptions.defaults().withPolicy(1, 5)));
            assertThat(calls).hasValue(0);
            cluster.await(cluster.node(0).get(key, CallOptions.defaults().withPolicy(3, 5)));
            assertThat(calls).hasValue(2);
            cluster.await(
                    cluster.node(0).put(key, bytes("v"), CallOptions.defaults().withPolicy(1, 5)));
            assertThat(calls).hasValue(6);
        }
    }

    @Test
    void aHedgedReadAsksTheNextReplicaAfterTheDelay() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3)
                .options(b -> b.hedging(Hedging.after(Duration.ofMillis(20))))
                .start()) {
            Key key = cluster.keyOf(0, 0);
            cluster.await(cluster.node(0).put(key, bytes("v"), ALL_OF_THREE));
            cluster.towardNode(cluster.replica(key, 1), Fault.loseRequest());
            Duration before = cluster.env.elapsed();
            assertThat(cluster.await(cluster.node(0).get(key, TWO_OF_THREE)).map(Value::text))
                    .contains("v");
            assertThat(cluster.env.elapsed().minus(before)).isEqualTo(Duration.ofMillis(20));
        }
    }

    @Test
    void withoutAHedgeAReadWaitsForALatePeer() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            Key key = cluster.keyOf(0, 0);
            cluster.await(cluster.node(0).put(key, bytes("v"), ALL_OF_THREE));
            cluster.towardNode(cluster.replica(key, 1), Fault.delay(Duration.ofMillis(200), Duration.ofMillis(300)));
            Duration before = cluster.env.elapsed();
            assertThat(cluster.await(cluster.node(0).get(key, TWO_OF_THREE)).map(Value::text))
                    .contains("v");
            assertThat(cluster.env.elapsed().minus(before)).isEqualTo(Duration.ofMillis(500));
        }
    }

    @Test
    void aConnectionThatBreaksOnceIsTriedAgainAtOnce() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            Key key = cluster.keyOf(0, 0);
            AtomicInteger calls = new AtomicInteger();
            cluster.links
                    .get(0)
                    .toward(id(1), () -> calls.getAndIncrement() == 0 ? Fault.failAfterDelivery() : Fault.none());
            Duration before = cluster.env.elapsed();
            cluster.await(cluster.node(0).put(key, bytes("v"), ALL_OF_THREE));
            assertThat(calls).hasValue(2);
            assertThat(cluster.env.elapsed()).isEqualTo(before);
        }
    }

    @Test
    void writeFailedAfterDeliveryIsIndeterminate() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            Key key = cluster.keyOf(1, 0);
            cluster.links.get(0).towardAll(Fault.failAfterDelivery());
            DhtException failure = cluster.failureOf(
                    cluster.node(0).put(key, bytes("v"), CallOptions.defaults().withPolicy(1, 1)));
            assertThat(failure.code()).isEqualTo(ErrorCode.WRITE_INDETERMINATE);
            assertThat(cluster.await(cluster.node(2)
                                    .get(key, CallOptions.defaults().withPolicy(1, 1)))
                            .map(Value::text))
                    .contains("v");
        }
    }

    @Test
    void writeWithARefusedRetryIsIndeterminate() {
        AtomicLong epoch = new AtomicLong(1);
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3)
                .topologies((i, topology) -> new Topology(i == 1 ? epoch.get() : 1, topology.nodes()))
                .start()) {
            Key key = cluster.keyOf(1, 0);
            AtomicInteger calls = new AtomicInteger();
            cluster.links.get(0).toward(id(1), () -> {
                if (calls.getAndIncrement() == 0) {
                    return Fault.failAfterDelivery();
                }
                // Between the two tries the peer comes back with a newer topology, and so refuses the second one.
                epoch.set(2);
                cluster.stop(1);
                cluster.startNode(1, new ModelStore());
                return Fault.none();
            });
            DhtException failure = cluster.failureOf(
                    cluster.node(0).put(key, bytes("v"), CallOptions.defaults().withPolicy(1, 1)));
            assertThat(calls).hasValue(2);
            assertThat(failure).hasMessageContaining("epoch");
            assertThat(failure.code()).isEqualTo(ErrorCode.WRITE_INDETERMINATE);
        }
    }

    @Test
    void aCopyOfAnOldWriteThatArrivesLateChangesNothing() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            Key key = Key.of("k");
            cluster.links.get(0).towardAll(Fault.repeat(Duration.ofMillis(500)));
            cluster.await(cluster.node(0).put(key, bytes("old"), ALL_OF_THREE));
            cluster.heal();
            cluster.env.advance(Duration.ofMillis(1));
            cluster.await(cluster.node(1).delete(key, ALL_OF_THREE));
            cluster.env.advance(Duration.ofSeconds(1));
            for (int i = 0; i < 3; i++) {
                assertThat(cluster.await(
                                cluster.node(i).get(key, CallOptions.defaults().withPolicy(1, 3))))
                        .isEmpty();
            }
        }
    }

    @Test
    void aWriteThatIsOvertakenByALaterOneIsStampedAgain() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            Key key = Key.of("k");
            cluster.links.get(0).towardAll(Fault.delay(Duration.ofMillis(300), Duration.ZERO));
            var slow = cluster.node(0).put(key, bytes("old"), ALL_OF_THREE);
            cluster.env.advance(Duration.ofMillis(10));
            cluster.await(cluster.node(1).put(key, bytes("new"), ALL_OF_THREE));
            cluster.await(slow);
            for (int i = 0; i < 3; i++) {
                assertThat(cluster.await(cluster.node(i)
                                        .get(key, CallOptions.defaults().withPolicy(1, 3)))
                                .map(Value::text))
                        .as("nobody can see that they were concurrent")
                        .contains("old");
            }
        }
    }

    @Test
    void aRestartedPeerIsUsedByTheNextCall() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            Key key = cluster.keyOf(0, 0);
            cluster.await(cluster.node(0).put(key, bytes("v"), ALL_OF_THREE));
            cluster.stop(1);
            cluster.failureOf(cluster.node(0).put(key, bytes("w"), ALL_OF_THREE));
            cluster.startNode(1, new ModelStore());
            cluster.await(cluster.node(0).put(key, bytes("x"), ALL_OF_THREE));
            assertThat(cluster.stores.get(1).get(key)).isPresent();
        }
    }

    @Test
    void aNodeWhoseStoreIsBrokenIsReplacedByTheOthers() {
        try (SimulatedCluster cluster =
                SimulatedCluster.of(1, 3).stores(i -> new BlockingStore()).start()) {
            Key key = cluster.keyOf(1, 0);
            cluster.await(cluster.node(0).put(key, bytes("v"), ALL_OF_THREE));
            ((BlockingStore) cluster.stores.get(1)).broken = true;
            assertThat(cluster.await(cluster.node(0).get(key, TWO_OF_THREE)).map(Value::text))
                    .contains("v");
            assertThat(cluster.await(cluster.node(1).get(key, TWO_OF_THREE)).map(Value::text))
                    .contains("v");
            cluster.await(cluster.node(1).put(key, bytes("w"), TWO_OF_THREE));
            DhtException failure = cluster.failureOf(cluster.node(0).put(key, bytes("x"), ALL_OF_THREE));
            assertThat(failure.code()).isEqualTo(ErrorCode.WRITE_INDETERMINATE);
            assertThat(failure).hasMessageContaining("n1").hasMessageContaining("disk full");
        }
    }

    @Test
    void readOfOneContinuesWhenLocalMemoryFails() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3)
                .options(b -> b.maxInFlight(100))
                .stores(i -> BlockingStore.memoryFast())
                .start()) {
            Key key = Key.of("key");
            CallOptions one = CallOptions.defaults().withPolicy(1, 3);
            cluster.await(cluster.node(0)
                    .put(key, new byte[] {7}, CallOptions.defaults().withPolicy(3, 3)));
            BlockingStore broken = (BlockingStore) cluster.stores.get(0);
            broken.broken = true;

            assertThat(cluster.await(cluster.node(0).get(key, one)))
                    .hasValueSatisfying(value -> assertThat(value.bytes()).containsExactly(7));
            // What the failed calls took is free again: many more go through.
            for (int i = 0; i < 2000; i++) {
                assertThat(cluster.await(cluster.node(0).get(key, one))).isPresent();
            }
        }
    }
}
