package io.dht4j.simulator.cluster.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.KeyValue;
import io.dht4j.NodeId;
import io.dht4j.Scan;
import io.dht4j.ScanScope;
import io.dht4j.Version;
import io.dht4j.core.internal.coordinator.peer.Replanning;
import io.dht4j.core.internal.view.Phase;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.simulator.cluster.BlockingStore;
import io.dht4j.simulator.cluster.SimulatedCluster;
import io.dht4j.spi.Entry;
import io.dht4j.spi.Frame;
import io.dht4j.testkit.network.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Scans while the first slot of a partition moves from one node to another. */
class MovingScansTest {

    private static final int MOVED = 0;
    private static final int OWNER = 0;
    private static final int HEIR = 3;
    private static final byte[] OLD = {1};
    private static final byte[] NEW = {2};
    private static final CallOptions ALONE = CallOptions.defaults().withPolicy(1, 1);
    private static final CallOptions MAJORITY = CallOptions.defaults().withPolicy(2, 3);
    private static final CallOptions ALL = CallOptions.defaults().withPolicy(3, 3);
    private static final int PAGE = 1000;

    private final AgreedCluster agreed = AgreedCluster.start();
    private final SimulatedCluster cluster = agreed.cluster;
    private final Key key = agreed.key(MOVED);

    private static CallOptions policy(int ack, int from) {
        return CallOptions.defaults().withPolicy(ack, from);
    }

    private static Entry entry(Key key, byte[] value, long version) {
        return Entry.value(key, new Version(version << 16), value, Entry.NEVER);
    }

    private void hold(int node, Entry entry) {
        agreed.stores.get(node).apply(List.of(entry));
    }

    private void move(Phase phase) {
        agreed.move(MOVED, 0, phase, HEIR);
        agreed.installAtAll();
    }

    private List<KeyValue> scan(CallOptions options) {
        return cluster.drain(agreed.coordinator().scan(KeyRange.all(), ScanScope.CLUSTER, options));
    }

    private List<Key> shownBy(int node) {
        return cluster.drain(cluster.node(node).scan(KeyRange.all(), ScanScope.NODE, ALONE)).stream()
                .map(KeyValue::key)
                .toList();
    }

    @ParameterizedTest
    @CsvSource({"COPY,1,1", "COPY,3,3", "BOTH,1,1", "BOTH,3,3", "UNDO,1,1", "UNDO,3,3"})
    void movingSlotIsScannedAtTheNodeThatHasAllOfIt(Phase phase, int ack, int from) {
        try (agreed) {
            int reader = phase == Phase.BOTH ? HEIR : OWNER;
            int other = phase == Phase.BOTH ? OWNER : HEIR;
            hold(reader, entry(key, NEW, 2));
            move(phase);
            // Scans do without the other one, which may be busy with the move.
            agreed.giveAwayAllBut(MOVED, other);
            agreed.link(AgreedCluster.COORDINATOR).toward(SimulatedCluster.id(other), Fault.refuse());
            assertThat(scan(policy(ack, from)))
                    .extracting(each -> each.value().bytes()[0])
                    .containsExactly(NEW[0]);
        }
    }

    @Test
    void stableSlotsAreScannedFirst() {
        try (agreed) {
            move(Phase.COPY);
            agreed.giveAwayAllBut(MOVED, OWNER);
            assertThat(scan(MAJORITY)).isEmpty();
            assertThat(pagesTo(OWNER)).isZero();
        }
    }

    private long pagesTo(int node) {
        return agreed.between(AgreedCluster.COORDINATOR, node).stream()
                .filter(sent -> FrameHeaders.request(sent.request) instanceof Request.ScanPage)
                .count();
    }

    @Test
    void slotThatIsFilledIsNeverScanned() {
        try (agreed) {
            // Acknowledged by two of three, of which one is dead now.
            hold(OWNER, entry(key, NEW, 2));
            hold(2, entry(key, NEW, 2));
            move(Phase.FILL);
            assertThat(scan(MAJORITY)).extracting(KeyValue::key).containsExactly(key);
            DhtException failure = cluster.failureOf(agreed.coordinator()
                    .scan(KeyRange.all(), ScanScope.CLUSTER, ALL)
                    .next());
            assertThat(failure.code()).isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
            assertThat(failure)
                    .hasMessageContaining("2 of 3 needed replicas answer for partition 0")
                    .hasMessageContaining("n3, which is being filled");
        }
    }

