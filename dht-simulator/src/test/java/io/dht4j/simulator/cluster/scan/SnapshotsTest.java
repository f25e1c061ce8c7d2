package io.dht4j.simulator.cluster.scan;

import static io.dht4j.simulator.cluster.SimulatedCluster.bytes;
import static io.dht4j.simulator.cluster.scan.SnapshotCalls.DEFAULTS;
import static io.dht4j.simulator.cluster.scan.SnapshotCalls.EVERYWHERE;
import static io.dht4j.simulator.cluster.scan.SnapshotCalls.LEASE;
import static io.dht4j.simulator.cluster.scan.SnapshotCalls.fill;
import static io.dht4j.simulator.cluster.scan.SnapshotCalls.goneFrom;
import static io.dht4j.simulator.cluster.scan.SnapshotCalls.open;
import static io.dht4j.simulator.cluster.scan.SnapshotCalls.present;
import static io.dht4j.simulator.cluster.scan.SnapshotCalls.put;
import static io.dht4j.simulator.cluster.scan.SnapshotCalls.read;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.KeyValue;
import io.dht4j.Scan;
import io.dht4j.Snapshot;
import io.dht4j.Value;
import io.dht4j.Version;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.core.options.HintedHandoff;
import io.dht4j.simulator.cluster.SimulatedCluster;
import io.dht4j.testkit.network.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Snapshots of a cluster that goes on to serve. */
class SnapshotsTest {

