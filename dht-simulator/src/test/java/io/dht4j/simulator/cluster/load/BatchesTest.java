package io.dht4j.simulator.cluster.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.Value;
import io.dht4j.Version;
import io.dht4j.simulator.cluster.SimulatedCluster;
import io.dht4j.testkit.network.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class BatchesTest {

    private static Map<Key, byte[]> values(int count, int keyPadding, int valueBytes) {
        Map<Key, byte[]> values = new TreeMap<>();
        for (int i = 0; i < count; i++) {
            byte[] value = new byte[valueBytes];
            value[0] = (byte) i;
            values.put(Key.of("k".repeat(keyPadding) + i), value);
        }
        return values;
    }

    private static void assertReadsAs(Map<Key, Value> read, Map<Key, byte[]> written) {
        assertThat(read.keySet()).isEqualTo(written.keySet());
        written.forEach((key, value) -> assertThat(read.get(key).bytes()).isEqualTo(value));
    }

    @Test
    void everyNodeReadsABatchThatWasWrittenWithOneVersion() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 5).start()) {
            Map<Key, byte[]> values = values(1000, 1, 20);
            Version version = cluster.await(cluster.node(0).putAll(values));
            List<Key> asked = new ArrayList<>(values.keySet());
            asked.addAll(values.keySet()); // doubled ones count once
            asked.add(Key.of("absent"));
            for (Cluster node : cluster.nodes) {
                Map<Key, Value> read = cluster.await(node.getAll(asked));
                assertReadsAs(read, values);
                assertThat(read.values())
                        .allSatisfy(value -> assertThat(value.version()).isEqualTo(version));
            }
        }
    }

    @Test
    void deletedAndExpiredKeysAreNotInABatch() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            Map<Key, byte[]> values = values(3, 1, 1);
            cluster.await(cluster.node(0).putAll(values, CallOptions.defaults().withTimeToLive(Duration.ofMillis(50))));
            cluster.await(cluster.node(1).delete(Key.of("k1")));
            assertThat(cluster.await(cluster.node(2).getAll(values.keySet())))
                    .containsOnlyKeys(Key.of("k0"), Key.of("k2"));
            cluster.env.advance(Duration.ofMillis(50));
            assertThat(cluster.await(cluster.node(2).getAll(values.keySet()))).isEmpty();
        }
    }

    @Test
    void emptyBatchesSucceed() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            assertThat(cluster.await(cluster.node(0).getAll(List.of()))).isEmpty();
            assertThat(cluster.await(cluster.node(0).putAll(Map.of()))).isNotNull();
        }
    }

    @Test
    void aBatchOverTheLimitIsRefused() {
        try (SimulatedCluster cluster =
                SimulatedCluster.of(1, 3).options(b -> b.maxBatch(3)).start()) {
            cluster.await(cluster.node(0).putAll(values(3, 1, 1)));
            DhtException write = cluster.failureOf(cluster.node(0).putAll(values(4, 1, 1)));
            DhtException read =
                    cluster.failureOf(cluster.node(0).getAll(values(4, 1, 1).keySet()));
            assertThat(List.of(write, read)).allSatisfy(e -> {
                assertThat(e.code()).isEqualTo(ErrorCode.BATCH_TOO_LARGE);
                assertThat(e).hasMessageContaining("at most 3 keys, not 4");
            });
        }
    }

    @Test
    void oneValueTooLargeRefusesTheWholeBatch() {
        try (SimulatedCluster cluster =
                SimulatedCluster.of(1, 3).options(b -> b.maxValueBytes(10)).start()) {
            Map<Key, byte[]> values = values(3, 1, 10);
            values.put(Key.of("large"), new byte[11]);
            DhtException failure = cluster.failureOf(cluster.node(0).putAll(values));
            assertThat(failure.code()).isEqualTo(ErrorCode.VALUE_TOO_LARGE);
            assertThat(failure).hasMessageContaining("large");
            assertThat(cluster.stores)
                    .allSatisfy(store -> assertThat(store.entries()).isZero());
        }
    }

    @Test
    void batchesLargerThanAFrameAreSplit() {
        try (SimulatedCluster cluster =
                SimulatedCluster.of(1, 5).options(b -> b.maxValueBytes(1024)).start()) {
            Map<Key, byte[]> values = values(3000, 60, 900);
            cluster.await(cluster.node(0).putAll(values));
            for (Cluster node : cluster.nodes) {
                assertReadsAs(cluster.await(node.getAll(values.keySet())), values);
            }
        }
    }

    @Test
    void keysOfTheLargestSizeFitIntoBatches() {
        try (SimulatedCluster cluster =
                SimulatedCluster.of(1, 3).options(b -> b.maxValueBytes(1024)).start()) {
            Map<Key, byte[]> values = values(600, 4000, 1);
            cluster.await(cluster.node(0).putAll(values));
            assertReadsAs(cluster.await(cluster.node(1).getAll(values.keySet())), values);
        }
    }

    @Test
    void aBatchGoesOnWithTheOtherReplicasWhenANodeIsDown() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 5).start()) {
            Map<Key, byte[]> values = values(200, 1, 5);
            cluster.await(cluster.node(0).putAll(values));
            cluster.env.advance(Duration.ofSeconds(1));
            cluster.stop(4);
            assertReadsAs(cluster.await(cluster.node(1).getAll(values.keySet())), values);
            cluster.await(cluster.node(2).putAll(values));
            cluster.stop(3);
            assertThat(cluster.failureOf(cluster.node(1).getAll(values.keySet()))
                            .code())
                    .isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
            assertThat(cluster.failureOf(cluster.node(1).putAll(values)).code())
                    .isEqualTo(ErrorCode.WRITE_INDETERMINATE);
        }
    }

    @Test
    void aSilentNodeCostsABatchItsDeadline() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            Map<Key, byte[]> values = values(20, 1, 5);
            cluster.towardNode(1, Fault.loseRequest());
            CallOptions options = CallOptions.defaults().withPolicy(3, 3).withTimeout(Duration.ofMillis(150));
            Duration before = cluster.env.elapsed();
            assertThat(cluster.failureOf(cluster.node(0).putAll(values, options))
                            .code())
                    .isEqualTo(ErrorCode.WRITE_INDETERMINATE);
            assertThat(cluster.failureOf(cluster.node(0).getAll(values.keySet(), options))
                            .code())
                    .isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
            assertThat(cluster.env.elapsed().minus(before)).isEqualTo(Duration.ofMillis(300));
        }
    }
}
