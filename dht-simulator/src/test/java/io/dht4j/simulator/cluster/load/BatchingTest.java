package io.dht4j.simulator.cluster.load;

import static io.dht4j.simulator.cluster.SimulatedCluster.bytes;
import static io.dht4j.simulator.cluster.SimulatedCluster.id;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.Topology;
import io.dht4j.Value;
import io.dht4j.Version;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.core.options.Batching;
import io.dht4j.simulator.cluster.BlockingStore;
import io.dht4j.simulator.cluster.SimulatedCluster;
import io.dht4j.testkit.network.Fault;
import io.dht4j.testkit.store.ModelStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BatchingTest {

    private static final CallOptions ALL_OF_THREE = CallOptions.defaults().withPolicy(3, 3);
    private static final CallOptions TWO_OF_THREE = CallOptions.defaults().withPolicy(2, 3);
    private static final Fault SLOW = Fault.delay(Duration.ofMillis(1), Duration.ofMillis(1));

    private static SimulatedCluster start(Batching batching) {
        return start(builder -> builder.batching(batching));
    }

    private static SimulatedCluster start(Function<ClusterBuilder, ClusterBuilder> options) {
        SimulatedCluster cluster = SimulatedCluster.of(1, 3).options(options).start();
        // Greetings are frames too.
        cluster.env.advance(Duration.ofSeconds(3));
        return cluster;
    }

    private static List<CompletionStage<Version>> puts(SimulatedCluster cluster, String name, int count) {
        List<CompletionStage<Version>> puts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            puts.add(cluster.node(0).put(Key.of(name + i), bytes(name + " value " + i), ALL_OF_THREE));
        }
        return puts;
    }

    @Test
    void anIdleNodeSendsAtOnceAFrameForEachRequest() {
        try (SimulatedCluster cluster = start(Batching.on())) {
            AtomicInteger frames = cluster.countFramesTo(1, Fault.none());
            Duration before = cluster.env.elapsed();
            for (int i = 0; i < 10; i++) {
                cluster.await(cluster.node(0).put(Key.of("k" + i), new byte[1], ALL_OF_THREE));
            }
            assertThat(cluster.env.elapsed()).isEqualTo(before);
            assertThat(frames).hasValue(10);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7})
    void requestsThatComeWhileFramesAreUnderWayGoTogether(int maxFrames) {
        try (SimulatedCluster cluster = start(new Batching(true, 1000, 256 * 1024, maxFrames))) {
            AtomicInteger frames = cluster.countFramesTo(1, SLOW);
            Duration before = cluster.env.elapsed();
            List<CompletionStage<Version>> puts = puts(cluster, "k", 100);
            puts.forEach(cluster::await);
            assertThat(frames).hasValue(maxFrames + 1);
            assertThat(cluster.env.elapsed().minus(before)).isEqualTo(Duration.ofMillis(4));

            frames.set(0);
            List<CompletionStage<Optional<Value>>> gets = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                gets.add(cluster.node(0).get(Key.of("k" + i), ALL_OF_THREE));
            }
            for (int i = 0; i < 100; i++) {
                assertThat(cluster.await(gets.get(i)).map(Value::text)).contains("k value " + i);
            }
            assertThat(frames).hasValue(maxFrames + 1);
        }
    }

    @Test
    void withoutBatchingEachRequestHasAFrame() {
        try (SimulatedCluster cluster = start(Batching.off())) {
            AtomicInteger frames = cluster.countFramesTo(1, SLOW);
            puts(cluster, "k", 100).forEach(cluster::await);
            assertThat(frames).hasValue(100);
        }
    }

    @Test
    void framesAreBoundedInEntriesAndInBytes() {
        try (SimulatedCluster cluster = start(new Batching(true, 10, 256 * 1024, 1))) {
            AtomicInteger frames = cluster.countFramesTo(1, SLOW);
            puts(cluster, "k", 101).forEach(cluster::await);
            assertThat(frames).hasValue(11);
        }
        try (SimulatedCluster cluster = start(new Batching(true, 1000, 4096, 1))) {
            AtomicInteger frames = cluster.countFramesTo(1, SLOW);
            List<CompletionStage<Version>> puts = new ArrayList<>();
            for (int i = 0; i < 41; i++) {
                puts.add(cluster.node(0).put(Key.of("k" + i), new byte[900], ALL_OF_THREE));
            }
            puts.forEach(cluster::await);
            assertThat(frames).hasValue(11);
        }
    }

    @Test
    void readsDoNotWaitForWrites() {
        try (SimulatedCluster cluster = start(Batching.on())) {
            cluster.await(cluster.node(0).put(Key.of("k"), bytes("value"), ALL_OF_THREE));
            cluster.towardNode(1, Fault.delay(Duration.ofMillis(15), Duration.ZERO));
            puts(cluster, "w", 10);
            Duration before = cluster.env.elapsed();
            cluster.heal();
            assertThat(cluster.await(cluster.node(0).get(Key.of("k"), ALL_OF_THREE)))
                    .isPresent();
            assertThat(cluster.env.elapsed()).isEqualTo(before);
        }
    }

    /** So that the others take its requests though they are configured otherwise. */
    private static Topology newerAtTheFirst(int node, Topology topology) {
        return node == 0 ? new Topology(topology.epoch() + 1, topology.nodes()) : topology;
    }

    @Test
    void aPartThatIsRefusedFailsAlone() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3)
                .topologies(BatchingTest::newerAtTheFirst)
                .options((i, b) -> b.maxValueBytes(i == 1 ? 100 : 1000))
                .start()) {
            AtomicInteger frames = cluster.countFramesTo(1, SLOW);
            List<CompletionStage<Version>> good = new ArrayList<>(puts(cluster, "first", 2));
            var bad = cluster.node(0).put(Key.of("bad"), new byte[101], ALL_OF_THREE);
            good.addAll(puts(cluster, "second", 3));
            assertThat(cluster.failureOf(bad))
                    .hasMessageContaining("at most 100 bytes")
                    .hasMessageContaining("n1");
            good.forEach(cluster::await);
            assertThat(frames).as("two alone, the others together").hasValue(3);
        }
    }

    @Test
    void aThousandPartsThatFailFitIntoAReply() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3)
                .topologies(BatchingTest::newerAtTheFirst)
                .options((i, b) -> b.maxValueBytes(i == 0 ? 1000 : 1).timeout(Duration.ofMinutes(1)))
                .start()) {
            AtomicInteger frames = cluster.countFramesTo(1, SLOW);
            List<CompletionStage<Version>> puts = puts(cluster, "k", 1000);
            puts.forEach(put -> assertThat(cluster.failureOf(put)).hasMessageContaining("at most 1 bytes"));
            cluster.env.advance(Duration.ofMillis(10));
            assertThat(frames).hasValue(3);
        }
    }

    @Test
    void aPartWhoseDeadlinePassesWhileItWaitsIsLeftOut() {
        try (SimulatedCluster cluster = start(Batching.on())) {
            cluster.towardNode(1, Fault.loseRequest());
            puts(cluster, "hung", 2);
            cluster.heal();
            Duration before = cluster.env.elapsed();
            var late = cluster.node(0).put(Key.of("late"), bytes("v"), ALL_OF_THREE.withTimeout(Duration.ofMillis(10)));
            var patient = cluster.node(0).put(Key.of("patient"), bytes("v"), ALL_OF_THREE);
            assertThat(cluster.failureOf(late).code()).isEqualTo(ErrorCode.WRITE_INDETERMINATE);
            assertThat(cluster.env.elapsed().minus(before)).isEqualTo(Duration.ofMillis(10));
            cluster.await(patient);
            assertThat(cluster.stores.get(1).get(Key.of("late"))).isEmpty();
            assertThat(cluster.stores.get(1).get(Key.of("patient"))).isPresent();
        }
    }

    @Test
    void delayedFramesDoNotDelayOthers() {
        try (SimulatedCluster cluster = start(Batching.on())) {
            cluster.towardNode(1, Fault.loseRequest());
            puts(cluster, "hung", 2);
            cluster.heal();
            Duration before = cluster.env.elapsed();
            cluster.await(cluster.node(0).put(Key.of("k"), bytes("v"), ALL_OF_THREE));
            assertThat(cluster.env.elapsed().minus(before)).isEqualTo(Duration.ofMillis(20));
            cluster.await(cluster.node(0).put(Key.of("k"), bytes("w"), ALL_OF_THREE));
            assertThat(cluster.env.elapsed().minus(before)).isEqualTo(Duration.ofMillis(20));
        }
    }

    @Test
    void aLargeValueGoesAloneAndAtOnce() {
        try (SimulatedCluster cluster = start(Batching.on())) {
            AtomicInteger frames = cluster.countFramesTo(1, SLOW);
            List<CompletionStage<Version>> puts = new ArrayList<>(puts(cluster, "k", 10));
            assertThat(frames).hasValue(2);
            puts.add(cluster.node(0).put(Key.of("large"), new byte[65_000], ALL_OF_THREE));
            assertThat(frames).as("waits, being just small enough").hasValue(2);
            puts.add(cluster.node(0).put(Key.of("larger"), new byte[65_536], ALL_OF_THREE));
            assertThat(frames).as("goes at once").hasValue(3);
            puts.forEach(cluster::await);
            assertThat(frames).hasValue(4);
        }
    }

    @Test
    void largeValueIsFetchedApartFromSmallOnes() {
        try (SimulatedCluster cluster = start(Batching.on())) {
            Key large = cluster.keyOf(1, 0);
            byte[] value = new byte[100_000];
            value[99_999] = 1;
            cluster.await(cluster.node(0).put(large, value, ALL_OF_THREE));
            puts(cluster, "small", 20).forEach(cluster::await);
            AtomicInteger frames = cluster.countFramesTo(1, SLOW);
            CallOptions fromFirst = CallOptions.defaults().withPolicy(1, 1);
            List<Key> small = new ArrayList<>();
            for (int i = 0; small.size() < 4; i++) {
                if (cluster.replica(Key.of("small" + i), 0) == 1) {
                    small.add(Key.of("small" + i));
                }
            }
            Duration before = cluster.env.elapsed();
            var first = cluster.node(0).get(small.get(0), fromFirst);
            var second = cluster.node(0).get(small.get(1), fromFirst);
            var third = cluster.node(0).get(small.get(2), fromFirst);
            var whole = cluster.node(0).get(large, fromFirst);
            var fourth = cluster.node(0).get(small.get(3), fromFirst);
            List.of(first, second, third, fourth)
                    .forEach(get -> assertThat(cluster.await(get)).isPresent());
            assertThat(cluster.env.elapsed().minus(before)).isEqualTo(Duration.ofMillis(4));
            assertThat(whole.toCompletableFuture()).isNotDone();
            assertThat(cluster.await(whole).orElseThrow().bytes()).isEqualTo(value);
            assertThat(cluster.env.elapsed().minus(before)).isEqualTo(Duration.ofMillis(6));
            assertThat(frames).as("two alone, three together, and the fetch").hasValue(4);
        }
    }

    @Test
    void aFrameOfUnknownOutcomeIsSentOnceMorePartByPart() {
        try (SimulatedCluster cluster = start(Batching.on())) {
            AtomicInteger frames = new AtomicInteger();
            cluster.links
                    .get(0)
                    .toward(id(1), () -> frames.incrementAndGet() == 3 ? Fault.failAfterDelivery() : Fault.none());
            puts(cluster, "k", 10).forEach(cluster::await);
            assertThat(frames)
                    .as("two alone, the others together and once more")
                    .hasValue(4);
        }
    }

    @Test
    void aFrameThatFailsTwiceLeavesItsWritesIndeterminate() {
        try (SimulatedCluster cluster = start(Batching.on())) {
            AtomicInteger frames = new AtomicInteger();
            cluster.links
                    .get(0)
                    .toward(id(1), () -> frames.incrementAndGet() >= 3 ? Fault.failAfterDelivery() : Fault.none());
            List<CompletionStage<Version>> puts = puts(cluster, "k", 10);
            puts.subList(0, 2).forEach(cluster::await);
            puts.subList(2, 10)
                    .forEach(put -> assertThat(cluster.failureOf(put).code()).isEqualTo(ErrorCode.WRITE_INDETERMINATE));
            assertThat(frames).hasValue(4);
        }
    }

    @Test
    void waitingRequestsReachARestartedPeer() {
        try (SimulatedCluster cluster = start(Batching.on())) {
            cluster.towardNode(1, Fault.delay(Duration.ZERO, Duration.ofMillis(5)));
            List<CompletionStage<Version>> puts = puts(cluster, "k", 10);
            cluster.env.advance(Duration.ofMillis(1));
            cluster.heal();
            cluster.restartNode(1);
            puts.forEach(cluster::await);
            for (int i = 0; i < 10; i++) {
                assertThat(cluster.stores.get(1).get(Key.of("k" + i))).isPresent();
            }
        }
    }

    @Test
    void aPeerThatRefusesFailsTheRequestsThatWaitedAsNotSent() {
        try (SimulatedCluster cluster = start(Batching.on())) {
            cluster.stop(1);
            cluster.stop(2);
            puts(cluster, "k", 10)
                    .forEach(put -> assertThat(cluster.failureOf(put)).hasMessageContaining("nothing listens"));
            List<CompletionStage<Optional<Value>>> gets = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                gets.add(cluster.node(0).get(Key.of("k" + i), TWO_OF_THREE));
            }
            gets.forEach(get -> assertThat(cluster.failureOf(get).code()).isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS));
        }
    }

    @Test
    void requestsWaitingForAPeerAreBounded() {
        try (SimulatedCluster cluster = start(builder -> builder.maxInFlight(10))) {
            cluster.towardNode(1, Fault.loseRequest());
            for (int i = 0; i < 12; i++) {
                cluster.await(cluster.node(0).put(Key.of("k" + i), new byte[1], TWO_OF_THREE));
            }
            DhtException failure = cluster.failureOf(cluster.node(0).put(Key.of("k"), new byte[1], ALL_OF_THREE));
            assertThat(failure).hasMessageContaining("n1").hasMessageContaining("overloaded");
            cluster.env.advance(Duration.ofMillis(20));
            cluster.heal();
            cluster.await(cluster.node(0).put(Key.of("k"), new byte[1], ALL_OF_THREE));
        }
    }

    @Test
    void closingFailsWhatWaits() {
        SimulatedCluster cluster = start(Batching.on());
        cluster.towardNode(1, Fault.loseRequest());
        List<CompletionStage<Version>> puts = puts(cluster, "k", 10);
        cluster.nodes.get(0).close();
        cluster.env.advance(Duration.ofSeconds(2));
        assertThat(puts).allMatch(put -> put.toCompletableFuture().isCompletedExceptionally());
        cluster.close();
    }

    @Test
    void aStoreThatBlocksIsReadAndWrittenInBatchesToo() {
        try (SimulatedCluster cluster =
                SimulatedCluster.of(1, 3).stores(i -> new BlockingStore()).start()) {
            AtomicInteger frames = cluster.countFramesTo(1, SLOW);
            puts(cluster, "k", 100).forEach(cluster::await);
            List<CompletionStage<Optional<Value>>> gets = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                gets.add(cluster.node(0).get(Key.of("k" + i), ALL_OF_THREE));
            }
            for (int i = 0; i < 100; i++) {
                assertThat(cluster.await(gets.get(i)).map(Value::text)).contains("k value " + i);
            }
            assertThat(frames).hasValue(6);

            ((BlockingStore) cluster.stores.get(1)).broken = true;
            puts(cluster, "k", 5)
                    .forEach(put -> assertThat(cluster.failureOf(put)).hasMessageContaining("disk full"));
            cluster.stores.set(1, new ModelStore());
        }
    }
}
