package io.dht4j.simulator.cluster.membership;

import static io.dht4j.simulator.cluster.membership.AgreedCluster.COORDINATOR;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyPlacement;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.Ordering;
import io.dht4j.Version;
import io.dht4j.core.internal.view.Phase;
import io.dht4j.core.options.OverloadProtection;
import io.dht4j.simulator.cluster.SimulatedCluster;
import io.dht4j.testkit.network.Fault;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Writes of a partition of which a slot moves, in each phase. */
class MovingSlotWritesTest extends PhasesOfASlot {

    @ParameterizedTest
    @EnumSource(names = {"COPY", "BOTH", "UNDO", "GROW"})
    void writeGoesToBothNodes(Phase phase) {
        try (agreed) {
            move(phase);
            cluster.await(agreed.coordinator().put(key, NEW, ALL));
            assertThat(List.of(OWNER, SECOND, THIRD, HEIR)).allMatch(node -> agreed.holds(node, key, NEW));
        }
    }

    private int withoutQuorum() {
        return agreed.coordinator()
                .operations()
                .diagnostics()
                .orElseThrow()
                .gauges()
                .partitionsWithoutQuorum();
    }

    private List<NodeId> suspected() {
        return cluster.await(agreed.coordinator().operations().status()).suspected();
    }

    @ParameterizedTest
    @CsvSource({"COPY, 0", "COPY, 3", "BOTH, 0", "BOTH, 3", "UNDO, 0", "UNDO, 3", "GROW, 0", "GROW, 3"})
    void quorumIsLostWithAPairNodeAndAReplicaDown(Phase phase, int down) {
        try (agreed) {
            move(phase);
            assertThat(withoutQuorum()).isZero();
            agreed.refuse(down, THIRD);
            Set<NodeId> silent = Set.of(SimulatedCluster.id(down), SimulatedCluster.id(THIRD));
            for (int i = 0; i < 100 && suspected().size() < 2; i++) {
                cluster.failureOf(agreed.coordinator().put(key, NEW, MAJORITY));
                cluster.env.advance(Duration.ofMillis(100));
            }
            assertThat(suspected()).containsExactlyInAnyOrderElementsOf(silent);
            List<KeyPlacement> lost = cluster
                    .await(agreed.coordinator()
                            .operations()
                            .diagnostics()
                            .orElseThrow()
                            .placements(0, Integer.MAX_VALUE))
                    .stream()
                    .filter(each -> each.replicas().stream()
                                    .map(Node::id)
                                    .filter(silent::contains)
                                    .count()
                            == 2)
                    .toList();
            assertThat(lost).extracting(KeyPlacement::partition).contains(MOVING);
            assertThat(withoutQuorum()).isEqualTo(lost.size());
        }
    }

    @ParameterizedTest
    @CsvSource({"COPY, 0", "COPY, 3", "BOTH, 0", "BOTH, 3", "UNDO, 0", "UNDO, 3", "GROW, 0", "GROW, 3"})
    void majorityWriteHintsTheDownNodeOfAPair(Phase phase, int down) {
        try (agreed) {
            move(phase);
            agreed.refuse(down);
            cluster.await(agreed.coordinator().put(key, NEW, MAJORITY));
            cluster.env.advance(Duration.ofMillis(100));
            assertThat(agreed.holds(down, key, NEW)).isFalse();
            agreed.link(COORDINATOR).heal();
            cluster.env.advance(Duration.ofSeconds(30));
            assertThat(agreed.holds(down, key, NEW)).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"COPY", "BOTH", "UNDO", "GROW"})
    void bothNodesGetHints(Phase phase) {
        try (agreed) {
            move(phase);
            agreed.refuse(OWNER, HEIR);
            cluster.await(agreed.coordinator().put(key, NEW, MAJORITY));
            agreed.link(COORDINATOR).heal();
            cluster.env.advance(Duration.ofSeconds(30));
            assertThat(agreed.holds(OWNER, key, NEW)).isTrue();
            assertThat(agreed.holds(HEIR, key, NEW)).isTrue();
        }
    }