    @ParameterizedTest
    @EnumSource(Phase.class)
    void nodeShowsOfItselfWhatItOwnsAndHasCompletely(Phase phase) {
        try (agreed) {
            hold(OWNER, entry(key, NEW, 1));
            hold(HEIR, entry(key, NEW, 1));
            assertThat(shownBy(HEIR)).isEmpty();
            move(phase);
            boolean isComplete = phase != Phase.COPY && phase != Phase.FILL && phase != Phase.GROW;
            assertThat(shownBy(HEIR)).isEqualTo(isComplete ? List.of(key) : List.of());
            assertThat(shownBy(OWNER)).isEqualTo(phase.isOfTwo() ? List.of(key) : List.of());
        }
    }

    /** A slot that moves step by step. */
    private final class Move {

        private final List<Phase> next = new ArrayList<>(List.of(Phase.COPY, Phase.BOTH, Phase.STABLE));
        private final int partition;
        private final int owner;
        private final int heir;

        Move(int partition, int owner, int heir) {
            this.partition = partition;
            this.owner = owner;
            this.heir = heir;
        }

        void step() {
            if (next.isEmpty()) {
                return;
            }
            Phase phase = next.remove(0);
            agreed.move(partition, 0, phase, heir);
            agreed.install(0, 1, 2, 3);
            if (phase == Phase.COPY) {
                awaitCopy();
            } else if (phase == Phase.STABLE) {
                agreed.stores.get(owner).purge(this::isMoved);
            }
        }

        private void awaitCopy() {
            cluster.env.runUntil(() -> agreed.isComplete(heir, partition), Duration.ofMinutes(1));
        }

        private boolean isMoved(Entry entry) {
            return agreed.views(0).current().partitionOf(entry.key()) == partition;
        }
    }

    @ParameterizedTest
    @CsvSource({"1,1", "1,3", "2,3", "3,3"})
    void phasesThatChangeBetweenPagesLoseAndRepeatNoKey(int ack, int from) {
        try (agreed) {
            int keys = 12 * PAGE;
            for (int i = 0; i < keys; i++) {
                Entry entry = entry(keyOf(i), OLD, 1);
                agreed.views(0)
                        .current()
                        .replicas(entry.key(), 3)
                        .forEach(node -> hold(Integer.parseInt(node.id().value().substring(1)), entry));
            }
            // Of partition 0 and 1, the heirs were no replicas; of partition 2, neither.
            List<Move> moves = List.of(new Move(0, 0, 3), new Move(1, 1, 0), new Move(2, 2, 1));
            Map<Key, Byte> shown = new TreeMap<>();
            Scan scan = agreed.coordinator().scan(KeyRange.all(), ScanScope.CLUSTER, policy(ack, from));
            Key last = Key.of("a");
            for (int page = 0; ; page++) {
                List<KeyValue> entries = cluster.await(scan.next());
                if (entries.isEmpty()) {
                    break;
                }
                for (KeyValue each : entries) {
                    assertThat(each.key()).isGreaterThan(last);
                    last = each.key();
                    shown.put(last, each.value().bytes()[0]);
                }
                moves.get(page % 3).step();
                // Behind what the scan holds already: shown if it is acknowledged before its page is read.
                cluster.await(agreed.coordinator().put(keyOf(keys - 1 - page), NEW, ALL));
            }
            assertThat(shown).hasSize(keys);
            assertThat(moves).allSatisfy(move -> assertThat(move.next).isEmpty());
            assertThat(shown.get(keyOf(keys - 1))).isEqualTo(NEW[0]);
            assertThat(shown.get(keyOf(keys - 2))).isEqualTo(NEW[0]);
        }
    }

    private static Key keyOf(int i) {
        return Key.of("key%06d".formatted(i));
    }

