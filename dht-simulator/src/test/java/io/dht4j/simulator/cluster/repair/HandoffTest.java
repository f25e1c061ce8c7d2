package io.dht4j.simulator.cluster.repair;

import static io.dht4j.simulator.cluster.SimulatedCluster.bytes;
import static io.dht4j.simulator.cluster.SimulatedCluster.id;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.CallOptions;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.Topology;
import io.dht4j.Version;
import io.dht4j.core.internal.handoff.MemoryHintLog;
import io.dht4j.core.options.HintedHandoff;
import io.dht4j.simulator.cluster.BlockingStore;
import io.dht4j.simulator.cluster.SimulatedCluster;
import io.dht4j.spi.Entry;
import io.dht4j.testkit.network.Fault;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Node 0 coordinates; nobody reads, so that what the others get they get by hints. */
class HandoffTest {

    private static final CallOptions ONE = CallOptions.defaults().withPolicy(1, 3);
    private static final CallOptions TWO = CallOptions.defaults().withPolicy(2, 3);
    private static final Key KEY = Key.of("key");
    /** Longer than any wait between two tries. */
    private static final Duration WHILE = Duration.ofSeconds(15);

    private static Optional<Entry> held(SimulatedCluster cluster, int node, Key key) {
        return cluster.stores.get(node).get(key);
    }

    static List<Fault> absences() {
        return List.of(Fault.refuse(), Fault.loseRequest());
    }