    @ParameterizedTest
    @CsvSource({"COPY, 0", "COPY, 3", "BOTH, 0", "BOTH, 3", "UNDO, 0", "UNDO, 3", "GROW, 0", "GROW, 3"})
    void slotThatOneNodeLacksDoesNotCount(Phase phase, int silent) {
        Fault lost = Fault.loseRequest();
        try (agreed) {
            move(phase);
            agreed.link(COORDINATOR).toward(SimulatedCluster.id(silent), lost);
            for (CallOptions all : List.of(ALL, ALONE)) {
                assertThat(cluster.failureOf(agreed.coordinator().put(key, NEW, all))
                                .code())
                        .isEqualTo(ErrorCode.WRITE_INDETERMINATE);
            }
            agreed.refuse(THIRD);
            assertThat(cluster.failureOf(agreed.coordinator().put(key, NEW, MAJORITY))
                            .code())
                    .isEqualTo(ErrorCode.WRITE_INDETERMINATE);
            assertThat(agreed.holds(silent, key, NEW)).isFalse();
            agreed.refuse(silent);
            assertThat(cluster.failureOf(agreed.coordinator().put(key, NEW, MAJORITY))
                            .code())
                    .isEqualTo(ErrorCode.WRITE_INDETERMINATE);
        }
    }

    @Test
    void oneDownNodeBesidesThePairFailsNoWrite() {
        try (agreed) {
            move(Phase.COPY);
            agreed.refuse(THIRD);
            cluster.await(agreed.coordinator().put(key, NEW, MAJORITY));
            assertThat(agreed.holds(OWNER, key, NEW) && agreed.holds(HEIR, key, NEW) && agreed.holds(SECOND, key, NEW))
                    .isTrue();
        }
    }

    @Test
    void nothingWasDoneOnlyIfBothNodesHaveFailed() {
        try (agreed) {
            move(Phase.COPY);
            agreed.refuse(OWNER, HEIR);
            DhtException failure = cluster.failureOf(agreed.coordinator().put(key, NEW, ALONE));
            // The heir has failed after the outcome was certain.
            assertThat(failure.code()).isEqualTo(ErrorCode.WRITE_INDETERMINATE);
            agreed.refuse(SECOND, THIRD);
            failure = cluster.failureOf(agreed.coordinator().put(key, NEW, ONE));
            assertThat(failure.code()).isEqualTo(ErrorCode.NOT_ENOUGH_REPLICAS);
            agreed.link(COORDINATOR)
                    .toward(SimulatedCluster.id(HEIR), Fault.delay(Duration.ofMillis(100), Duration.ZERO));
            failure = cluster.failureOf(agreed.coordinator().put(key, NEW, ONE));
            assertThat(failure.code()).isEqualTo(ErrorCode.WRITE_INDETERMINATE);
            cluster.env.advance(Duration.ofSeconds(1));
            assertThat(agreed.holds(HEIR, key, NEW)).isTrue();
        }
    }

    @ParameterizedTest
    @CsvSource({"COPY, 0", "COPY, 3", "BOTH, 0", "BOTH, 3", "UNDO, 0", "UNDO, 3", "GROW, 0", "GROW, 3"})
    void newerEntryOfEitherNodeIsSuperseded(Phase phase, int newer) {
        try (agreed) {
            move(phase);
            Version held = agreed.apply(key, OLD, newer);
            agreed.refuse(THIRD);
            Version written = cluster.await(agreed.coordinator().put(key, NEW, MAJORITY));
            assertThat(written).isGreaterThan(held);
            assertThat(List.of(OWNER, SECOND, HEIR)).allMatch(node -> agreed.holds(node, key, NEW));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "STABLE, 3, 2",
        "STABLE, 1, 3",
        "COPY, 0, 2",
        "COPY, 1, 2",
        "COPY, 1, 3",
        "BOTH, 3, 2",
        "BOTH, 1, 0",
        "UNDO, 0, 2",
        "UNDO, 1, 3",
        "GROW, 3, 2",
        "GROW, 1, 0"
    })
    void silentNodeDoesNotFailAnOverlappingWrite(Phase phase, int newer, int silent) {
        try (agreed) {
            move(phase);
            agreed.link(COORDINATOR).toward(SimulatedCluster.id(silent), Fault.loseRequest());
            for (int i = 0; i < 5; i++) {
                Version overlapping = agreed.apply(key, OLD, newer);
                assertThat(cluster.await(agreed.coordinator().put(key, NEW, MAJORITY)))
                        .isGreaterThan(overlapping);
            }
        }
    }

