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
import static io.dht4j.simulator.cluster.scan.SnapshotCalls.putToTwo;
import static io.dht4j.simulator.cluster.scan.SnapshotCalls.read;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Cluster;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.Scan;
import io.dht4j.Value;
import io.dht4j.Version;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.core.options.HintedHandoff;
import io.dht4j.simulator.cluster.BlockingStore;
import io.dht4j.simulator.cluster.SimulatedCluster;
import io.dht4j.spi.RefillMarker;
import io.dht4j.testkit.network.Fault;
import io.dht4j.testkit.network.FaultyTransport;
import io.dht4j.testkit.store.ModelStore;
import java.time.Duration;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Snapshots of a cluster of which a part fails. */
class SnapshotFailuresTest {

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aNodeThatIsAwayIsLeftOutAsLongAsEnoughRemain(boolean silent) {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            fill(cluster, 500);
            TreeMap<Key, Value> before = present(cluster);
            cluster.towardNode(2, silent ? Fault.loseRequest() : Fault.refuse());
            Version snapshot = open(cluster, 0);
            putToTwo(cluster, "key00001", "after");
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

    @Test
    void aNodeThatWasRestartedDoesNotHaveItAndTheOthersDo() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            fill(cluster, 3000);
            TreeMap<Key, Value> before = present(cluster);
            Version snapshot = open(cluster, 0);
            Scan scan = cluster.node(0).snapshot(snapshot).scan(KeyRange.all(), DEFAULTS);
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
    void snapshotThatCannotBeginLeavesNothing() {
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

    /** Each node keeps four at most: so a fifth shows whether four were forgotten, long before their leases end. */
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
                cluster.await(cluster.node(0).snapshot(snapshot).close(DEFAULTS));
            }
            assertThatNoneIsKept(cluster);
        }
    }

    @Test
    void snapshotLeavesOutANodeWithAClockFarAhead() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3)
                .clocks(i -> i == 2 ? Duration.ofHours(1) : Duration.ZERO)
                .start()) {
            for (int i = 0; i < 5; i++) {
                Version snapshot = open(cluster, 0);
                cluster.await(cluster.node(0).snapshot(snapshot).close(DEFAULTS));
            }
            assertThat(cluster.failureOf(cluster.node(0).openSnapshot(LEASE, EVERYWHERE)))
                    .hasMessageContaining("n2: its clock is more than");
        }
    }

    @Test
    void snapshotThatFailsHalfwayIsForgotten() {
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
    void snapshotFailsWhileOwnWritesDoNotEnd() {
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
    void snapshotOverItsByteLimitFailsAlone() {
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
                                    .snapshot(snapshot)
                                    .scan(KeyRange.all(), DEFAULTS)
                                    .next())
                            .code())
                    .isIn(ErrorCode.NOT_ENOUGH_REPLICAS, ErrorCode.SNAPSHOT_GONE);
        }
    }
}
