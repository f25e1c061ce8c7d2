package io.dht4j.simulator.cluster.membership;

import static io.dht4j.simulator.cluster.membership.AgreedCluster.COORDINATOR;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.KeyValue;
import io.dht4j.Version;
import io.dht4j.core.internal.coordinator.peer.Replanning;
import io.dht4j.core.internal.view.Phase;
import io.dht4j.simulator.cluster.SimulatedCluster;
import io.dht4j.spi.Entry;
import io.dht4j.testkit.network.Fault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Snapshots that are read while the first slot of a partition moves: each is complete or gone. With a policy of one
 * replica, what is missing at that one is missing in the snapshot.
 */
class MovingSnapshotsTest {

    private static final int MOVED = 0;
    private static final int OWNER = 0;
    private static final int HEIR = 3;
    /** The type of a frame. */
    private static final int FIX_SNAPSHOT = 21;

    private static final byte[] OLD = {1};
    private static final byte[] NEW = {2};
    private static final CallOptions ALONE = CallOptions.defaults().withPolicy(1, 1);
    private static final CallOptions MAJORITY = CallOptions.defaults().withPolicy(2, 3);
    private static final CallOptions ALL = CallOptions.defaults().withPolicy(3, 3);

    private final AgreedCluster agreed = AgreedCluster.start();
    private final SimulatedCluster cluster = agreed.cluster;
    private final Key key = agreed.key(MOVED);
    private final Key elsewhere = agreed.key(HEIR);

    private Version open(CallOptions options) {
        return cluster.await(agreed.coordinator().openSnapshot(Duration.ofMinutes(1), options))
                .version();
    }

    private void put(byte[] value) {
        cluster.await(agreed.coordinator().put(key, value, ALL));
        cluster.await(agreed.coordinator().put(elsewhere, value, ALL));
        // The last replica of a moving row has it too.
        cluster.env.advance(Duration.ofSeconds(1));
    }

    private void move(Phase phase) {
        move(phase, HEIR);
    }

    private void move(Phase phase, int heir) {
        agreed.move(MOVED, 0, phase, heir);
        agreed.installAtAll();
    }

    /** Copies what is newest, as a target does. */
    private void copy(int from, int to) {
        List<Entry> entries = new ArrayList<>();
        try (var cursor = agreed.stores.get(from).scan(KeyRange.all())) {
            cursor.forEachRemaining(entries::add);
        }
        agreed.stores.get(to).apply(entries.stream().filter(this::isMoved).toList());
    }

    private void drop(int node) {
        agreed.stores.get(node).purge(this::isMoved);
    }

    private boolean isMoved(Entry entry) {
        return agreed.views(0).current().partitionOf(entry.key()) == MOVED;
    }

    private List<Byte> read(Version snapshot, CallOptions options) {
        return cluster.drain(agreed.coordinator().snapshot(snapshot).scan(KeyRange.all(), options)).stream()
                .sorted((one, other) -> one.key().equals(key) ? -1 : 1)
                .map(each -> each.value().bytes()[0])
                .toList();
    }

    private DhtException failureOf(Version snapshot, CallOptions options) {
        return cluster.failureOf(agreed.coordinator()
                .snapshot(snapshot)
                .scan(KeyRange.all(), options)
                .next());
    }

    private void assertGone(Version snapshot, CallOptions options) {
        DhtException failure = failureOf(snapshot, options);
        assertThat(failure.code()).as(failure.getMessage()).isEqualTo(ErrorCode.SNAPSHOT_GONE);
    }

    @Test
    void ownerShowsAnOlderSnapshotUntilTheMoveEnds() {
        try (agreed) {
            put(OLD);
            Version snapshot = open(ALONE);
            put(NEW);
            move(Phase.COPY);
            assertThat(read(snapshot, ALONE)).containsExactly(OLD[0], OLD[0]);
            copy(OWNER, HEIR);
            move(Phase.BOTH);
            assertThat(read(snapshot, ALONE)).containsExactly(OLD[0], OLD[0]);
            assertThat(read(snapshot, ALL)).containsExactly(OLD[0], OLD[0]);
            move(Phase.STABLE);
            drop(OWNER);
            assertGone(snapshot, ALONE);
            assertGone(snapshot, ALL);
            assertThat(failureOf(snapshot, ALONE))
                    .hasMessageContaining("partition 0")
                    .hasMessageContaining("n3: ");
            // The other slots have had it all the time, and so has the heir of its other partitions.
            assertThat(read(snapshot, MAJORITY)).containsExactly(OLD[0], OLD[0]);
        }
    }

    @Test
    void snapshotOfACompletedCopyIsReadFromTheHeirAfterwards() {
        try (agreed) {
            put(OLD);
            move(Phase.COPY);
            copy(OWNER, HEIR);
            move(Phase.BOTH);
            Version snapshot = open(ALONE);
            put(NEW);
            assertThat(read(snapshot, ALONE)).containsExactly(OLD[0], OLD[0]);
            agreed.link(COORDINATOR).toward(SimulatedCluster.id(OWNER), Fault.refuse());
            assertThat(read(snapshot, MAJORITY)).containsExactly(OLD[0], OLD[0]);
            agreed.link(COORDINATOR).toward(SimulatedCluster.id(OWNER), Fault.none());
            move(Phase.STABLE);
            drop(OWNER);
            assertThat(read(snapshot, ALL)).containsExactly(OLD[0], OLD[0]);
            assertThat(read(snapshot, ALONE)).containsExactly(OLD[0], OLD[0]);
        }
    }

