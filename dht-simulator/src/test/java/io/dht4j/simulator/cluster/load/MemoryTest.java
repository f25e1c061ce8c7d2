package io.dht4j.simulator.cluster.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.dht4j.CallOptions;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.Scan;
import io.dht4j.ScanScope;
import io.dht4j.Value;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.core.HashFunctions;
import io.dht4j.simulator.cluster.BlockingStore;
import io.dht4j.simulator.cluster.SimulatedCluster;
import io.dht4j.spi.HashFunction;
import io.dht4j.spi.MemoryBudget;
import io.dht4j.testkit.network.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * What a node holds of values is bounded by its memory, and a lack of memory ends the call that meets it and nothing
 * else.
 */
class MemoryTest {

    private static final int VALUE_BYTES = 1 << 20;
    /** A thirty-second of it for each value. */
    private static final MemoryBudget SMALL = new MemoryBudget(32L << 20, VALUE_BYTES);

    private static final CallOptions TWO_OF_THREE = CallOptions.defaults().withPolicy(2, 3);

    private static SimulatedCluster cluster() {
        return SimulatedCluster.of(1, 3)
                .options(builder -> builder.maxValueBytes(VALUE_BYTES).memory(SMALL))
                .start();
    }

    private static List<Key> put(SimulatedCluster cluster, int values) {
        List<Key> keys = IntStream.range(0, values)
                .mapToObj(i -> Key.of(String.format("key-%03d", i)))
                .toList();
        keys.forEach(key -> cluster.await(cluster.node(0).put(key, new byte[VALUE_BYTES], TWO_OF_THREE)));
        return keys;
    }

    @Test
    void batchOverTheReadMemoryIsRefusedAndReleasesEverything() {
        try (SimulatedCluster cluster = cluster()) {
            List<Key> keys = put(cluster, 30);
            for (int round = 0; round < 10; round++) {
                DhtException refused = cluster.failureOf(cluster.node(0).getAll(keys, TWO_OF_THREE));
                assertThat(refused.code()).isEqualTo(ErrorCode.OVERLOADED);
                assertThat(refused).hasMessageContaining("at most " + SMALL.readBytes() + " bytes of values");

                Map<Key, Value> some = cluster.await(cluster.node(0).getAll(keys.subList(0, 2), TWO_OF_THREE));
                assertThat(some).hasSize(2);
            }
        }
    }

    @Test
    void readsThatComeTogetherShareTheMemory() {
        try (SimulatedCluster cluster = cluster()) {
            List<Key> keys = put(cluster, 30);
            List<CompletionStage<Optional<Value>>> reads = keys.stream()
                    .map(key -> cluster.node(0).get(key, CallOptions.defaults().withPolicy(3, 3)))
                    .toList();
            int found = 0;
            for (CompletionStage<Optional<Value>> read : reads) {
                try {
                    assertThat(cluster.await(read)).isPresent();
                    found++;
                } catch (DhtException e) {
                    assertThat(e.code()).isEqualTo(ErrorCode.OVERLOADED);
                }
            }
            assertThat(found).isPositive();
            keys.forEach(key -> assertThat(cluster.await(cluster.node(0).get(key, TWO_OF_THREE)))
                    .isPresent());
        }
    }

    @Test
    void aScanOfLargeValuesComesThroughWhileNothingElseIsRead() {
        try (SimulatedCluster cluster = cluster()) {
            List<Key> keys = put(cluster, 30);
            for (int round = 0; round < 3; round++) {
                List<Key> shown = new ArrayList<>();
                try (Scan scan = cluster.node(0).scan(KeyRange.all(), ScanScope.CLUSTER, TWO_OF_THREE)) {
                    cluster.await(scan.forEach(entry -> shown.add(entry.key())));
                    assertThat(scan.heldBytes()).isZero();
                }
                assertThat(shown).isEqualTo(keys);
            }
        }
    }

