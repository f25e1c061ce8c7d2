package io.dht4j.simulator.cluster.order;

import static io.dht4j.simulator.cluster.SimulatedCluster.id;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.Ordering;
import io.dht4j.Value;
import io.dht4j.Version;
import io.dht4j.core.FailureDetectors;
import io.dht4j.simulator.cluster.SimulatedCluster;
import io.dht4j.spi.Entry;
import io.dht4j.testkit.network.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Writes that meet a newer entry on one replica while another one does not answer. Node 0 coordinates. */
class SupersededWritesTest {

    private static final Key KEY = Key.of("key");
    private static final Duration PATIENCE = Duration.ofMillis(500);
    /** Longer than the pause before a second version. */
    private static final Duration SOON = Duration.ofMillis(50);

    private static final byte[] NEW = "new".getBytes(UTF_8);

    /** How far the newer entry is ahead of the clocks. */
    private static final Duration AHEAD = Duration.ofSeconds(10);

    private static CallOptions majority(int from) {
        return CallOptions.defaults().withPolicy(from / 2 + 1, from);
    }

    /** A cluster whose nodes know each other, so that none is suspected. */
    private static SimulatedCluster started(long seed, int nodes) {
        SimulatedCluster cluster = SimulatedCluster.of(seed, nodes).start();
        cluster.env.advance(Duration.ofSeconds(1));
        return cluster;
    }

    /** The entry of a write that overlaps with those of node 0, as far as one replica has it. */
    private static Version overlap(SimulatedCluster cluster, int node, Key key) {
        Version version = Version.of(cluster.env.currentTimeMillis() + AHEAD.toMillis(), 0);
        cluster.stores.get(node).apply(List.of(Entry.value(key, version, "overlapping".getBytes(UTF_8), Entry.NEVER)));
        return version;
    }

    private static void fault(SimulatedCluster cluster, int node, Fault fault) {
        cluster.links.get(0).toward(id(node), fault);
    }

    private static Duration timeOf(SimulatedCluster cluster, Runnable call) {
        Duration before = cluster.env.elapsed();
        call.run();
        return cluster.env.elapsed().minus(before);
    }

    private static void assertHolds(SimulatedCluster cluster, Version version, int... nodes) {
        for (int node : nodes) {
            assertThat(cluster.stores.get(node).get(KEY)).map(Entry::version).hasValue(version);
        }
    }

    @ParameterizedTest
    @EnumSource
    void silentReplicaDoesNotFailAnOverlappingWrite(Ordering ordering) {
        try (SimulatedCluster cluster = started(1, 3)) {
            fault(cluster, 2, Fault.loseRequest());
            for (int i = 0; i < 20; i++) {
                Version overlapping = overlap(cluster, 1, KEY);
                Version written =
                        cluster.await(cluster.node(0).put(KEY, NEW, majority(3).withOrdering(ordering)));
                assertThat(written).isGreaterThan(overlapping);
                assertHolds(cluster, written, 0, 1);
            }
        }
    }

    @Test
    void overlappingWriteWaitsUntilSuspicion() {
        try (SimulatedCluster cluster = started(1, 3)) {
            fault(cluster, 2, Fault.loseRequest());
            Runnable put = () -> {
                overlap(cluster, 1, KEY);
                cluster.await(cluster.node(0).put(KEY, NEW, majority(3)));
            };
            assertThat(timeOf(cluster, put)).isBetween(PATIENCE, PATIENCE.plus(SOON));
            assertThat(timeOf(cluster, put)).isLessThan(SOON);
        }
    }

