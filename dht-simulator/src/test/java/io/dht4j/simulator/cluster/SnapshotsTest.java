package io.dht4j.simulator.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.KeyValue;
import io.dht4j.Scan;
import io.dht4j.Value;
import io.dht4j.Version;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.core.HintedHandoff;
import io.dht4j.spi.RefillMarker;
import io.dht4j.testkit.network.Fault;
import io.dht4j.testkit.network.FaultyTransport;
import io.dht4j.testkit.store.ModelStore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Snapshots of a cluster that goes on to serve. */
class SnapshotsTest {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final CallOptions DEFAULTS = CallOptions.defaults();
    private static final CallOptions EVERYWHERE = DEFAULTS.withPolicy(3, 3);

    private static Version open(SimulatedCluster cluster, int node) {
        return cluster.await(cluster.node(node).openSnapshot(LEASE, DEFAULTS));
    }

    private static TreeMap<Key, Value> read(SimulatedCluster cluster, int node, Version snapshot) {
        TreeMap<Key, Value> entries = new TreeMap<>();
        for (KeyValue entry : cluster.drain(cluster.node(node).scanSnapshot(snapshot, KeyRange.all(), DEFAULTS))) {
            assertThat(entry.value().version()).isLessThanOrEqualTo(snapshot);
            assertThat(entries.isEmpty() || entries.lastKey().compareTo(entry.key()) < 0)
                    .as("in order")
                    .isTrue();
            entries.put(entry.key(), entry.value());
        }
        return entries;
    }

    private static TreeMap<Key, Value> present(SimulatedCluster cluster) {
        TreeMap<Key, Value> entries = new TreeMap<>();
        cluster.drain(cluster.node(0).scan(KeyRange.all())).forEach(entry -> entries.put(entry.key(), entry.value()));
        return entries;
    }

    private static void put(SimulatedCluster cluster, int node, String key, String value) {
        cluster.await(cluster.node(node).put(Key.of(key), bytes(value), EVERYWHERE));
    }

    private static void fill(SimulatedCluster cluster, int keys) {
        Map<Key, byte[]> values = new TreeMap<>();
        for (int i = 0; i < keys; i++) {
            values.put(Key.of("key%05d".formatted(i)), bytes("before " + i));
        }
        cluster.await(cluster.node(0).putAll(values, EVERYWHERE));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static DhtException goneFrom(SimulatedCluster cluster, Version snapshot) {
        DhtException failure = cluster.failureOf(
                cluster.node(0).scanSnapshot(snapshot, KeyRange.all(), DEFAULTS).next());
        assertThat(failure.code()).as(failure.getMessage()).isEqualTo(ErrorCode.SNAPSHOT_GONE);
        return failure;
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 5})
    void aSnapshotStaysAsItWasWhateverIsWrittenAfterwards(int size) {
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
    void writesGoOnBetweenThePages() {
        try (SimulatedCluster cluster = SimulatedCluster.of(2, 3).start()) {
            fill(cluster, 5000);
            TreeMap<Key, Value> before = present(cluster);
            Version snapshot = open(cluster, 0);
            Scan scan = cluster.node(2).scanSnapshot(snapshot, KeyRange.all(), DEFAULTS);
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
    void aSnapshotHasOfConcurrentWritesExactlyThoseThatAreNotNewer(long seed) {
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
    void whatOneReplicaOnlyHasIsInIt() {
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
            assertThat(before.get(Key.of("long")).expiresAtMillis()).isPresent();
            cluster.env.advance(Duration.ofSeconds(10));
            assertThat(read(cluster, 2, snapshot).keySet()).containsExactly(Key.of("long"));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aNodeThatIsAwayIsLeftOutAsLongAsEnoughRemain(boolean silent) {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            fill(cluster, 500);
            TreeMap<Key, Value> before = present(cluster);
            cluster.towardNode(2, silent ? Fault.loseRequest() : Fault.refuse());
            Version snapshot = open(cluster, 0);
            put2(cluster, "key00001", "after");
            assertThat(read(cluster, 1, snapshot)).isEqualTo(before);
            cluster.heal();
            assertThat(read(cluster, 2, snapshot)).isEqualTo(before);

            cluster.towardNode(1, Fault.refuse());
            cluster.towardNode(2, Fault.refuse());
            DhtException failure = cluster.failureOf(cluster.node(0).openSnapshot(LEASE, DEFAULTS));
            assertThat(failure.code()).isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
            assertThat(failure)
                    .hasMessageContaining("1 of 2")
                    .hasMessageContaining("n1: ")
                    .hasMessageContaining("n2: ");
        }
    }

    private static void put2(SimulatedCluster cluster, String key, String value) {
        cluster.await(cluster.node(0).put(Key.of(key), bytes(value), DEFAULTS.withPolicy(2, 3)));
    }

    @Test
    void aNodeThatWasRestartedDoesNotHaveItAndTheOthersDo() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            fill(cluster, 3000);
            TreeMap<Key, Value> before = present(cluster);
            Version snapshot = open(cluster, 0);
            Scan scan = cluster.node(0).scanSnapshot(snapshot, KeyRange.all(), DEFAULTS);
            TreeMap<Key, Value> shown = new TreeMap<>();
            cluster.await(scan.next()).forEach(entry -> shown.put(entry.key(), entry.value()));
            cluster.restartNode(1);
            fill(cluster, 3000);
            cluster.drain(scan).forEach(entry -> shown.put(entry.key(), entry.value()));
            assertThat(shown).isEqualTo(before);

            cluster.restartNode(2);
            assertThat(goneFrom(cluster, snapshot)).hasMessageContaining("n1: ").hasMessageContaining("n2: ");
        }
    }

    @Test
    void anAbandonedSnapshotLeavesNothingBehind() {
        BlockingStore store = new BlockingStore();
        try (SimulatedCluster cluster =
                SimulatedCluster.of(1, 1).stores(i -> store).start()) {
            cluster.await(cluster.node(0).put(Key.of("k"), bytes("1")));
            Version snapshot = open(cluster, 0);
            int before = store.gets.get();
            cluster.await(cluster.node(0).put(Key.of("k"), bytes("2")));
            assertThat(store.gets.get()).as("looks at what is superseded").isGreaterThan(before);
            for (int i = 0; i < 5; i++) {
                cluster.env.advance(LEASE.dividedBy(2));
                assertThat(read(cluster, 0, snapshot))
                        .as("each page renews the lease")
                        .hasSize(1);
            }

            cluster.env.advance(LEASE.plusSeconds(1));

            assertThat(goneFrom(cluster, snapshot)).hasMessageContaining("30000 ms of its lease");
            int after = store.gets.get();
            cluster.await(cluster.node(0).put(Key.of("k"), bytes("3")));
            assertThat(store.gets.get()).isEqualTo(after);
        }
    }

    @Test
    void oneThatCouldNotBeginLeavesNothingBehind() {
        BlockingStore store = new BlockingStore();
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3)
                .stores(i -> i == 0 ? store : new BlockingStore())
                .start()) {
            cluster.towardNode(1, Fault.refuse());
            cluster.towardNode(2, Fault.refuse());
            cluster.failureOf(cluster.node(0).openSnapshot(LEASE, DEFAULTS));
            cluster.heal();
            int before = store.gets.get();
            put(cluster, 1, "k", "v");
            assertThat(store.gets.get()).isEqualTo(before);
        }
    }

