package io.dht4j.simulator.observation;

import static io.dht4j.simulator.cluster.SimulatedCluster.id;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.ErrorCode;
import io.dht4j.HotKeys;
import io.dht4j.Key;
import io.dht4j.simulator.cluster.SimulatedCluster;
import io.dht4j.spi.FrequencySketch;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** What a node counts of the keys that it is asked for. */
class HotKeysTest {

    private static final CallOptions ALL_OF_THREE = CallOptions.defaults().withPolicy(3, 3);
    private static final CallOptions ONE_OF_ONE = CallOptions.defaults().withPolicy(1, 1);
    private static final Duration SECOND = Duration.ofSeconds(1);

    /** Counts exactly. */
    private static class ExactSketch implements FrequencySketch {

        private final Map<Key, Long> counts = new HashMap<>();

        @Override
        public void add(Key key, long weight) {
            counts.merge(key, weight, Long::sum);
        }

        @Override
        public List<HotKeys.Count> heaviest(int count) {
            return counts.entrySet().stream()
                    .map(each -> new HotKeys.Count(each.getKey(), each.getValue(), each.getValue()))
                    .toList();
        }
    }

    /** Throws what it may not throw. */
    private static final class BrokenSketch extends ExactSketch {
        @Override
        public void add(Key key, long weight) {
            throw new IllegalStateException("broken");
        }
    }

    private final AtomicInteger created = new AtomicInteger();

    private SimulatedCluster cluster() {
        return cluster(() -> {
            created.incrementAndGet();
            return new ExactSketch();
        });
    }

    private static SimulatedCluster cluster(Supplier<FrequencySketch> sketches) {
        return SimulatedCluster.of(1, 3)
                .options(builder -> builder.hotKeys(sketches))
                .start();
    }

    private static CompletableFuture<HotKeys> count(Cluster node) {
        return node.operations().diagnostics().orElseThrow().hotKeys(SECOND, 10).toCompletableFuture();
    }

    @Test
    void eachReplicaCountsTheRequestsOfAllNodes() {
        try (SimulatedCluster cluster = cluster()) {
            CompletableFuture<HotKeys> counted = count(cluster.node(2));
            for (int i = 0; i < 9; i++) {
                cluster.await(cluster.node(i % 3).put(Key.of("hot"), new byte[10], ALL_OF_THREE));
            }
            cluster.await(cluster.node(0).put(Key.of("cold"), new byte[1000], ALL_OF_THREE));
            for (int i = 0; i < 6; i++) {
                cluster.await(cluster.node(i % 3).get(Key.of("cold"), ALL_OF_THREE));
            }
            HotKeys hot = cluster.await(counted);
            assertThat(hot.node()).isEqualTo(id(2));
            assertThat(hot.counted()).isEqualTo(SECOND);
            assertThat(hot.writes().total()).isEqualTo(10);
            assertThat(hot.writes().keys())
                    .containsExactly(new HotKeys.Count(Key.of("hot"), 9, 9), new HotKeys.Count(Key.of("cold"), 1, 1));
            assertThat(hot.reads().keys()).containsExactly(new HotKeys.Count(Key.of("cold"), 6, 6));
            assertThat(hot.bytes().keys())
                    .containsExactly(
                            new HotKeys.Count(Key.of("cold"), 7 * 1004, 7 * 1004),
                            new HotKeys.Count(Key.of("hot"), 9 * 13, 9 * 13));
        }
    }

    @Test
    void readsFromTheOwnMemoryAreCounted() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 1)
                .options(builder -> builder.hotKeys(ExactSketch::new))
                .start()) {
            Cluster node = cluster.node(0);
            cluster.await(node.put(Key.of("key"), new byte[1], ONE_OF_ONE));
            CompletableFuture<HotKeys> counted = count(node);
            cluster.await(node.get(Key.of("key"), ONE_OF_ONE));
            cluster.await(node.get(Key.of("absent"), ONE_OF_ONE));
            assertThat(cluster.await(counted).reads().keys())
                    .containsExactlyInAnyOrder(
                            new HotKeys.Count(Key.of("key"), 1, 1), new HotKeys.Count(Key.of("absent"), 1, 1));
        }
    }

    @Test
    void nothingIsCreatedWhileNobodyAsks() {
        try (SimulatedCluster cluster = cluster()) {
            Cluster node = cluster.node(0);
            cluster.await(node.put(Key.of("before"), new byte[1], ALL_OF_THREE));
            assertThat(created).hasValue(0);
            CompletableFuture<HotKeys> counted = count(node);
            assertThat(created).hasValue(12);
            assertThat(cluster.await(counted).bytes().total()).isZero();
            cluster.await(node.put(Key.of("after"), new byte[1], ALL_OF_THREE));
            assertThat(created).hasValue(12);
            assertThat(cluster.await(count(node)).writes().total()).isZero();
        }
    }

    @Test
    void whoAsksMeanwhileSharesTheCount() {
        try (SimulatedCluster cluster = cluster()) {
            Cluster node = cluster.node(0);
            CompletableFuture<HotKeys> first = count(node);
            CompletableFuture<HotKeys> other = node.operations()
                    .diagnostics()
                    .orElseThrow()
                    .hotKeys(Duration.ofSeconds(30), 1)
                    .toCompletableFuture();
            cluster.await(node.put(Key.of("a"), new byte[1], ALL_OF_THREE));
            cluster.await(node.put(Key.of("b"), new byte[2], ALL_OF_THREE));
            assertThat(created).hasValue(12);
            assertThat(cluster.await(first).bytes().keys()).hasSize(2);
            assertThat(cluster.await(other).counted()).isEqualTo(SECOND);
            assertThat(cluster.await(other).bytes().keys()).containsExactly(new HotKeys.Count(Key.of("b"), 3, 3));
        }
    }

    @Test
    void aSketchThatThrowsFailsTheCountAndNoCall() {
        try (SimulatedCluster cluster = cluster(BrokenSketch::new)) {
            CompletableFuture<HotKeys> counted = count(cluster.node(0));
            cluster.await(cluster.node(0).put(Key.of("key"), new byte[1], ALL_OF_THREE));
            assertThat(cluster.failureOf(counted).code()).isEqualTo(ErrorCode.INTERNAL);
        }
    }

    @Test
    void aCountThatHasFailedDoesNotFailTheNextOne() {
        AtomicBoolean isBroken = new AtomicBoolean(true);
        try (SimulatedCluster cluster = cluster(() -> isBroken.get() ? new BrokenSketch() : new ExactSketch())) {
            CompletableFuture<HotKeys> failing = count(cluster.node(0));
            cluster.await(cluster.node(0).put(Key.of("key"), new byte[1], ALL_OF_THREE));
            assertThat(cluster.failureOf(failing).code()).isEqualTo(ErrorCode.INTERNAL);

            isBroken.set(false);
            CompletableFuture<HotKeys> counted = count(cluster.node(0));
            cluster.await(cluster.node(0).put(Key.of("key"), new byte[1], ALL_OF_THREE));

            assertThat(cluster.await(counted).writes().total()).isEqualTo(1);
        }
    }

    @Test
    void aNodeWithoutASketchRefuses() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 1).start()) {
            assertThat(cluster.failureOf(count(cluster.node(0))).code()).isEqualTo(ErrorCode.BAD_REQUEST);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> cluster.node(0)
                            .operations()
                            .diagnostics()
                            .orElseThrow()
                            .hotKeys(Duration.ofMinutes(1), 10))
                    .withMessageContaining("duration");
        }
    }
}