    @Test
    @DisplayName("a write waits the suspicion time for a late replica that answers other calls")
    void writeWaitsTheSuspicionTimeForALateReplica() {
        try (SimulatedCluster cluster = started(1, 3)) {
            overlap(cluster, 1, KEY);
            fault(cluster, 2, Fault.delay(Duration.ZERO, Duration.ofMillis(900)));
            CompletableFuture<Version> put =
                    cluster.node(0).put(KEY, NEW, majority(3)).toCompletableFuture();
            for (int i = 0; i < 4; i++) {
                cluster.env.advance(Duration.ofMillis(100));
                fault(cluster, 2, Fault.none());
                cluster.await(cluster.node(0)
                        .get(Key.of("other"), CallOptions.defaults().withPolicy(3, 3)));
                fault(cluster, 2, Fault.loseRequest());
            }
            cluster.env.advance(Duration.ofMillis(99));
            assertThat(put).isNotDone();
            cluster.env.advance(SOON);
            assertThat(put).isCompleted();
        }
    }

    @Test
    void writeWithoutADetectorWaitsForASilentReplica() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3)
                .options(builder -> builder.failureDetector(FailureDetectors.none()))
                .start()) {
            fault(cluster, 2, Fault.loseRequest());
            overlap(cluster, 1, KEY);
            assertThat(cluster.failureOf(cluster.node(0).put(KEY, NEW, majority(3)))
                            .code())
                    .isEqualTo(ErrorCode.WRITE_INDETERMINATE);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 100, 490})
    void replicaAnsweringInTimeNeedsNoSecondVersion(int millis) {
        try (SimulatedCluster cluster = started(1, 3)) {
            fault(cluster, 2, Fault.delay(Duration.ZERO, Duration.ofMillis(millis)));
            Version overlapping = overlap(cluster, 1, KEY);
            Version written = cluster.await(cluster.node(0).put(KEY, NEW, majority(3)));
            assertThat(written).isLessThan(overlapping);
            cluster.env.advance(Duration.ofSeconds(2));
            assertHolds(cluster, overlapping, 1);
            assertHolds(cluster, written, 0, 2);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void coordinatorThatWasPausedTakesNoReplicaForSilent(long seed) {
        try (SimulatedCluster cluster = started(seed, 3)) {
            fault(cluster, 2, Fault.delay(Duration.ZERO, Duration.ofMillis(100)));
            Version overlapping = overlap(cluster, 1, KEY);
            CompletableFuture<Version> put = cluster.node(0)
                    .put(KEY, NEW, majority(3).withTimeout(Duration.ofSeconds(20)))
                    .toCompletableFuture();
            cluster.env.advance(Duration.ofMillis(1));
            cluster.environments.get(0).pause(Duration.ofSeconds(5));
            assertThat(cluster.await(put)).isLessThan(overlapping);
        }
    }

    @Test
    void failedReplicaDoesNotReplaceALateOne() {
        try (SimulatedCluster cluster = started(1, 5)) {
            fault(cluster, 4, Fault.refuse());
            fault(cluster, 3, Fault.delay(Duration.ZERO, Duration.ofMillis(300)));
            Version overlapping = overlap(cluster, 2, KEY);
            assertThat(cluster.await(cluster.node(0).put(KEY, NEW, majority(5))))
                    .isLessThan(overlapping);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 5, 6, 7})
    void asManyReplicasMayBeSilentAsThePolicyCanSpare(int from) {
        try (SimulatedCluster cluster = started(1, from)) {
            CallOptions options = majority(from);
            for (int node = from / 2 + 1; node < from; node++) {
                fault(cluster, node, Fault.loseRequest());
            }
            for (int i = 0; i < 5; i++) {
                Version overlapping = overlap(cluster, 1, KEY);
                assertThat(cluster.await(cluster.node(0).put(KEY, NEW, options)))
                        .isGreaterThan(overlapping);
            }
        }
    }

    @Test
    void batchesAndDeletesAreWritesToo() {
        try (SimulatedCluster cluster = started(1, 3)) {
            fault(cluster, 2, Fault.loseRequest());
            Map<Key, byte[]> batch = new LinkedHashMap<>();
            for (int i = 0; i < 30; i++) {
                batch.put(Key.of("key" + i), NEW);
                if (i % 3 == 0) {
                    overlap(cluster, 1, Key.of("key" + i));
                }
            }
            cluster.await(cluster.node(0).putAll(batch, majority(3)));
            fault(cluster, 2, Fault.none());
            assertThat(cluster.await(cluster.node(2).getAll(batch.keySet(), majority(3)))
                            .values())
                    .hasSize(30)
                    .allMatch(value -> value.text().equals("new"));
            fault(cluster, 2, Fault.loseRequest());
            overlap(cluster, 1, KEY);
            cluster.await(cluster.node(0).delete(KEY, majority(3)));
            assertThat(cluster.await(cluster.node(1).get(KEY, majority(3)))).isEmpty();
        }
    }

    @Test
    void lateAnswerToTheFirstVersionDoesNotCountForTheSecond() {
        try (SimulatedCluster cluster = started(1, 3)) {
            fault(cluster, 2, Fault.delay(Duration.ZERO, Duration.ofMillis(600)));
            Version overlapping = overlap(cluster, 1, KEY);
            CompletableFuture<Version> put =
                    cluster.node(0).put(KEY, NEW, majority(3)).toCompletableFuture();
            cluster.env.advance(Duration.ofMillis(400));
            // The second version reaches node 0 only, and the answer of node 2 to the first is on its way.
            fault(cluster, 1, Fault.loseRequest());
            fault(cluster, 2, Fault.loseRequest());
            assertThat(cluster.failureOf(put).code()).isEqualTo(ErrorCode.WRITE_INDETERMINATE);
            assertHolds(cluster, overlapping, 1);
        }
    }

    /** Closed loops of writes of one key at several nodes, while the last node is silent. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void writersThatMeetSucceedWithFewSecondVersions(long seed) {
        int writes = 100;
        try (SimulatedCluster cluster = SimulatedCluster.of(seed, 3).start()) {
            List<Writer> writers = List.of(new Writer(cluster, 0, writes), new Writer(cluster, 1, writes));
            cluster.links.forEach(link -> link.toward(id(2), Fault.loseRequest()));
            cluster.env.advance(Duration.ofMillis(1));
            for (int i : new int[] {0, 1}) {
                cluster.links.get(i).toward(id(1 - i), () -> {
                    writers.get(i).sent++;
                    return Fault.delay(delay(cluster), delay(cluster));
                });
            }
            writers.forEach(Writer::next);
            cluster.env.runUntil(() -> writers.stream().allMatch(writer -> writer.left == 0), Duration.ofMinutes(5));
            assertThat(writers).allMatch(writer -> writer.failures.isEmpty());
            assertThat(writers).allMatch(writer -> writer.sent <= writes + writes / 5);
            Value last = cluster.await(cluster.node(0).get(KEY, majority(3))).orElseThrow();
            assertThat(last.version())
                    .isEqualTo(writers.stream()
                            .map(writer -> writer.newest)
                            .max(Version::compareTo)
                            .orElseThrow());
        }
    }

    private static Duration delay(SimulatedCluster cluster) {
        return Duration.ofNanos(cluster.env.random().nextLong(50_000, 1_000_000));
    }

    /** A closed loop. */
    private static final class Writer {
        final SimulatedCluster cluster;
        final int node;
        final List<Throwable> failures = new ArrayList<>();
        /** The frames to the other one. */
        int sent;

        int left;
        Version newest = Version.of(0, 0);

        Writer(SimulatedCluster cluster, int node, int writes) {
            this.cluster = cluster;
            this.node = node;
            this.left = writes;
        }

        void next() {
            cluster.node(node).put(KEY, NEW, majority(3)).whenComplete((version, error) -> {
                if (error != null) {
                    failures.add(error);
                } else if (version.compareTo(newest) > 0) {
                    newest = version;
                }
                left--;
                if (left > 0) {
                    cluster.environments.get(node).executor().execute(this::next);
                }
            });
        }
    }
}