    /** What has expired is not shown, and must not count as held until there is something to show. */
    @Test
    void aScanPassesMoreExpiredValuesThanTheMemoryForReads() {
        try (SimulatedCluster cluster = cluster()) {
            CallOptions brief = TWO_OF_THREE.withTimeToLive(Duration.ofSeconds(1));
            for (int i = 0; i < 30; i++) {
                cluster.await(cluster.node(0).put(Key.of(String.format("gone-%03d", i)), new byte[VALUE_BYTES], brief));
            }
            cluster.env.advance(Duration.ofSeconds(2));
            List<Key> keys = put(cluster, 1);
            List<Key> shown = new ArrayList<>();
            try (Scan scan = cluster.node(0).scan(KeyRange.all(), ScanScope.CLUSTER, TWO_OF_THREE)) {
                cluster.await(scan.forEach(entry -> shown.add(entry.key())));
            }
            assertThat(shown).isEqualTo(keys);
        }
    }

    /** A replica's old value and the new one, which is fetched, exceed the memory for reads together. */
    @Test
    void largestValueIsReadThoughAReplicaIsStale() {
        MemoryBudget smallest = new MemoryBudget(new MemoryBudget(1 << 30, VALUE_BYTES).leastHeapBytes(), VALUE_BYTES);
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3)
                .options(builder -> builder.maxValueBytes(VALUE_BYTES).memory(smallest))
                .start()) {
            Key key = put(cluster, 1).get(0);
            cluster.env.advance(Duration.ofSeconds(1));
            cluster.towardNode(0, Fault.refuse());
            cluster.await(cluster.node(1).put(key, new byte[VALUE_BYTES], TWO_OF_THREE));
            cluster.heal();
            for (int i = 0; i < 3; i++) {
                assertThat(cluster.await(
                                cluster.node(i).get(key, CallOptions.defaults().withPolicy(3, 3))))
                        .isPresent();
            }
        }
    }

    @Test
    void heapTooSmallForTheLargestValueIsRefused() {
        assertThatIllegalStateException()
                .isThrownBy(() -> SimulatedCluster.of(1, 1)
                        .options(builder -> builder.memory(new MemoryBudget(96L << 20, 1)))
                        .start())
                .withMessage("values of up to " + ClusterBuilder.DEFAULT_MAX_VALUE_BYTES
                        + " bytes need a heap of 120 MiB, and this node has 96 MiB: start the JVM with -Xmx128m, "
                        + "or lower maxValueBytes");
    }

    @Test
    void anErrorInTheStoreFailsItsCallsAndNoOthers() {
        BlockingStore store = new BlockingStore();
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 1)
                .storeThreads(1)
                .stores(i -> store)
                .options(builder -> builder.maxInFlight(2))
                .start()) {
            Key key = Key.of("key");
            for (int round = 0; round < 20; round++) {
                store.beforeApply = entries -> exhausted();
                store.beforeGet = MemoryTest::exhausted;
                cluster.failureOf(cluster.node(0).put(key, new byte[1]));
                cluster.failureOf(cluster.node(0).get(key));

                store.beforeApply = entries -> {};
                store.beforeGet = () -> {};
                cluster.await(cluster.node(0).put(key, new byte[] {(byte) round}));
                assertThat(cluster.await(cluster.node(0).get(key)).orElseThrow().bytes())
                        .containsExactly(round);
            }
        }
    }

    private static void exhausted() {
        throw new OutOfMemoryError("Java heap space, says this test");
    }

    /** What a call itself runs into, before any store is asked, gives back what it was let in for. */
    @Test
    void anErrorInTheCoordinatorFailsItsCallAndNoOthers() {
        AtomicBoolean fails = new AtomicBoolean();
        HashFunction usual = HashFunctions.xxh3();
        HashFunction hash = new HashFunction() {
            @Override
            public long hash(byte[] bytes) {
                if (fails.get()) {
                    exhausted();
                }
                return usual.hash(bytes);
            }

            @Override
            public String name() {
                return usual.name();
            }
        };
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 1)
                .options(builder -> builder.hash(hash).maxInFlight(2).maxInFlightBytes(10))
                .start()) {
            Key key = Key.of("key");
            for (int round = 0; round < 5; round++) {
                fails.set(true);
                assertThat(cluster.failureOf(cluster.node(0).put(key, new byte[5]))
                                .code())
                        .isEqualTo(ErrorCode.INTERNAL);
                fails.set(false);
                cluster.await(cluster.node(0).put(key, new byte[5]));
            }
        }
    }
}
