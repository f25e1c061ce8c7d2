package io.dht4j.simulator.cluster.membership;

import static io.dht4j.simulator.cluster.membership.AgreedCluster.COORDINATOR;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.ErrorCode;
import io.dht4j.NodeStatus;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.view.Phase;
import io.dht4j.simulator.cluster.SimulatedCluster;
import io.dht4j.testkit.network.Fault;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Hints of a write whose row has changed by the time at which they are delivered, or made. */
class HintsOfChangedRowsTest extends PhasesOfASlot {

    /** How a row changes while its coordinator is cut off, one phase after the other. */
    enum Change {
        COPIED(Phase.COPY),
        SWITCHED(Phase.COPY, Phase.BOTH),
        MOVED(Phase.COPY, Phase.BOTH, Phase.STABLE),
        GROWING(Phase.GROW),
        GROWN(Phase.GROW);

        private final List<Phase> phases;

        Change(Phase... phases) {
            this.phases = List.of(phases);
        }

        private void happen(HintsOfChangedRowsTest test) {
            phases.forEach(test::move);
            if (this == GROWN) {
                test.agreed.change(MOVING, OWNER, SECOND, THIRD, HEIR);
                test.agreed.installAtAll();
            }
        }
    }

    private void lose(int... nodes) {
        for (int node : nodes) {
            agreed.link(COORDINATOR).toward(SimulatedCluster.id(node), Fault.loseRequest());
        }
    }

    private void heal() {
        IntStream.range(0, AgreedCluster.NODES)
                .forEach(node -> agreed.link(node).heal());
        cluster.env.advance(Duration.ofSeconds(60));
    }

    private void assertThatAllReplicasHoldTheWrite() {
        assertThat(IntStream.range(0, COORDINATOR)
                        .filter(node -> agreed.view(COORDINATOR).isReplica(SimulatedCluster.id(node), key))
                        .filter(node -> !agreed.holds(node, key, NEW)))
                .as("replicas without the write")
                .isEmpty();
        NodeStatus status = cluster.await(agreed.coordinator().operations().status());
        assertThat(status.hintBytes()).isZero();
        assertThat(status.hintBytesDropped()).isZero();
    }

    private void assertThatTheOutcomeIsUnknown() {
        assertThat(cluster.failureOf(agreed.coordinator().put(key, NEW, MAJORITY))
                        .code())
                .isEqualTo(ErrorCode.WRITE_INDETERMINATE);
    }

    @ParameterizedTest
    @EnumSource
    void newReplicaGetsAWriteMissedByItsCopy(Change change) {
        try (agreed) {
            lose(OWNER, SECOND, THIRD);
            assertThatTheOutcomeIsUnknown();
            change.happen(this);
            heal();
            assertThatAllReplicasHoldTheWrite();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void newReplicaThatDoesNotAnswerGetsTheWriteLater(boolean isFormer) {
        try (agreed) {
            lose(OWNER);
            cluster.await(agreed.coordinator().put(key, NEW, MAJORITY));
            (isFormer ? Change.MOVED : Change.SWITCHED).happen(this);
            agreed.link(COORDINATOR).heal();
            agreed.refuse(HEIR);
            cluster.env.advance(Duration.ofSeconds(30));
            assertThat(agreed.holds(HEIR, key, NEW)).isFalse();
            heal();
            assertThatAllReplicasHoldTheWrite();
        }
    }

    @Test
    void viewAfterTheDeadlineKeepsTheHints() {
        CompletableFuture<ClusterView> fetched = new CompletableFuture<>();
        try (agreed) {
            agreed.isolateReplicas();
            agreed.node(COORDINATOR).refresh().from((from, known) -> fetched);
            agreed.move(MOVING, 0, Phase.STABLE, HEIR);
            agreed.install(OWNER, THIRD, HEIR);
            assertThatTheOutcomeIsUnknown();
            assertThat(agreed.holds(SECOND, key, NEW)).isTrue();
            fetched.complete(agreed.view(COORDINATOR));
            agreed.installAtAll();
            heal();
            assertThatAllReplicasHoldTheWrite();
        }
    }
}
