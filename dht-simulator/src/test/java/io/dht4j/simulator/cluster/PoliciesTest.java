package io.dht4j.simulator.cluster;

import static io.dht4j.simulator.cluster.SimulatedCluster.bytes;
import static io.dht4j.simulator.cluster.SimulatedCluster.id;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.ErrorCode;
import io.dht4j.InvalidRequestException;
import io.dht4j.Key;
import io.dht4j.KeyPlacement;
import io.dht4j.NodeStatus;
import io.dht4j.ReadFanOut;
import io.dht4j.Value;
import io.dht4j.Version;
import io.dht4j.spi.Entry;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class PoliciesTest {

    private static final Key KEY = Key.of("key");

    static Stream<Arguments> everyPolicy() {
        return Stream.of(ReadFanOut.values())
                .flatMap(fanOut -> Stream.of(3, 5)
                        .flatMap(nodes -> Stream.iterate(1, from -> from <= nodes, from -> from + 1)
                                .flatMap(from -> Stream.iterate(1, ack -> ack <= from, ack -> ack + 1)
                                        .map(ack -> Arguments.of(nodes, ack, from, fanOut)))));
    }

    @ParameterizedTest
    @MethodSource("everyPolicy")
    void writesReachFromReplicasAndAreReadEverywhere(int size, int ack, int from, ReadFanOut fanOut) {
        try (SimulatedCluster cluster = SimulatedCluster.of(ack, size)
                .options(b -> b.readFanOut(fanOut))
                .start()) {
            CallOptions write = CallOptions.defaults().withPolicy(from, from);
            CallOptions read = CallOptions.defaults().withPolicy(ack, from);
            for (int coordinator = 0; coordinator < size; coordinator++) {
                Key key = Key.of("key of n" + coordinator);
                Version version = cluster.await(cluster.node(coordinator).put(key, bytes("value"), write));
                for (Cluster reader : cluster.nodes) {
                    assertThat(cluster.await(reader.get(key, read))).hasValueSatisfying(value -> {
                        assertThat(value.text()).isEqualTo("value");
                        assertThat(value.version()).isEqualTo(version);
                        assertThat(value.expiresAt()).isEmpty();
                    });
                }
                for (int n = 0; n < size; n++) {
                    assertThat(cluster.stores
                                    .get(cluster.replica(key, n))
                                    .get(key)
                                    .isPresent())
                            .as("replica %d of %s", n, key)
                            .isEqualTo(n < from);
                }
                Version deleted =
                        cluster.await(cluster.node(size - 1 - coordinator).delete(key, write));
                assertThat(deleted).isGreaterThan(version);
                for (Cluster reader : cluster.nodes) {
                    assertThat(cluster.await(reader.get(key, read))).isEmpty();
                }
                assertThat(cluster.stores.get(cluster.replica(key, 0)).get(key))
                        .contains(Entry.tombstone(key, deleted));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("everyPolicy")
    void aWriteIsAcknowledgedWhileAckReplicasAreReachable(int size, int ack, int from, ReadFanOut fanOut) {
        try (SimulatedCluster cluster = SimulatedCluster.of(ack, size)
                .options(b -> b.readFanOut(fanOut))
                .start()) {
            Key key = cluster.keyOf(0, 0);
            CallOptions options = CallOptions.defaults().withPolicy(ack, from);
            // Node 0 is the first replica; from - ack others are gone.
            for (int n = ack; n < from; n++) {
                cluster.stop(cluster.replica(key, n));
            }
            Duration before = cluster.env.elapsed();
            cluster.await(cluster.node(0).put(key, bytes("there"), options));
            assertThat(cluster.await(cluster.node(0).get(key, options)).map(Value::text))
                    .contains("there");
            assertThat(cluster.env.elapsed()).as("no time passed").isEqualTo(before);
        }
    }

    @ParameterizedTest
    @MethodSource("everyPolicy")
    void callFailsAtOnceWhenAckIsOutOfReach(int size, int ack, int from, ReadFanOut fanOut) {
        if (ack == 1) {
            return; // the local replica is always reachable
        }
        try (SimulatedCluster cluster = SimulatedCluster.of(ack, size)
                .options(b -> b.readFanOut(fanOut))
                .start()) {
            // Past the first moments, in which failed reads wait.
            cluster.await(cluster.node(0).ready());
            Key key = cluster.keyOf(0, 0);
            for (int n = ack - 1; n < from; n++) {
                cluster.stop(cluster.replica(key, n));
            }
            Duration before = cluster.env.elapsed();
            CallOptions options = CallOptions.defaults().withPolicy(ack, from);

            var read = cluster.failureOf(cluster.node(0).get(key, options));
            assertThat(read.code()).isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
            assertThat(read).hasMessageContaining("of " + ack + " needed replicas answered");

            var write = cluster.failureOf(cluster.node(0).put(key, bytes("x"), options));
            assertThat(write.code()).isEqualTo(ErrorCode.WRITE_INDETERMINATE);
            assertThat(write).hasMessageContaining("of " + ack + " needed replicas answered");

            assertThat(cluster.env.elapsed()).as("no time passed").isEqualTo(before);
        }
    }

    @Test
    void writeRefusedByEveryReplicaWritesNothing() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            Key key = cluster.keyOf(1, 0);
            cluster.stop(1);
            var failure = cluster.failureOf(
                    cluster.node(0).put(key, bytes("x"), CallOptions.defaults().withPolicy(1, 1)));
            assertThat(failure.code()).isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
            assertThat(failure).hasMessageContaining("nothing written").hasMessageContaining("n1");
        }
    }

    @Test
    void anArrayMayBeUsedAgainOnceTheCallHasBegun() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            CallOptions all = CallOptions.defaults().withPolicy(3, 3);
            byte[] array = bytes("v");
            var put = cluster.node(0).put(KEY, array, all);
            array[0] = 'x';
            cluster.await(put);
            byte[] other = bytes("w");
            Key otherKey = Key.of("other");
            var putAll = cluster.node(0).putAll(Map.of(otherKey, other), all);
            other[0] = 'x';
            cluster.await(putAll);
            assertThat(cluster.stores).allSatisfy(store -> {
                assertThat(store.get(KEY).orElseThrow().value()).isEqualTo(bytes("v"));
                assertThat(store.get(otherKey).orElseThrow().value()).isEqualTo(bytes("w"));
            });
        }
    }

    @Test
    void theDefaultIsAMajorityOfThreeReplicas() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 5).start()) {
            cluster.await(cluster.node(0).put(KEY, bytes("v")));
            cluster.env.advance(Duration.ofSeconds(1));
            assertThat(cluster.stores.stream().filter(store -> store.entries() == 1))
                    .hasSize(3);
            cluster.stop(cluster.replica(KEY, 1));
            int reader = cluster.replica(KEY, 4);
            assertThat(cluster.await(cluster.node(reader).get(KEY)).map(Value::text))
                    .contains("v");
            cluster.stop(cluster.replica(KEY, 2));
            assertThat(cluster.failureOf(cluster.node(reader).get(KEY)).code())
                    .isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
        }
    }

    @Test
    void aSmallerReplicationFactorIsTheDefaultWhereItIsSet() {
        try (SimulatedCluster cluster =
                SimulatedCluster.of(1, 5).options(b -> b.replicationFactor(1)).start()) {
            cluster.await(cluster.node(0).put(KEY, bytes("v")));
            cluster.env.advance(Duration.ofSeconds(1));
            assertThat(cluster.stores.stream().filter(store -> store.entries() == 1))
                    .hasSize(1);
        }
    }

    @Test
    void everyNodeAgreesWhereAKeyLives() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 5).start()) {
            for (int i = 0; i < 100; i++) {
                Key key = Key.of("key" + i);
                KeyPlacement placement =
                        cluster.node(0).locate(key).toCompletableFuture().join();
                assertThat(placement.replicas()).containsExactlyInAnyOrderElementsOf(cluster.topology.nodes());
                assertThat(placement.partition()).isBetween(0, 1023);
                assertThat(cluster.nodes)
                        .allSatisfy(node -> assertThat(node.locate(key)).isCompletedWithValue(placement));
            }
        }
    }

    @Test
    void theStatusDescribesItsNode() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            cluster.await(
                    cluster.node(0).put(KEY, bytes("v"), CallOptions.defaults().withPolicy(3, 3)));
            cluster.env.advance(Duration.ofSeconds(5));
            NodeStatus status = cluster.await(cluster.node(1).operations().status());
            assertThat(status.id()).isEqualTo(id(1));
            assertThat(status.topology())
                    .isEqualTo(cluster.topology)
                    .isEqualTo(cluster.node(1).topology());
            assertThat(status.replicationFactor()).isEqualTo(3);
            assertThat(status.partitions()).isEqualTo(1024);
            assertThat(status.placement()).isEqualTo("rendezvous");
            assertThat(status.hash()).isEqualTo("xxh3");
            assertThat(status.store()).isEqualTo("model");
            assertThat(status.entries()).isEqualTo(1);
            assertThat(status.uptime()).isGreaterThanOrEqualTo(Duration.ofSeconds(5));
        }
    }

    @Test
    void callsThatCanNeverSucceedAreRefusedThroughTheStage() {
        try (SimulatedCluster cluster =
                SimulatedCluster.of(1, 3).options(b -> b.maxValueBytes(10)).start()) {
            Cluster node = cluster.node(0);
            CallOptions tooMany = CallOptions.defaults().withPolicy(1, 4);
            CallOptions ttl = CallOptions.defaults().withTimeToLive(Duration.ofSeconds(1));
            assertThat(List.of(
                            cluster.failureOf(node.get(KEY, tooMany)),
                            cluster.failureOf(node.put(KEY, bytes("v"), tooMany)),
                            cluster.failureOf(node.delete(KEY, tooMany))))
                    .allSatisfy(e -> {
                        assertThat(e).isInstanceOf(InvalidRequestException.class);
                        assertThat(e.code()).isEqualTo(ErrorCode.POLICY_INVALID);
                        assertThat(e).hasMessageContaining("from=4");
                    });
            assertThat(List.of(cluster.failureOf(node.get(KEY, ttl)), cluster.failureOf(node.delete(KEY, ttl))))
                    .allSatisfy(e -> assertThat(e.code()).isEqualTo(ErrorCode.TTL_INVALID));
            assertThat(cluster.failureOf(node.put(KEY, new byte[11])).code()).isEqualTo(ErrorCode.VALUE_TOO_LARGE);
            cluster.await(node.put(KEY, new byte[10]));
        }
    }

    @ParameterizedTest
    @EnumSource
    void anEmptyValueIsPresentAndAnAbsentKeyIsNot(ReadFanOut fanOut) {
        try (SimulatedCluster cluster =
                SimulatedCluster.of(1, 3).options(b -> b.readFanOut(fanOut)).start()) {
            cluster.await(cluster.node(0).put(KEY, new byte[0]));
            assertThat(cluster.await(cluster.node(1).get(KEY)).map(Value::text)).contains("");
            assertThat(cluster.await(cluster.node(1).get(Key.of("other")))).isEmpty();
            assertThat(cluster.await(cluster.node(1).delete(Key.of("other")))).isNotNull();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aValueIsReadableUntilItsTimeToLiveHasPassed(ReadFanOut fanOut) {
        try (SimulatedCluster cluster =
                SimulatedCluster.of(1, 3).options(b -> b.readFanOut(fanOut)).start()) {
            CallOptions ttl = CallOptions.defaults().withTimeToLive(Duration.ofMillis(100));
            cluster.await(cluster.node(0).put(KEY, bytes("old")));
            cluster.await(cluster.node(0).put(KEY, bytes("short"), ttl));
            cluster.env.advance(Duration.ofMillis(99));
            Optional<Value> value = cluster.await(cluster.node(1).get(KEY));
            assertThat(value).hasValueSatisfying(v -> {
                assertThat(v.text()).isEqualTo("short");
                assertThat(v.expiresAt()).hasValue(Instant.ofEpochMilli(VirtualEnvironment.START_MILLIS + 100));
            });
            cluster.env.advance(Duration.ofMillis(1));
            for (Cluster node : cluster.nodes) {
                assertThat(cluster.await(node.get(KEY))).isEmpty();
                assertThat(cluster.await(node.getAll(List.of(KEY)))).isEmpty();
            }
            cluster.await(cluster.node(2).put(KEY, bytes("again")));
            assertThat(cluster.await(cluster.node(1).get(KEY)).map(Value::text)).contains("again");
        }
    }
}