    @Test
    void snapshotOpenedDuringACopyIsNotReadFromHeir() {
        try (agreed) {
            put(OLD);
            move(Phase.COPY);
            Version snapshot = open(ALONE);
            put(NEW);
            copy(OWNER, HEIR);
            move(Phase.BOTH);
            assertThat(read(snapshot, ALONE)).containsExactly(OLD[0], OLD[0]);
            agreed.giveAwayAllBut(MOVED, OWNER);
            agreed.link(COORDINATOR).toward(SimulatedCluster.id(OWNER), Fault.refuse());
            assertGone(snapshot, ALONE);
        }
    }

    @Test
    void snapshotLosesAPartitionThatReturns() {
        try (agreed) {
            put(OLD);
            Version snapshot = open(ALONE);
            put(NEW);
            moveAway(OWNER, HEIR);
            moveAway(HEIR, OWNER);
            assertGone(snapshot, ALONE);
        }
    }

    private void moveAway(int from, int to) {
        move(Phase.COPY, to);
        copy(from, to);
        move(Phase.BOTH, to);
        move(Phase.STABLE, to);
        drop(from);
    }

    @Test
    void snapshotLosesAPartitionReturnedInOneStep() {
        try (agreed) {
            put(OLD);
            Version snapshot = open(ALONE);
            put(NEW);
            agreed.move(MOVED, 0, Phase.COPY, HEIR);
            agreed.move(MOVED, 0, Phase.BOTH, HEIR);
            agreed.installAtAll();
            agreed.move(MOVED, 0, Phase.STABLE, HEIR);
            agreed.move(MOVED, 0, Phase.COPY, OWNER);
            // The former owner has not seen the state in which it had nothing.
            agreed.installAtAll();
            agreed.move(MOVED, 0, Phase.BOTH, OWNER);
            agreed.move(MOVED, 0, Phase.STABLE, OWNER);
            agreed.installAtAll();
            assertGone(snapshot, ALONE);
        }
    }

    @ParameterizedTest
    @EnumSource(Phase.class)
    void snapshotIsOpenedInEachPhase(Phase phase) {
        try (agreed) {
            put(OLD);
            if (phase != Phase.COPY) {
                copy(OWNER, HEIR);
            }
            move(phase);
            Version snapshot = open(MAJORITY);
            put(NEW);
            assertThat(read(snapshot, MAJORITY)).containsExactly(OLD[0], OLD[0]);
            if (phase == Phase.FILL) {
                DhtException failure = cluster.failureOf(agreed.coordinator().openSnapshot(Duration.ofMinutes(1), ALL));
                assertThat(failure.code()).isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
                assertThat(failure).hasMessageContaining("2 of 3 needed replicas take part for partition 0");
            } else {
                assertThat(read(open(ALL), ALL)).containsExactly(NEW[0], NEW[0]);
            }
        }
    }

    @Test
    void snapshotIsOpenedAgainWhenAViewComesBetweenItsPhases() {
        try (agreed) {
            put(OLD);
            int[] changes = {0};
            agreed.views(COORDINATOR).listen((before, now) -> changes[0]++);
            boolean[] moved = {false};
            agreed.onTheWire = frame -> {
                // The first request of the second phase.
                if (!moved[0] && frame.toBytes()[1] == FIX_SNAPSHOT) {
                    moved[0] = true;
                    agreed.move(MOVED, 0, Phase.COPY, HEIR);
                    agreed.install(0, 1, 2, 3);
                }
                return frame;
            };
            Version snapshot = open(ALL);
            assertThat(moved[0]).isTrue();
            assertThat(changes[0]).isEqualTo(1);
            put(NEW);
            assertThat(read(snapshot, ALL)).containsExactly(OLD[0], OLD[0]);
        }
    }

    @Test
    void openingFailsWhenTheReplicasChangeEachTime() {
        try (agreed) {
            agreed.views(COORDINATOR).listen((before, now) -> agreed.changeBehindTheCoordinator(MOVED, HEIR, 1, 2));
            agreed.changeBehindTheCoordinator(MOVED, HEIR, 1, 2);
            long began = cluster.env.nanoTime();
            DhtException failure =
                    cluster.failureOf(agreed.coordinator().openSnapshot(Duration.ofMinutes(1), MAJORITY));
            assertThat(failure.code()).isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
            assertThat(agreed.refreshed()).containsOnly(COORDINATOR).hasSize(Replanning.MAX_PLANS);
            assertThat(cluster.env.nanoTime() - began)
                    .isLessThan(Duration.ofSeconds(1).toNanos());
        }
    }

    @Test
    void nodeWithoutAPartitionTakesPartAndShowsNothing() {
        try (agreed) {
            put(OLD);
            Version snapshot = open(MAJORITY);
            assertThat(cluster.drain(
                            cluster.node(COORDINATOR).snapshot(snapshot).scan(KeyRange.all(), MAJORITY)))
                    .extracting(KeyValue::key)
                    .containsExactlyInAnyOrder(key, elsewhere);
        }
    }
}
