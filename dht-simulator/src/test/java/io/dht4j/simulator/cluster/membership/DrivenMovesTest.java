package io.dht4j.simulator.cluster.membership;

import static io.dht4j.simulator.cluster.membership.FormedCluster.BOUND;
import static io.dht4j.simulator.cluster.membership.FormedCluster.list;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.MembershipChange;
import io.dht4j.MembershipStatus;
import io.dht4j.Node;
import io.dht4j.core.internal.membership.command.Command;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.Lifecycle;
import io.dht4j.core.internal.view.Batch;
import io.dht4j.core.internal.view.Phase;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** The driver moves slots on: whole clusters in virtual time, over the model log. */
class DrivenMovesTest {

    private static final List<Node> THREE = list(0, 1, 2);

    @Test
    void aJoinedNodeGetsItsShareAndServes() {
        try (DrivenCluster cluster = new DrivenCluster(3)) {
            cluster.join(0, 3);
            cluster.nodes.env.advance(Duration.ofSeconds(30));
            assertThat(cluster.load(0, 3)).as("further joins are waited for").isZero();
            cluster.awaitServing(0, 3);
            assertThat(cluster.load(0, 3)).isBetween(10, 13);
            assertThat(Arrays.stream(cluster.nodes.state(0).loads()).sum()).isEqualTo(3 * FormedCluster.PARTITIONS);
            cluster.assertData(0, 3);
            cluster.nodes.env.advance(Duration.ofSeconds(10));
            assertThat(cluster.nodes.state(3)).isEqualTo(cluster.nodes.state(0));
        }
    }

    @Test
    void joinsWithinAMinuteArePlannedTogether() {
        try (DrivenCluster cluster = new DrivenCluster(3)) {
            cluster.join(0, 3);
            cluster.nodes.env.advance(Duration.ofSeconds(40));
            cluster.join(1, 4);
            cluster.awaitServing(0, 3);
            cluster.awaitServing(0, 4);
            assertThat(cluster.load(0, 3)).isBetween(8, 11);
            assertThat(cluster.load(0, 4)).isBetween(8, 11);
            assertThat(cluster.begun.values())
                    .as("no slot moves twice")
                    .allSatisfy(batch -> assertThat(batch.from()).isLessThanOrEqualTo(3));
            cluster.assertData(4);
        }
    }

    @Test
    void aNodeThatInstallsStatesSlowlyServesWhileSlotsMove() {
        try (DrivenCluster cluster = new DrivenCluster(4, builder -> builder.timeout(Duration.ofSeconds(20)))) {
            cluster.nodes.nodes.get(3).env.setStoreDelay(Duration.ofSeconds(4));
            cluster.change(0, state -> new Command.Leave(state.epoch(), 2));
            int calls = 0;
            // The emptied member is removed a moment later.
            for (; cluster.nodes.state(0).members().get(2).lifecycle().isPresent(); calls++) {
                // Fails the test if it fails.
                cluster.nodes.put(3, "key" + calls % DrivenCluster.KEYS, "value" + calls % DrivenCluster.KEYS);
                cluster.nodes.env.advance(Duration.ofSeconds(1));
            }
            assertThat(calls).isGreaterThan(30);
            cluster.assertData(0, 3);
        }
    }

    @Test
    void aRollingRestartMovesNothing() {
        try (DrivenCluster cluster = new DrivenCluster(4)) {
            cluster.nodes.env.advance(Duration.ofMinutes(3));
            ClusterState before = cluster.nodes.state(0);
            for (int i = 0; i < 4; i++) {
                cluster.nodes.stop(i);
                cluster.nodes.env.advance(Duration.ofMinutes(2));
                cluster.nodes.bootstrap(i, list(0, 1, 2, 3));
                cluster.nodes.cluster(i);
                cluster.nodes.env.advance(Duration.ofMinutes(2));
            }
            assertThat(cluster.nodes.state(0)).isEqualTo(before);
        }
    }

    @Test
    void movesContinueWhereverTheDriverDies() {
        boolean more = true;
        for (int commands = 1; more; commands++) {
            try (DrivenCluster cluster = new DrivenCluster(3)) {
                cluster.join(0, 3);
                long epoch = cluster.nodes.state(0).epoch() + commands;
                int leader = cluster.leader();
                cluster.await(
                        leader,
                        state ->
                                state.epoch() >= epoch || state.members().get(4).lifecycle() == Lifecycle.SERVING);
                more = cluster.member(leader, 3).lifecycle() != Lifecycle.SERVING;
                cluster.nodes.crash(leader);
                cluster.nodes.env.advance(Duration.ofSeconds(20));
                cluster.nodes.bootstrap(leader, THREE);
                cluster.nodes.cluster(leader);
                cluster.awaitServing(3, 3);
                assertThat(cluster.load(3, 3)).isBetween(10, 13);
                cluster.assertData(3);
            }
        }
    }

    @Test
    void pausedMovesWaitAndContinue() {
        try (DrivenCluster cluster = new DrivenCluster(3)) {
            cluster.join(0, 3);
            cluster.hold(3);
            Batch copied = cluster.awaitBatch(0, Phase.COPY);
            cluster.pauseMoves(1, true);
            cluster.release(3);
            cluster.nodes.env.advance(Duration.ofMinutes(3));
            assertThat(cluster.nodes.state(0).batches()).contains(copied);
            cluster.pauseMoves(1, false);
            cluster.awaitServing(0, 3);
        }
    }