    @Test
    void everyKeyOfABatchHasItsOwnSlots() {
        Key elsewhere = agreed.key(3);
        try (agreed) {
            move(Phase.COPY);
            // Partition 3 has the replicas 3, 0 and 1, of which one may be down.
            agreed.refuse(HEIR);
            cluster.await(agreed.coordinator().putAll(Map.of(key, NEW, elsewhere, NEW), MAJORITY));
            agreed.refuse(THIRD);
            assertThat(cluster.failureOf(agreed.coordinator().putAll(Map.of(key, OLD, elsewhere, OLD), MAJORITY))
                            .code())
                    .isEqualTo(ErrorCode.WRITE_INDETERMINATE);
            agreed.link(COORDINATOR).heal();
            cluster.await(agreed.coordinator().putAll(Map.of(key, NEW, elsewhere, NEW), ALL));
            assertThat(cluster.await(agreed.coordinator().getAll(List.of(key, elsewhere), ALL)))
                    .hasSize(2);
        }
    }

    @Test
    void slotOfWhichBothNodesHaveNoRoomIsOneSlotWithoutRoom() {
        agreed.close();
        AgreedCluster limited = AgreedCluster.with(SimulatedCluster.of(1, AgreedCluster.NODES)
                .options(builder -> builder.partitions(AgreedCluster.PARTITIONS)
                        .overload(OverloadProtection.defaults().withPeerRequests(1, 1, Duration.ofMillis(100)))));
        try (limited) {
            limited.move(MOVING, 0, Phase.BOTH, HEIR);
            limited.installAtAll();
            for (int node : List.of(OWNER, HEIR)) {
                limited.link(COORDINATOR).toward(SimulatedCluster.id(node), Fault.loseRequest());
            }
            // Both nodes still have these to answer.
            limited.cluster.await(limited.coordinator().put(key, OLD, MAJORITY));
            limited.cluster.await(limited.coordinator().put(key, NEW, MAJORITY));
            assertThat(limited.cluster
                            .failureOf(limited.coordinator().put(key, NEW, ALL))
                            .code())
                    .isEqualTo(ErrorCode.OVERLOADED);
        }
    }

    @ParameterizedTest
    @CsvSource({"COPY, 0", "BOTH, 3", "UNDO, 0"})
    void linearizableWriteAsksTheReadableNodeOfAPair(Phase phase, int reader) {
        try (agreed) {
            move(phase);
            Version held = agreed.apply(key, OLD, reader);
            agreed.refuse(THIRD);
            Version written =
                    cluster.await(agreed.coordinator().put(key, NEW, MAJORITY.withOrdering(Ordering.LINEARIZABLE)));
            assertThat(written).isGreaterThan(held);
            assertThat(List.of(OWNER, SECOND, HEIR)).allMatch(node -> agreed.holds(node, key, NEW));
        }
    }

    @ParameterizedTest
    @EnumSource
    void writeBegunInOneMovePhaseEndsInTheNext(PhaseChange change) {
        try (agreed) {
            change.before(agreed);
            agreed.installAtAll();
            change.after(agreed);
            agreed.install(OWNER, SECOND, THIRD, HEIR);
            cluster.await(agreed.coordinator().put(key, NEW, ALL));
            assertThat(agreed.refreshed()).isNotEmpty().containsOnly(COORDINATOR);
            assertThat(agreed.view(COORDINATOR).replicas(key, 3))
                    .allMatch(node ->
                            agreed.holds(Integer.parseInt(node.id().value().substring(1)), key, NEW));
        }
    }

    @ParameterizedTest
    @EnumSource
    void writeCountsByOnePhaseOnly(PhaseChange change) {
        try (agreed) {
            change.before(agreed);
            agreed.installAtAll();
            change.after(agreed);
            // The third replica does not answer, and the second one is still of the former phase.
            agreed.install(OWNER, HEIR, COORDINATOR);
            agreed.mayRefresh = false;
            agreed.refuse(THIRD);
            assertThat(cluster.failureOf(agreed.coordinator().put(key, NEW, MAJORITY))
                            .code())
                    .isEqualTo(ErrorCode.WRITE_INDETERMINATE);
        }
    }
}