    /** Each node keeps four at most: so a fifth tells whether four were forgotten, long before their leases end. */
    private static void assertThatNoneIsKept(SimulatedCluster cluster) {
        cluster.heal();
        // Nobody is suspected any more.
        cluster.env.advance(Duration.ofSeconds(15));
        cluster.await(cluster.node(0).openSnapshot(LEASE, EVERYWHERE));
    }

    @Test
    void aNodeWhoseAnswerIsLostIsLeftOutAndForgetsTheSnapshot() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            for (int i = 0; i < 4; i++) {
                cluster.towardNode(2, Fault.failAfterDelivery());
                Version snapshot = open(cluster, 0);
                cluster.await(cluster.node(0).closeSnapshot(snapshot, DEFAULTS));
            }
            assertThatNoneIsKept(cluster);
        }
    }

    @Test
    void aNodeWhoseClockIsTooFarAheadIsLeftOutAndForgetsTheSnapshot() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3)
                .clocks(i -> i == 2 ? Duration.ofHours(1) : Duration.ZERO)
                .start()) {
            for (int i = 0; i < 5; i++) {
                Version snapshot = open(cluster, 0);
                cluster.await(cluster.node(0).closeSnapshot(snapshot, DEFAULTS));
            }
            assertThat(cluster.failureOf(cluster.node(0).openSnapshot(LEASE, EVERYWHERE)))
                    .hasMessageContaining("n2: its clock is more than");
        }
    }

    @Test
    void oneThatFailsHalfwayIsForgottenByThoseThatHadBegun() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            for (int i = 0; i < 4; i++) {
                Duration begun = cluster.env.elapsed();
                for (int other = 1; other < 3; other++) {
                    // The first round comes through, the second does not; what comes after it does again.
                    cluster.links.get(0).toward(SimulatedCluster.id(other), () -> {
                        long millis = cluster.env.elapsed().minus(begun).toMillis();
                        return millis == 0
                                ? Fault.delay(Duration.ofMillis(100), Duration.ZERO)
                                : millis < 500
                                        ? Fault.loseRequest()
                                        : Fault.delay(Duration.ofMillis(100), Duration.ZERO);
                    });
                }
                assertThat(cluster.failureOf(cluster.node(0).openSnapshot(LEASE, DEFAULTS)))
                        .hasMessageContaining("no snapshot: 1 of 2");
                // So that what was sent last arrives.
                cluster.env.advance(Duration.ofSeconds(1));
            }
            assertThatNoneIsKept(cluster);
        }
    }

    @Test
    void aMemberWhoseOwnWritesDoNotEndInTimeSaysSo() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            FaultyTransport link = new FaultyTransport(cluster.network.transport("app-host"), cluster.env);
            try (Cluster member = ClusterBuilder.withoutStore("app", cluster.topology)
                    .transport(link)
                    .environment(cluster.env.newNode())
                    .timeout(Duration.ofSeconds(1))
                    .drainTimeout(Duration.ZERO)
                    .start()) {
                for (int node = 0; node < 3; node++) {
                    link.toward(SimulatedCluster.id(node), Fault.loseRequest());
                }
                CompletableFuture<Version> late = member.put(
                                Key.of("k"), bytes("v"), DEFAULTS.withTimeout(Duration.ofSeconds(20)))
                        .toCompletableFuture();
                cluster.env.advance(Duration.ofMillis(1));
                link.heal();
                Duration begun = cluster.env.elapsed();

                assertThat(cluster.failureOf(member.openSnapshot(LEASE, DEFAULTS)))
                        .hasMessageContaining("writes of this member");

                assertThat(cluster.env.elapsed().minus(begun)).isLessThanOrEqualTo(Duration.ofMillis(1100));
                assertThat(late).isNotDone();
                cluster.failureOf(late);
            }
        }
    }

    @Test
    void oneThatHasTooMuchToKeepFailsAndTheClusterGoesOn() {
        try (SimulatedCluster cluster =
                SimulatedCluster.of(1, 3).options(b -> b.snapshotBytes(100_000)).start()) {
            fill(cluster, 2000);
            Version snapshot = open(cluster, 0);
            assertThat(read(cluster, 1, snapshot)).hasSize(2000);

            fill(cluster, 2000);

            assertThat(goneFrom(cluster, snapshot)).hasMessageContaining("more than 100000 bytes");
            assertThat(present(cluster)).hasSize(2000);
            Version another = open(cluster, 0);
            assertThat(read(cluster, 1, another)).hasSize(2000);
        }
    }

    @Test
    void aClosedSnapshotIsGoneOnEveryNode() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            fill(cluster, 10);
            Version snapshot = open(cluster, 0);
            Version other = open(cluster, 1);
            assertThat(other).isGreaterThan(snapshot);
            cluster.await(cluster.node(2).closeSnapshot(snapshot, DEFAULTS));
            cluster.await(cluster.node(2).closeSnapshot(snapshot, DEFAULTS));

            assertThat(goneFrom(cluster, snapshot)).hasMessageContaining("it was closed");
            assertThat(read(cluster, 0, other)).hasSize(10);
            assertThat(goneFrom(cluster, new Version(5))).hasMessageContaining("does not have it");
        }
    }

    /** Node 2 gets back what is newer than the snapshot, and never had what that superseded. */
    @Test
    void aNodeThatIsBeingRefilledTakesNoPart() {
        AtomicBoolean lost = new AtomicBoolean();
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3)
                .options((node, builder) -> builder.handoff(HintedHandoff.off())
                        .refill(lost.get() && node == 2 ? RefillMarker.everything() : RefillMarker.none()))
                .start()) {
            cluster.towardNode(0, Fault.refuse());
            cluster.await(cluster.node(1).put(Key.of("key"), bytes("before"), DEFAULTS.withPolicy(2, 3)));
            cluster.heal();
            lost.set(true);
            cluster.stop(2);
            cluster.startNode(2, new ModelStore());
            cluster.links.get(2).toward(SimulatedCluster.id(1), Fault.refuse());

            Version snapshot = open(cluster, 1);
            put(cluster, 1, "key", "after");
            cluster.heal();
            cluster.env.advance(LEASE.dividedBy(2));
            assertThat(read(cluster, 0, snapshot).get(Key.of("key")))
                    .extracting(Value::text)
                    .isEqualTo("before");

            cluster.stop(1);
            assertThat(cluster.failureOf(cluster.node(0)
                                    .scanSnapshot(snapshot, KeyRange.all(), DEFAULTS)
                                    .next())
                            .code())
                    .isIn(ErrorCode.NOT_ENOUGH_REPLICAS, ErrorCode.SNAPSHOT_GONE);
        }
    }

    @Test
    void thereIsABoundOnHowManyThereAre() {
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
            Version snapshot = cluster.await(member.openSnapshot(LEASE, DEFAULTS));
            cluster.await(member.put(Key.of("later"), bytes("v"), EVERYWHERE));
            assertThat(cluster.drain(member.scanSnapshot(snapshot, KeyRange.all(), DEFAULTS)))
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
                assertThat(failure).hasMessageContaining("1000 to 3600000 ms");
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