    @Test
    void pageThatIsRefusedOnceTooOftenFailsTheScan() {
        try (agreed) {
            // In the first moments it would begin again.
            cluster.env.advance(Duration.ofSeconds(6));
            agreed.views(AgreedCluster.COORDINATOR)
                    .listen((before, now) -> agreed.changeBehindTheCoordinator(MOVED, HEIR, 1, 2));
            agreed.changeBehindTheCoordinator(MOVED, HEIR, 1, 2);
            long began = cluster.env.nanoTime();
            DhtException failure = cluster.failureOf(agreed.coordinator()
                    .scan(KeyRange.all(), ScanScope.CLUSTER, MAJORITY)
                    .next());
            assertThat(failure.code()).isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
            assertThat(failure)
                    .hasMessage(
                            "the replicas have changed " + Replanning.MAX_PLANS + " times meanwhile; scan again later");
            assertThat(agreed.refreshed())
                    .containsOnly(AgreedCluster.COORDINATOR)
                    .hasSize(Replanning.MAX_PLANS);
            assertThat(cluster.env.nanoTime() - began)
                    .isLessThan(Duration.ofSeconds(1).toNanos());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {Replanning.MAX_PLANS, Replanning.MAX_PLANS + 1})
    void scanOfOneNodeEndsWhenItsPageIsRefusedOnceTooOften(int times) {
        try (agreed) {
            hold(1, entry(key, NEW, 1));
            BlockingStore store = agreed.stores.get(1);
            int[] left = {times};
            store.beforeScan = () -> {
                if (left[0]-- > 0) {
                    agreed.change(MOVED, OWNER, 1, 2);
                    agreed.install(1);
                }
            };
            long began = cluster.env.nanoTime();
            Scan scan = cluster.node(1).scan(KeyRange.all(), ScanScope.NODE, ALONE);
            if (times == Replanning.MAX_PLANS) {
                assertThat(cluster.await(scan.next())).extracting(KeyValue::key).containsExactly(key);
            } else {
                DhtException failure = cluster.failureOf(scan.next());
                assertThat(failure.code()).isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
                assertThat(failure)
                        .hasMessageContaining("the replicas have changed " + Replanning.MAX_PLANS + " times");
            }
            assertThat(cluster.env.nanoTime() - began)
                    .isLessThan(Duration.ofSeconds(1).toNanos());
        }
    }

    @Test
    void pageThatAdvancesMayMeetAnyNumberOfChanges() {
        try (agreed) {
            int deleted = 16 * PAGE;
            for (int i = 0; i < deleted; i++) {
                Entry tombstone = Entry.tombstone(keyOf(i), new Version(1 << 16));
                agreed.views(0)
                        .current()
                        .replicas(tombstone.key(), 3)
                        .forEach(node -> hold(Integer.parseInt(node.id().value().substring(1)), tombstone));
            }
            for (NodeId node : List.of(SimulatedCluster.id(0), SimulatedCluster.id(1), SimulatedCluster.id(2))) {
                Key last = Key.of("last");
                if (agreed.views(0).current().isReplica(node, last)) {
                    hold(Integer.parseInt(node.value().substring(1)), entry(last, NEW, 1));
                }
            }
            int[] pages = {0};
            agreed.onTheWire = frame -> counted(frame, pages);
            assertThat(scan(ALL)).extracting(KeyValue::key).containsExactly(Key.of("last"));
            assertThat(agreed.refreshed())
                    .containsOnly(AgreedCluster.COORDINATOR)
                    .hasSizeGreaterThan(4);
        }
    }

    /** Changes the table with each twelfth page: after one that four nodes were asked for and have sent. */
    private Frame counted(Frame frame, int[] pages) {
        if (FrameHeaders.request(frame.toBytes()) instanceof Request.ScanPage && ++pages[0] % 12 == 0) {
            agreed.changeBehindTheCoordinator(MOVED, 0, 1, 2);
        }
        return frame;
    }

    @Test
    void placementShowsTheNodesOfAMovingSlotTheReaderFirst() {
        try (agreed) {
            assertThat(located()).containsExactly("n0", "n1", "n2");
            move(Phase.COPY);
            assertThat(located()).containsExactly("n0", "n3", "n1", "n2");
            move(Phase.BOTH);
            assertThat(located()).containsExactly("n3", "n0", "n1", "n2");
            move(Phase.UNDO);
            assertThat(located()).containsExactly("n0", "n3", "n1", "n2");
            move(Phase.FILL);
            assertThat(located()).containsExactly("n3", "n1", "n2");
        }
    }

    private List<String> located() {
        return cluster.await(agreed.coordinator().locate(key)).replicas().stream()
                .map(node -> node.id().value())
                .toList();
    }
}
