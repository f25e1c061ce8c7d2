package io.dht4j.simulator.cluster.rollback;

import static io.dht4j.simulator.cluster.SimulatedCluster.bytes;
import static io.dht4j.simulator.cluster.rollback.RollbackCluster.BACK;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.KeyValue;
import io.dht4j.Scan;
import io.dht4j.ScanScope;
import io.dht4j.Value;
import io.dht4j.core.internal.coordinator.node.Readiness;
import io.dht4j.testkit.network.Fault;
import io.dht4j.testkit.store.ModelStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The first moments after a start of all nodes, with data: when a node is ready, and what its reads do until then. */
class ReadyTest {

    private static final Key KEY = Key.of("key");
    private static final int OTHER = 2;
    private static final Duration A_SECOND = Duration.ofSeconds(1);
    private static final CallOptions PATIENT = CallOptions.defaults().withTimeout(Duration.ofSeconds(4));

    private final RollbackCluster cluster = RollbackCluster.start();

    private List<ModelStore> stopAllWithData() {
        cluster.await(cluster.node(0).put(KEY, bytes("v"), RollbackCluster.ALL));
        List<ModelStore> images = cluster.images();
        for (int node = 0; node < images.size(); node++) {
            cluster.stop(node);
        }
        return images;
    }

    private static boolean isDone(CompletionStage<?> stage) {
        return stage.toCompletableFuture().isDone();
    }

    @Test
    void readinessAndReadsWaitForAReadableMajority() {
        try (cluster) {
            List<ModelStore> images = stopAllWithData();
            cluster.startNode(0, images.get(0));
            CompletionStage<Void> ready = cluster.node(0).ready();
            CompletionStage<Optional<Value>> read = cluster.node(0).get(KEY, PATIENT);
            CompletionStage<Map<Key, Value>> reads = cluster.node(0).getAll(List.of(KEY, Key.of("absent")), PATIENT);
            Scan scan = cluster.node(0).scan(KeyRange.all(), ScanScope.CLUSTER, PATIENT);
            CompletionStage<List<KeyValue>> page = scan.next();
            cluster.env.advance(A_SECOND);
            assertThat(isDone(ready) || isDone(read) || isDone(reads) || isDone(page))
                    .isFalse();
            assertThat(cluster.await(cluster.node(0).get(KEY, RollbackCluster.OWN)))
                    .as("one answer is enough for it")
                    .isPresent();

            cluster.startNode(BACK, images.get(BACK));
            cluster.await(ready);
            assertThat(cluster.await(read).orElseThrow().text()).isEqualTo("v");
            assertThat(cluster.await(reads)).containsOnlyKeys(KEY);
            assertThat(cluster.await(page)).extracting(KeyValue::key).containsExactly(KEY);
            assertThat(cluster.await(scan.next())).isEmpty();
        }
    }

    @Test
    void readsWaitForThePurgeReportsOfSlowNodes() {
        try (cluster) {
            List<ModelStore> images = stopAllWithData();
            for (int node = 0; node < images.size(); node++) {
                for (int other = 0; other < images.size(); other++) {
                    cluster.links.get(node).toward(RollbackCluster.id(other), Fault.delay(A_SECOND, Duration.ZERO));
                }
            }
            for (int node = 0; node < images.size(); node++) {
                cluster.startNode(node, images.get(node));
            }
            List<CompletionStage<Optional<Value>>> reads = List.of(
                    cluster.node(0).get(KEY, PATIENT),
                    cluster.node(BACK).get(KEY, PATIENT),
                    cluster.node(OTHER).get(KEY, PATIENT));
            reads.forEach(read -> assertThat(cluster.await(read)).isPresent());
        }
    }

    @Test
    void aReadWaitsNoLongerThanItsTimeAndFailsWithWhatItMet() {
        try (cluster) {
            List<ModelStore> images = stopAllWithData();
            cluster.startNode(0, images.get(0));
            long began = cluster.env.nanoTime();
            CallOptions brief = CallOptions.defaults().withTimeout(Duration.ofMillis(300));
            CompletionStage<List<KeyValue>> page = cluster.node(0)
                    .scan(KeyRange.all(), ScanScope.CLUSTER, brief)
                    .next();
            assertThat(cluster.failureOf(cluster.node(0).get(KEY, brief)).code())
                    .isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
            assertThat(cluster.failureOf(page).code()).isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
            assertThat(Duration.ofNanos(cluster.env.nanoTime() - began)).isEqualTo(Duration.ofMillis(300));
        }
    }

    @Test
    void afterTheFirstMomentsReadsDoNotWait() {
        try (cluster) {
            List<ModelStore> images = stopAllWithData();
            cluster.startNode(0, images.get(0));
            cluster.env.advance(Duration.ofSeconds(6));
            long began = cluster.env.nanoTime();
            assertThat(cluster.failureOf(cluster.node(0).get(KEY)).code()).isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
            assertThat(Duration.ofNanos(cluster.env.nanoTime() - began)).isLessThan(Duration.ofMillis(100));
            CompletionStage<Void> ready = cluster.node(0).ready();
            cluster.env.advance(Duration.ofMinutes(10));
            assertThat(isDone(ready)).as("it has no bound of its own").isFalse();

            cluster.startNode(BACK, images.get(BACK));
            cluster.await(ready);
        }
    }

    /** Each look asks the replicas of all partitions, and there may be many nodes that look. */
    @Test
    void aNodeThatIsNotReadyForLongLooksSeldom() {
        try (cluster) {
            AtomicInteger looks = new AtomicInteger();
            Readiness readiness = new Readiness(cluster.env, () -> {
                looks.incrementAndGet();
                return CompletableFuture.failedFuture(new IllegalStateException("no replica answers"));
            });
            CompletionStage<Void> ready = readiness.await();
            cluster.env.advance(Duration.ofSeconds(2));
            assertThat(looks.get()).as("looks at first").isGreaterThan(20);
            cluster.env.advance(Duration.ofSeconds(10));
            int before = looks.get();
            cluster.env.advance(Duration.ofMinutes(1));
            assertThat(looks.get() - before).as("looks of a minute").isBetween(30, 70);
            readiness.close("this node is closed");
            assertThat(cluster.failureOf(ready).code()).isEqualTo(ErrorCode.NOT_SERVING);
        }
    }

    @Test
    void closedNodeThatWasReadyIsNotReady() {
        try (cluster) {
            Cluster node = cluster.node(0);
            cluster.await(node.ready());
            cluster.stop(0);
            assertThat(cluster.failureOf(node.ready())).hasMessage("this node is closed");
        }
    }

    @Test
    void closingFailsReadinessAndWaitingReads() {
        try (cluster) {
            List<ModelStore> images = stopAllWithData();
            cluster.startNode(0, images.get(0));
            CompletionStage<Void> ready = cluster.node(0).ready();
            CompletionStage<Optional<Value>> read = cluster.node(0).get(KEY);
            cluster.env.advance(Duration.ofMillis(100));
            cluster.stop(0);
            assertThat(cluster.failureOf(ready).code()).isEqualTo(ErrorCode.NOT_SERVING);
            assertThat(cluster.failureOf(read).code()).isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
        }
    }
}