    @ParameterizedTest
    @ValueSource(ints = {3, 5})
    void laterWritesDoNotChangeASnapshot(int size) {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, size).start()) {
            fill(cluster, 3000);
            cluster.await(cluster.node(1).delete(Key.of("key00007"), EVERYWHERE));
            TreeMap<Key, Value> before = present(cluster);

            Version snapshot = open(cluster, 1);
            for (int i = 0; i < 3000; i += 3) {
                put(cluster, i % size, "key%05d".formatted(i), "after");
                put(cluster, i % size, "key%05d".formatted(i), "after that");
            }
            for (int i = 1; i < 3000; i += 3) {
                cluster.await(cluster.node(0).delete(Key.of("key%05d".formatted(i)), EVERYWHERE));
            }
            put(cluster, 2, "aaa", "new");
            put(cluster, 2, "zzz", "new");

            for (int node = 0; node < size; node++) {
                assertThat(read(cluster, node, snapshot)).isEqualTo(before);
            }
            assertThat(present(cluster)).hasSize(2002).isNotEqualTo(before);
        }
    }

    @Test
    void writesContinueBetweenPages() {
        try (SimulatedCluster cluster = SimulatedCluster.of(2, 3).start()) {
            fill(cluster, 5000);
            TreeMap<Key, Value> before = present(cluster);
            Version snapshot = open(cluster, 0);
            Scan scan = cluster.node(2).snapshot(snapshot).scan(KeyRange.all(), DEFAULTS);
            TreeMap<Key, Value> shown = new TreeMap<>();
            int round = 0;
            List<KeyValue> page = cluster.await(scan.next());
            while (!page.isEmpty()) {
                page.forEach(entry -> shown.put(entry.key(), entry.value()));
                for (int i = 0; i < 5000; i += 50) {
                    put(cluster, 1, "key%05d".formatted((i + round) % 5000), "round " + round);
                }
                round++;
                page = cluster.await(scan.next());
            }
            assertThat(round).isGreaterThan(3);
            assertThat(shown).isEqualTo(before);
        }
    }

    /** A client that writes to each key of a pair in turn, the next value when the last was acknowledged. */
    private static final class Writer {

        private final SimulatedCluster cluster;
        private final SplittableRandom random;
        private final String name;
        /** What was acknowledged of each key, by version. */
        private final Map<Key, TreeMap<Version, String>> acknowledged = new TreeMap<>();

        private boolean stopped;
        private boolean idle;
        private int count;

        Writer(SimulatedCluster cluster, String name, long seed) {
            this.cluster = cluster;
            this.name = name;
            this.random = new SplittableRandom(seed);
            next();
        }

        private void next() {
            if (stopped) {
                idle = true;
                return;
            }
            int turn = count++;
            Key key = Key.of(name + turn % 2);
            int node = random.nextInt(cluster.nodes.size());
            cluster.node(node).put(key, bytes("" + turn)).whenComplete((version, error) -> {
                if (error == null) {
                    acknowledged.computeIfAbsent(key, k -> new TreeMap<>()).put(version, "" + turn);
                }
                next();
            });
        }

        void stop() {
            stopped = true;
            cluster.env.runUntil(() -> idle, SimulatedCluster.BOUND);
        }
    }

    /** Links are slow, each otherwise, so that writes are under way in every state while the snapshot begins. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void snapshotShowsConcurrentWritesUpToItsVersion(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        try (SimulatedCluster cluster = SimulatedCluster.of(seed, 4)
                .clocks(i -> Duration.ofMillis(7L * i))
                .start()) {
            for (int from = 0; from < 4; from++) {
                for (int to = 0; to < 4; to++) {
                    if (from != to) {
                        cluster.links
                                .get(from)
                                .toward(
                                        SimulatedCluster.id(to),
                                        Fault.delay(
                                                Duration.ofMillis(random.nextInt(30)),
                                                Duration.ofMillis(random.nextInt(30))));
                    }
                }
            }
            List<Writer> writers = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                writers.add(new Writer(cluster, "writer" + i + "-", seed * 31 + i));
            }
            cluster.env.advance(Duration.ofMillis(500));
            Map<Key, Version> before = new TreeMap<>();
            writers.forEach(
                    writer -> writer.acknowledged.forEach((key, versions) -> before.put(key, versions.lastKey())));

            Version snapshot = open(cluster, (int) (seed % 4));
            cluster.env.advance(Duration.ofMillis(random.nextInt(200)));
            TreeMap<Key, Value> shown = read(cluster, random.nextInt(4), snapshot);
            cluster.env.advance(Duration.ofMillis(300));
            TreeMap<Key, Value> again = read(cluster, random.nextInt(4), snapshot);
            writers.forEach(Writer::stop);

            assertThat(before).hasSize(40);
            before.forEach((key, version) -> assertThat(version).isLessThan(snapshot));
            assertThat(again).isEqualTo(shown);
            for (Writer writer : writers) {
                writer.acknowledged.forEach((key, versions) -> {
                    Map.Entry<Version, String> newest = versions.floorEntry(snapshot);
                    Value value = shown.get(key);
                    assertThat(value).isNotNull();
                    assertThat(newest).isNotNull();
                    assertThat(value.text()).as("%s, seed %d", key, seed).isEqualTo(newest.getValue());
                    assertThat(value.version()).isEqualTo(newest.getKey());
                    assertThat(versions.lastKey()).as("writes went on").isGreaterThan(snapshot);
                });
            }
        }
    }

    /**
     * Its version is older than the snapshot's, and it comes to its replicas when they could have been read long ago.
     */
    @Test
    void aWriteUnderWayIsWaitedFor() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 4).start()) {
            Key key = Key.of("k0");
            for (int i = 1; IntStream.range(0, 3).anyMatch(replicaOf(cluster, key)); i++) {
                key = Key.of("k" + i);
            }
            cluster.await(cluster.node(1).put(key, bytes("before"), EVERYWHERE));
            for (int replica = 1; replica < 4; replica++) {
                cluster.links
                        .get(0)
                        .toward(SimulatedCluster.id(replica), Fault.delay(Duration.ofMillis(300), Duration.ZERO));
            }
            CompletableFuture<Version> late =
                    cluster.node(0).put(key, bytes("late"), DEFAULTS).toCompletableFuture();

            Version snapshot = open(cluster, 1);
            Value shown = read(cluster, 1, snapshot).get(key);

            assertThat(cluster.await(late)).isLessThan(snapshot);
            assertThat(shown).isNotNull();
            assertThat(shown.text()).isEqualTo("late");
        }
    }

    private static IntPredicate replicaOf(SimulatedCluster cluster, Key key) {
        return n -> cluster.replica(key, n) == 0;
    }

    @Test
    void snapshotHoldsEntriesOfASingleReplica() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3)
                .options(b -> b.handoff(HintedHandoff.off()))
                .start()) {
            for (int node = 0; node < 3; node++) {
                cluster.heal();
                for (int other = 0; other < 3; other++) {
                    if (other != node) {
                        cluster.links.get(node).toward(SimulatedCluster.id(other), Fault.refuse());
                    }
                }
                cluster.await(cluster.node(node).put(Key.of("only" + node), bytes("v"), DEFAULTS.withPolicy(1, 3)));
            }
            cluster.heal();
            // Nobody is suspected any more.
            cluster.env.advance(Duration.ofSeconds(30));

            assertThat(read(cluster, 0, open(cluster, 1)).keySet())
                    .containsExactly(Key.of("only0"), Key.of("only1"), Key.of("only2"));
        }
    }

    @Test
    void expiryIsKeptAndWhatHasExpiredIsLeftOut() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            cluster.await(
                    cluster.node(0).put(Key.of("long"), bytes("v"), EVERYWHERE.withTimeToLive(Duration.ofHours(1))));
            cluster.await(
                    cluster.node(0).put(Key.of("short"), bytes("v"), EVERYWHERE.withTimeToLive(Duration.ofSeconds(5))));
            TreeMap<Key, Value> before = present(cluster);
            Version snapshot = open(cluster, 0);
            put(cluster, 1, "long", "again");
            put(cluster, 1, "short", "again");

            assertThat(read(cluster, 2, snapshot)).isEqualTo(before);
            assertThat(before.get(Key.of("long")).expiresAt()).isPresent();
            cluster.env.advance(Duration.ofSeconds(10));
            assertThat(read(cluster, 2, snapshot).keySet()).containsExactly(Key.of("long"));
        }
    }

    @Test
    void aClosedSnapshotIsGoneOnEveryNode() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            fill(cluster, 10);
            Version snapshot = open(cluster, 0);
            Version other = open(cluster, 1);
            assertThat(other).isGreaterThan(snapshot);
            cluster.await(cluster.node(2).snapshot(snapshot).close(DEFAULTS));
            cluster.await(cluster.node(2).snapshot(snapshot).close(DEFAULTS));

            assertThat(goneFrom(cluster, snapshot)).hasMessageContaining("it was closed");
            assertThat(read(cluster, 0, other)).hasSize(10);
            assertThat(goneFrom(cluster, new Version(5))).hasMessageContaining("does not have it");
        }
    }

    @Test
    void closingASnapshotEndsItInTheBackground() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            fill(cluster, 10);
            Version version;
            try (Snapshot snapshot = cluster.await(cluster.node(1).openSnapshot(LEASE, DEFAULTS))) {
                version = snapshot.version();
                put(cluster, 0, "key00000", "after");
                assertThat(read(cluster, 2, version).get(Key.of("key00000")))
                        .extracting(Value::text)
                        .isEqualTo("before 0");
            }
            cluster.env.advance(Duration.ofSeconds(1));

            assertThat(goneFrom(cluster, version)).hasMessageContaining("it was closed");
        }
    }

    @Test
    void openSnapshotsAreBounded() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 1).start()) {
            for (int i = 0; i < 4; i++) {
                open(cluster, 0);
            }
            assertThat(cluster.failureOf(cluster.node(0).openSnapshot(LEASE, DEFAULTS)))
                    .hasMessageContaining("at most 4 snapshots");
            cluster.env.advance(LEASE.plusSeconds(1));
            open(cluster, 0);
        }
    }

    @Test
    void aMemberWithoutAStoreMayBeginAndReadOne() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start();
                Cluster member = ClusterBuilder.withoutStore("app", cluster.topology)
                        .transport(cluster.network.transport("app-host"))
                        .environment(cluster.env.newNode())
                        .timeout(Duration.ofSeconds(1))
                        .drainTimeout(Duration.ZERO)
                        .start()) {
            fill(cluster, 100);
            Version snapshot =
                    cluster.await(member.openSnapshot(LEASE, DEFAULTS)).version();
            cluster.await(member.put(Key.of("later"), bytes("v"), EVERYWHERE));
            assertThat(cluster.drain(member.snapshot(snapshot).scan(KeyRange.all(), DEFAULTS)))
                    .hasSize(100);
            assertThat(read(cluster, 0, snapshot)).hasSize(100);
        }
    }

    @Test
    void optionsAreChecked() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 1).start()) {
            Cluster node = cluster.node(0);
            for (Duration lease : List.of(Duration.ZERO, Duration.ofMillis(999), Duration.ofHours(2))) {
                DhtException failure = cluster.failureOf(node.openSnapshot(lease, DEFAULTS));
                assertThat(failure.code()).isEqualTo(ErrorCode.BAD_REQUEST);
                assertThat(failure).hasMessageContaining("must be 1s to 1h");
            }
            CallOptions expiring = DEFAULTS.withTimeToLive(Duration.ofSeconds(1));
            assertThat(cluster.failureOf(node.openSnapshot(LEASE, expiring)).code())
                    .isEqualTo(ErrorCode.TTL_INVALID);
            assertThat(cluster.failureOf(node.openSnapshot(LEASE, DEFAULTS.withPolicy(2, 2)))
                            .code())
                    .isEqualTo(ErrorCode.POLICY_INVALID);
            assertThat(Optional.of(open(cluster, 0))).isPresent();
        }
    }
}