    @ParameterizedTest
    @MethodSource("absences")
    void whatAReplicaMissedItGetsWhenItAnswersAgain(Fault absence) {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            cluster.towardNode(2, absence);
            Version version = cluster.await(cluster.node(0).put(KEY, bytes("v"), TWO));
            cluster.env.advance(Duration.ofMinutes(1));
            assertThat(held(cluster, 2, KEY)).isEmpty();

            cluster.heal();
            cluster.env.advance(WHILE);

            assertThat(held(cluster, 2, KEY))
                    .isEqualTo(held(cluster, 0, KEY))
                    .hasValueSatisfying(entry -> assertThat(entry.version()).isEqualTo(version));
        }
    }

    @Test
    void whatACoordinatorMissesItselfItGetsToo() {
        try (SimulatedCluster cluster =
                SimulatedCluster.of(1, 3).stores(i -> new BlockingStore()).start()) {
            // So that the node has reserved versions before.
            cluster.env.advance(Duration.ofMillis(100));
            CompletionStage<Version> put = cluster.node(0).put(KEY, bytes("v"), TWO);
            // For longer than the call may take, so that its own replica does not do any more what is late.
            cluster.environments.get(0).pause(Duration.ofSeconds(2));
            cluster.env.runUntil(() -> put.toCompletableFuture().isDone(), Duration.ofSeconds(5));
            assertThat(held(cluster, 0, KEY)).isEmpty();
            assertThat(held(cluster, 1, KEY)).isPresent();

            cluster.env.advance(WHILE);

            assertThat(held(cluster, 0, KEY)).isPresent().isEqualTo(held(cluster, 1, KEY));
        }
    }

    @Test
    void theOnlyNodeKeepsNoHintsForItself() {
        try (SimulatedCluster cluster =
                SimulatedCluster.of(1, 1).stores(i -> new BlockingStore()).start()) {
            cluster.env.advance(Duration.ofMillis(100));
            CompletionStage<Version> put = cluster.node(0).put(KEY, bytes("v"));
            cluster.environments.get(0).pause(Duration.ofSeconds(2));
            cluster.env.runUntil(() -> put.toCompletableFuture().isDone(), Duration.ofSeconds(5));

            cluster.env.advance(WHILE);

            assertThat(held(cluster, 0, KEY)).isEmpty();
        }
    }

    @Test
    void manyOfItsOwnHintsAreTakenThoughSomeAreRefused() {
        MemoryHintLog log = new MemoryHintLog(16 << 20);
        // Large batches, each with something that is refused, at a store that answers on the thread that asks.
        List<Entry> missed = IntStream.range(0, 20_000)
                .mapToObj(i ->
                        Entry.value(Key.of("key" + i), new Version(77), new byte[i % 100 == 0 ? 2000 : 1], Entry.NEVER))
                .toList();
        log.add(id(0), missed, VirtualEnvironment.START_MILLIS);
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3)
                .options((i, b) -> (i == 0 ? b.hints(log) : b).maxValueBytes(1024))
                .start()) {
            cluster.env.runUntil(() -> log.bytes() == 0, Duration.ofMinutes(5));

            assertThat(cluster.stores.get(0).entries()).isEqualTo(19_800);
        }
    }

    @Test
    void aSignOfLifeEndsTheWait() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            cluster.towardNode(2, Fault.refuse());
            cluster.await(cluster.node(0).put(KEY, bytes("v"), TWO));
            // Long enough for waits to have become long.
            cluster.env.advance(Duration.ofMinutes(5));
            cluster.heal();

            cluster.await(cluster.node(0)
                    .put(Key.of("other"), bytes("v"), CallOptions.defaults().withPolicy(3, 3)));
            cluster.env.advance(Duration.ofMillis(10));

            assertThat(held(cluster, 2, KEY)).isEqualTo(held(cluster, 0, KEY));
        }
    }

    @Test
    void tombstonesAndExpiryAreHandedOverAsTheyAre() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            cluster.await(
                    cluster.node(0).put(KEY, bytes("v"), CallOptions.defaults().withPolicy(3, 3)));
            cluster.towardNode(2, Fault.refuse());
            cluster.await(cluster.node(0).delete(KEY, TWO));
            Key other = Key.of("other");
            cluster.await(cluster.node(0).put(other, bytes("v"), TWO.withTimeToLive(Duration.ofHours(1))));
            cluster.heal();
            cluster.env.advance(WHILE);

            assertThat(held(cluster, 2, KEY))
                    .hasValueSatisfying(entry -> assertThat(entry.isTombstone()).isTrue());
            assertThat(held(cluster, 2, other)).isEqualTo(held(cluster, 0, other));
        }
    }

    @Test
    void aHintDoesNotCountAsAReplica() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            cluster.towardNode(1, Fault.refuse());
            cluster.towardNode(2, Fault.refuse());

            assertThat(cluster.failureOf(cluster.node(0).put(KEY, bytes("v"), TWO))
                            .code())
                    .isEqualTo(ErrorCode.WRITE_INDETERMINATE);
            cluster.heal();
            cluster.env.advance(WHILE);

            // It may have happened, and by now it has: on every replica.
            assertThat(held(cluster, 0, KEY)).isPresent();
            assertThat(held(cluster, 1, KEY)).isEqualTo(held(cluster, 0, KEY));
            assertThat(held(cluster, 2, KEY)).isEqualTo(held(cluster, 0, KEY));
        }
    }

    @Test
    void aWriteThatCertainlyFailedIsNotDoneLater() {
        // Node 0 is no replica of this key.
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 5).start()) {
            Key key = IntStream.iterate(0, i -> i + 1)
                    .mapToObj(i -> Key.of("key" + i))
                    .filter(each -> IntStream.range(0, 3).noneMatch(n -> cluster.replica(each, n) == 0))
                    .findFirst()
                    .orElseThrow();
            for (int node = 1; node < 5; node++) {
                cluster.towardNode(node, Fault.refuse());
            }

            assertThat(cluster.failureOf(cluster.node(0).put(key, bytes("v"), ONE))
                            .code())
                    .isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
            cluster.heal();
            cluster.env.advance(WHILE);

            for (int node = 0; node < 5; node++) {
                assertThat(held(cluster, node, key)).isEmpty();
            }
        }
    }

    @Test
    void manyMissedWritesComeInBatchesWithinTheRate() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3)
                .options(b -> b.handoff(new HintedHandoff(true, Duration.ofHours(1), 100_000)))
                .start()) {
            cluster.towardNode(2, Fault.refuse());
            Map<Key, byte[]> values = IntStream.range(0, 500)
                    .boxed()
                    .collect(Collectors.toMap(i -> Key.of("key" + i), i -> new byte[2000]));
            cluster.await(cluster.node(0).putAll(values, TWO));
            cluster.heal();
            Duration before = cluster.env.elapsed();

            cluster.env.runUntil(() -> cluster.stores.get(2).entries() == 500, Duration.ofMinutes(5));

            // A million bytes at a hundred thousand a second, the first and the last batch apart.
            assertThat(cluster.env.elapsed().minus(before)).isBetween(Duration.ofSeconds(4), Duration.ofSeconds(30));
        }
    }

    @Test
    void hintsBecomeNoOlderThanTheyMay() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3)
                .options(b -> b.handoff(new HintedHandoff(true, Duration.ofMinutes(1), 1 << 20)))
                .start()) {
            cluster.towardNode(2, Fault.refuse());
            cluster.await(cluster.node(0).put(KEY, bytes("v"), TWO));
            cluster.env.advance(Duration.ofMinutes(2));
            cluster.heal();
            cluster.env.advance(Duration.ofMinutes(2));

            assertThat(held(cluster, 2, KEY)).isEmpty();
        }
    }

    @Test
    void nothingIsKeptWhereItIsOff() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3)
                .options(b -> b.handoff(HintedHandoff.off()))
                .start()) {
            cluster.towardNode(2, Fault.refuse());
            cluster.await(cluster.node(0).put(KEY, bytes("v"), TWO));
            cluster.heal();
            cluster.env.advance(WHILE);

            assertThat(held(cluster, 2, KEY)).isEmpty();
        }
    }

    @Test
    void whatWasKeptBeforeARestartIsHandedOverAfterIt() {
        MemoryHintLog log = new MemoryHintLog(1 << 20);
        Entry entry = Entry.value(KEY, new Version(77), bytes("v"), Entry.NEVER);
        log.add(id(2), List.of(entry), VirtualEnvironment.START_MILLIS);
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3)
                .options((i, b) -> i == 0 ? b.hints(log) : b)
                .start()) {
            cluster.env.advance(WHILE);

            assertThat(held(cluster, 2, KEY)).contains(entry);
            assertThat(log.bytes()).isZero();
        }
    }

    @Test
    void aNodeThatRefusesOneEntryGetsTheOthers() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3)
                // A newer topology lets the others' requests in though the third one is configured otherwise.
                .topologies((i, t) -> i == 2 ? t : new Topology(t.epoch() + 1, t.nodes()))
                .options((i, b) -> b.maxValueBytes(i == 2 ? 100 : 1000).inlineValueBytes(10))
                .start()) {
            cluster.towardNode(2, Fault.refuse());
            for (int i = 0; i < 10; i++) {
                cluster.await(cluster.node(0).put(Key.of("key" + i), new byte[i == 5 ? 200 : 20], TWO));
            }
            cluster.heal();
            cluster.env.advance(WHILE);

            for (int i = 0; i < 10; i++) {
                Key key = Key.of("key" + i);
                if (i == 5) {
                    assertThat(held(cluster, 2, key)).isEmpty();
                } else {
                    assertThat(held(cluster, 2, key)).isEqualTo(held(cluster, 0, key));
                }
            }
        }
    }

    @Test
    void boundsAreChecked() {
        assertThatThrownBy(() -> new HintedHandoff(true, Duration.ZERO, 1 << 20))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("maxAge");
        assertThatThrownBy(() -> new HintedHandoff(true, Duration.ofHours(1), 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("bytesPerSecond");
    }
}