    @Test
    void heirReportsThatItsClockIsBehind() {
        try (DrivenCluster cluster = new DrivenCluster(3)) {
            cluster.change(
                    0,
                    state -> new Command.Admit(
                            state.epoch(), FormedCluster.node(3).id()));
            cluster.nodes.joinApart(3, list(0), Duration.ofHours(-1));
            cluster.nodes.cluster(3);
            cluster.awaitBatch(0, Phase.COPY);
            cluster.nodes.env.advance(Duration.ofMinutes(1));
            MembershipStatus status = cluster.nodes.env.await(
                    cluster.nodes.cluster(0).membership().status(), BOUND);
            assertThat(status.moves())
                    .isNotEmpty()
                    .allSatisfy(move -> assertThat(move.waitsFor())
                            .contains("ahead of this node's clock: set the clocks of both nodes"));
            assertThat(cluster.nodes
                            .env
                            .await(cluster.nodes.cluster(3).operations().status(), BOUND)
                            .clockProblem())
                    .hasValueSatisfying(problem -> assertThat(problem).hasToString("3600.0 s behind n0, n1, n2"));
            cluster.assertData(0);
        }
    }

    @Test
    void aBatchThatEndsWhileItIsCancelledIsNoError() {
        try (DrivenCluster cluster = new DrivenCluster(3)) {
            cluster.join(0, 3);
            cluster.hold(3);
            long id = cluster.awaitBatch(0, Phase.COPY).id();
            cluster.pauseMoves(1, true);
            int leader = cluster.leader();
            cluster.change(leader, state -> new Command.AdvanceBatch(state.epoch(), id, Phase.BOTH));
            int other = (leader + 1) % 3;
            cluster.await(
                    other,
                    state -> state.batch(id)
                            .filter(batch -> batch.phase() == Phase.BOTH)
                            .isPresent());
            CompletionStage<Long> ends =
                    cluster.nodes.change(leader, state -> new Command.AdvanceBatch(state.epoch(), id, Phase.STABLE));
            CompletionStage<Long> cancelled =
                    cluster.nodes.cluster(other).membership().change(new MembershipChange.CancelMoves());
            cluster.nodes.env.await(ends, BOUND);
            cluster.nodes.env.await(cancelled, BOUND);
            assertThat(cluster.nodes.state(other).batches()).isEmpty();
        }
    }

    @Test
    void batchesAreCancelledInEachPhase() {
        for (Phase phase : List.of(Phase.COPY, Phase.BOTH)) {
            try (DrivenCluster cluster = new DrivenCluster(3)) {
                ClusterState formed = cluster.nodes.state(0);
                cluster.join(0, 3);
                if (phase == Phase.COPY) {
                    cluster.hold(3);
                } else {
                    // The owner does not install BOTH, so that the batch stays in it.
                    cluster.awaitBatch(0, Phase.COPY);
                }
                Batch batch = cluster.awaitBatch(0, phase);
                if (phase == Phase.BOTH) {
                    // At once, since the driver goes on.
                    cluster.change(0, state -> new Command.AbortBatch(state.epoch(), batch.id()));
                }
                cluster.pauseMoves(1, true);
                for (Batch each : cluster.nodes.state(0).batches()) {
                    if (each.phase() != Phase.UNDO) {
                        cluster.change(0, state -> new Command.AbortBatch(state.epoch(), each.id()));
                    }
                }
                cluster.await(0, state -> state.batches().isEmpty());
                cluster.nodes.env.advance(Duration.ofMinutes(2));
                assertThat(cluster.nodes.state(0).batches()).isEmpty();
                assertThat(cluster.nodes
                                .state(0)
                                .slots()
                                .slotOf(batch.partitions().toArray()[0], batch.from()))
                        .isEqualTo(formed.slots().slotOf(batch.partitions().toArray()[0], batch.from()));
                cluster.assertData(0, 3);
                cluster.release(3);
                cluster.pauseMoves(1, false);
                cluster.awaitServing(0, 3);
                cluster.assertData(3);
            }
        }
    }

    @Test
    void moveDoesNotEndWhileItsOwnerIsDown() {
        try (DrivenCluster cluster = new DrivenCluster(3)) {
            cluster.join(0, 3);
            cluster.hold(3);
            Batch copied = cluster.awaitBatch(0, Phase.COPY);
            cluster.nodes.env.advance(Duration.ofMinutes(1));
            int owner = copied.from() - 1;
            int other = (owner + 1) % 3;
            cluster.nodes.crash(owner);
            cluster.release(3);
            assertThat(cluster.awaitBatch(other, Phase.BOTH).id()).isEqualTo(copied.id());
            cluster.nodes.env.advance(Duration.ofMinutes(3));
            assertThat(cluster.nodes.state(other).batches())
                    .extracting(Batch::id)
                    .contains(copied.id());
            cluster.nodes.bootstrap(owner, THREE);
            cluster.nodes.cluster(owner);
            cluster.awaitServing(other, 3);
            cluster.assertData(other, 3);
        }
    }

    @Test
    void anHeirThatNeverComesBackKeepsNothingWaiting() {
        try (DrivenCluster cluster = new DrivenCluster(3)) {
            cluster.join(0, 3);
            cluster.hold(3);
            cluster.awaitBatch(0, Phase.COPY);
            cluster.nodes.crash(3);
            cluster.nodes.env.advance(Duration.ofMinutes(9));
            assertThat(cluster.nodes.state(0).batches())
                    .as("it may be restarting")
                    .isNotEmpty();
            cluster.await(0, state -> state.batches().isEmpty());
            cluster.nodes.env.advance(Duration.ofMinutes(2));
            assertThat(cluster.nodes.state(0).batches())
                    .as("slots move to nodes that answer")
                    .isEmpty();
            cluster.change(0, state -> new Command.MarkDead(state.epoch(), 4, false));
            cluster.change(0, state -> new Command.Remove(state.epoch(), 4));
            cluster.assertData(0);
        }
    }
}
