package io.dht4j.simulator.cluster.membership;

import static io.dht4j.simulator.cluster.membership.AgreedCluster.COORDINATOR;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.core.internal.view.Phase;
import io.dht4j.core.internal.wire.RepairRequest;
import io.dht4j.core.options.HintedHandoff;
import io.dht4j.core.options.Repair;
import io.dht4j.simulator.cluster.SimulatedCluster;
import io.dht4j.spi.Entry;
import io.dht4j.testkit.network.Fault;
import io.dht4j.testkit.store.ModelStore;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Repair of rows whose replicas change. Partition 1 begins at nodes 1, 2 and 3, and node 0 is its heir. */
class RepairOfChangingRowsTest {

    private static final CallOptions ALL = CallOptions.defaults().withPolicy(3, 3);
    private static final Duration LONG_AGO = Repair.on().purgeAfter().multipliedBy(2);
    private static final int PARTITION = 1;
    private static final int FIRST = 1;
    private static final int HEIR = 0;
    private static final byte[] VALUE = {1};

    private final AgreedCluster agreed = AgreedCluster.with(SimulatedCluster.of(1, AgreedCluster.NODES)
            .options(builder -> builder.partitions(AgreedCluster.PARTITIONS).handoff(HintedHandoff.off())));
    private final SimulatedCluster cluster = agreed.cluster;
    private final Key key = agreed.key(PARTITION);

    private void give(int node, Key some) {
        Version version = Version.of(cluster.env.currentTimeMillis(), 0);
        agreed.stores.get(node).apply(List.of(Entry.value(some, version, VALUE, Entry.NEVER)));
    }

    private boolean has(int node, Key some) {
        return cluster.stores.get(node).get(some).isPresent();
    }

    private void move(Phase phase) {
        agreed.move(PARTITION, 0, phase, HEIR);
        agreed.installAtAll();
    }

    private void repairAtEach(int... nodes) {
        // Twice, since a node purges after its own next session.
        for (int i = 0; i < 2 * nodes.length; i++) {
            agreed.repair(nodes[i % nodes.length], PARTITION);
        }
    }

    @Test
    void nothingIsPurgedWhileASlotMoves() {
        try (agreed) {
            cluster.await(agreed.coordinator().put(key, VALUE, ALL));
            cluster.await(agreed.coordinator().delete(key, ALL));
            cluster.env.advance(LONG_AGO);
            move(Phase.COPY);
            repairAtEach(FIRST, 2, 3);
            assertThat(List.of(FIRST, 2, 3)).allMatch(node -> has(node, key));
            move(Phase.BOTH);
            repairAtEach(FIRST, 2, 3, HEIR);
            assertThat(List.of(FIRST, 2, 3, HEIR)).allMatch(node -> has(node, key));
            move(Phase.STABLE);
            repairAtEach(2, 3, HEIR);
            assertThat(List.of(2, 3, HEIR)).noneMatch(node -> has(node, key));
        }
    }

    @Test
    void otherPartitionsOfTheSessionAreStillPurged() {
        Key other = agreed.key(PARTITION + 4);
        try (agreed) {
            cluster.await(agreed.coordinator().put(other, VALUE, ALL));
            cluster.await(agreed.coordinator().delete(other, ALL));
            cluster.env.advance(LONG_AGO);
            move(Phase.COPY);
            for (int i = 0; i < 2; i++) {
                agreed.repair(FIRST, PARTITION, PARTITION + 4);
            }
            assertThat(has(FIRST, other)).isFalse();
        }
    }

    @Test
    void anHeirIsComparedOnceItIsComplete() {
        Key later = agreed.keys(PARTITION, 2).get(1);
        try (agreed) {
            cluster.env.advance(Duration.ofSeconds(1));
            give(FIRST, key);
            move(Phase.COPY);
            agreed.sent.clear();
            agreed.repair(2, PARTITION);
            assertThat(List.of(FIRST, 2, 3)).allMatch(node -> has(node, key));
            assertThat(isCompared(2, FIRST)).isTrue();
            assertThat(isCompared(2, HEIR)).isFalse();
            move(Phase.BOTH);
            give(3, later);
            agreed.repair(2, PARTITION);
            assertThat(List.of(FIRST, 2, HEIR)).allMatch(node -> has(node, later));
        }
    }

    @Test
    void repairSkipsTheHeirThatFillsADeadNodesSlot() {
        try (agreed) {
            cluster.env.advance(Duration.ofSeconds(1));
            give(2, key);
            move(Phase.FILL);
            agreed.sent.clear();
            agreed.repair(3, PARTITION);
            assertThat(has(3, key)).isTrue();
            assertThat(isCompared(3, HEIR)).isFalse();
            assertThat(cluster.await(agreed.node(3).operations().repairStatus()).lastError())
                    .isEmpty();
        }
    }

    /** Whether a node has asked another one for its sums since the frames were cleared. */
    private boolean isCompared(int by, int node) {
        return agreed.between(by, node).stream()
                .anyMatch(sent -> FrameHeaders.request(sent.request) instanceof RepairRequest.Sums);
    }

    @Test
    void sessionThatMeetsAnotherTableIsRepeatedByIt() {
        Key moved = agreed.key(PARTITION + 4);
        try (agreed) {
            cluster.env.advance(Duration.ofSeconds(1));
            give(FIRST, key);
            give(FIRST, moved);
            agreed.change(PARTITION + 4, FIRST, 2, HEIR);
            agreed.install(HEIR, 2, 3, COORDINATOR);
            cluster.await(agreed.node(FIRST).operations().repair(Set.of(PARTITION, PARTITION + 4)));
            cluster.env.advance(Duration.ofSeconds(10));
            assertThat(agreed.refreshed()).contains(FIRST);
            assertThat(List.of(2, 3)).allMatch(node -> has(node, key));
            assertThat(List.of(2, HEIR)).allMatch(node -> has(node, moved));
            assertThat(has(3, moved)).isFalse();
        }
    }

    @Test
    void rolledBackPartitionThatMovesAwayIsNotWaitedFor() {
        try (agreed) {
            cluster.await(agreed.coordinator().put(key, VALUE, ALL));
            cluster.await(agreed.coordinator().delete(key, ALL));
            cluster.env.advance(LONG_AGO);
            repairAtEach(FIRST, 2, 3);
            assertThat(has(3, key)).isFalse();
            // It is compared with node 1 only, so it stays rolled back.
            agreed.link(3).toward(SimulatedCluster.id(2), Fault.refuse());
            agreed.restart(3, new ModelStore());
            agreed.link(3).toward(SimulatedCluster.id(2), Fault.refuse());
            cluster.env.advance(Duration.ofMinutes(1));
            assertThat(agreed.refill(3).partitions()).isEqualTo(1);

            agreed.change(PARTITION, FIRST, 2, HEIR);
            agreed.installAtAll();
            cluster.env.advance(Duration.ofSeconds(1));
            assertThat(agreed.refill(3).partitions()).isZero();
            assertThat(agreed.refill(3).waitsFor()).isEmpty();

            // Nor after another start: its disk has forgotten it.
            agreed.change(PARTITION, FIRST, 2, 3);
            agreed.restart(3, cluster.image(3));
            assertThat(agreed.refill(3).partitions()).isZero();
        }
    }
}
