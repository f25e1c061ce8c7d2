package io.dht4j.simulator.cluster.membership;

import static io.dht4j.simulator.cluster.membership.FormedCluster.BOUND;
import static io.dht4j.simulator.cluster.membership.FormedCluster.list;
import static io.dht4j.simulator.cluster.membership.FormedCluster.node;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.DhtException;
import io.dht4j.MembershipStatus;
import io.dht4j.NodeId;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.core.internal.membership.agreed.AgreedMembership;
import io.dht4j.core.internal.membership.command.Command;
import io.dht4j.core.internal.membership.state.Lifecycle;
import io.dht4j.core.internal.view.Epoch;
import io.dht4j.core.internal.view.RebalanceSettings;
import io.dht4j.spi.StoreException;
import io.dht4j.testkit.network.Fault;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** An operator begins the next generation when a majority of the voters is lost: whole clusters in virtual time. */
class LostMajorityTest {

    @Test
    void lostVoterMajorityIsRecoveredByCommand() {
        try (DrivenCluster cluster = new DrivenCluster(5)) {
            cluster.nodes.crash(0);
            cluster.nodes.crash(1);
            cluster.nodes.env.advance(Duration.ofMinutes(1));
            assertThat(cluster.refusal(3, state -> new Command.Admit(state.epoch(), node(7).id())))
                    .contains("does not answer");
            assertThat(recovery(cluster, 3, 0)).contains("n1 does not answer, and may know a newer state");
            assertThat(recovery(cluster, 3, 0, 1, 4)).contains("n4 answers, and is not lost");
            assertThat(recovery(cluster, 3, 0, 1, 9)).contains("no node n9 is present");
            assertThat(recovery(cluster, 3, 0, 1)).isEmpty();
            assertThat(Epoch.generation(cluster.nodes.state(3).epoch())).isEqualTo(2);
            cluster.nodes.awaitEpoch(cluster.nodes.state(3).epoch(), 2, 4);
            cluster.nodes.env.advance(Duration.ofSeconds(40));
            cluster.change(4, state -> new Command.MarkDead(state.epoch(), 1, true));
            cluster.change(2, state -> new Command.MarkDead(state.epoch(), 2, true));
            cluster.await(
                    3,
                    state -> state.loads()[1] + state.loads()[2] == 0
                            && state.batches().isEmpty());
            assertThat(cluster.nodes.state(3).members().voters()).containsExactly(3, 4, 5);
            cluster.assertData(2);

            // What comes back all the same has an earlier state, and learns that it was declared dead.
            cluster.nodes.bootstrap(0, list(0, 1, 2, 3, 4));
            assertThat(cluster.nodes.failure(0)).contains("never returns");

            for (int i = 2; i < 5; i++) {
                cluster.nodes.stop(i);
                cluster.nodes.bootstrap(i, list(0, 1, 2, 3, 4));
                cluster.nodes.cluster(i);
                cluster.nodes.env.advance(Duration.ofSeconds(20));
            }
            cluster.change(2, state -> new Command.Admit(state.epoch(), node(7).id()));
        }
    }

    @Test
    void aMajorityThatIsLeftNeedsNoRecovery() {
        try (DrivenCluster cluster = new DrivenCluster(3)) {
            cluster.nodes.crash(0);
            cluster.nodes.env.advance(Duration.ofSeconds(40));
            assertThat(recovery(cluster, 1, 0)).contains("2 of 3 voters answer, and one leads: changes go on");
        }
    }

    /** The agreed state names three voters, of which two are there, before the log has more than the lost one. */
    @Test
    void logWithoutItsOnlyVoterIsRecovered() {
        try (DrivenCluster cluster = new DrivenCluster(2, builder -> builder.replicationFactor(2))) {
            cluster.nodes.logsRun = false;
            cluster.join(0, 2);
            cluster.await(0, state -> state.members().voters().size() == 3);
            cluster.nodes.awaitEpoch(cluster.nodes.state(0).epoch(), 1, 2);
            assertThat(recovery(cluster, 1, 0)).contains("n0 answers, and is not lost");
            cluster.nodes.crash(0);
            cluster.nodes.env.advance(Duration.ofSeconds(40));
            MembershipStatus status = cluster.nodes.env.await(
                    cluster.nodes.cluster(1).membership().status(), BOUND);
            assertThat(status.metadata().voters()).hasSize(3);
            assertThat(status.metadata().waitsFor())
                    .startsWith("the election of a leader, which may need n0, silent for");
            assertThat(cluster.refusal(1, state -> new Command.MarkDead(state.epoch(), 1, false)))
                    .contains("MembershipChange.Recover of n0;");
            cluster.nodes.logsRun = true;
            assertThat(recovery(cluster, 1, 0)).contains("2 of 3 voters answer", "repeat this in 30 s");
            cluster.nodes.env.advance(Duration.ofSeconds(20));
            assertThat(recovery(cluster, 1, 0)).contains("repeat this in 10 s");
            cluster.nodes.env.advance(Duration.ofSeconds(11));
            assertThat(recovery(cluster, 1, 0)).isEmpty();
            cluster.nodes.awaitEpoch(cluster.nodes.state(1).epoch(), 2);
            cluster.nodes.env.advance(Duration.ofSeconds(40));
            cluster.change(1, state -> new Command.MarkDead(state.epoch(), 1, false));
            cluster.nodes.replaceDisk(0);
            cluster.nodes.join(0, list(1, 2));
            cluster.awaitServing(1, 0);
            cluster.assertData(0);
        }
    }

    /** A node that was to vote in the former generation, and could not since its restart, is not waited for. */
    @Test
    void recoveryNeedsNoFormerVoterThatCouldNotVote() {
        try (DrivenCluster cluster = new DrivenCluster(4)) {
            cluster.change(
                    0,
                    state -> new Command.SetRebalance(
                            state.epoch(),
                            new RebalanceSettings(state.rebalance().bytesPerSecond(), true)));
            cluster.nodes.logsRun = false;
            cluster.change(0, state -> new Command.Leave(state.epoch(), 3));
            cluster.await(0, state -> state.members().voters().equals(List.of(1, 2, 4)));
            cluster.nodes.awaitEpoch(cluster.nodes.state(0).epoch(), 1, 2, 3);
            cluster.nodes.fullDisks.add(node(2).id());
            for (int i : new int[] {0, 2}) {
                cluster.nodes.stop(i);
                cluster.nodes.bootstrap(i, list(0, 1, 2, 3));
                cluster.nodes.cluster(i);
            }
            assertThat(cluster.nodes.status(1).metadata().waitsFor())
                    .contains("n2 to take part in changes of the topology");
            assertThat(recovery(cluster, 1)).contains("3 of 3 voters answer", "repeat this in 30 s");
            cluster.nodes.env.advance(Duration.ofSeconds(31));
            cluster.nodes.logsRun = true;
            assertThat(recovery(cluster, 1)).isEmpty();
            cluster.nodes.env.advance(Duration.ofSeconds(30));
            assertThat(cluster.nodes.state(1).members().voters()).containsExactly(1, 2, 4);
            assertThat(cluster.nodes.status(1).metadata().waitsFor()).doesNotContain("n2");
        }
    }

    /** n3 reaches neither n0 nor n1, which vote and go on with each other. n4 reaches one of them. */
    @Test
    void aNodeThatStillAnswersAnotherOneIsNotLost() {
        try (DrivenCluster cluster = new DrivenCluster(5)) {
            int[][] cut = {{0, 2}, {0, 3}, {1, 2}, {1, 3}, {1, 4}};
            for (int[] link : cut) {
                cluster.nodes.nodes.get(link[0]).link.toward(node(link[1]).id(), Fault.refuse());
                cluster.nodes.nodes.get(link[1]).link.toward(node(link[0]).id(), Fault.refuse());
            }
            cluster.nodes.env.advance(Duration.ofSeconds(40));
            assertThat(recovery(cluster, 3, 0, 1))
                    .contains(
                            "n0 answers n4, or has stopped just now, and is not lost",
                            "With acceptDataLoss this goes on");
            assertThat(Epoch.generation(cluster.nodes.state(3).epoch())).isEqualTo(1);
            Set<NodeId> lost = Set.of(node(0).id(), node(1).id());
            cluster.nodes.env.await(cluster.nodes.membership(3).recover(lost, true), BOUND);
            assertThat(Epoch.generation(cluster.nodes.state(3).epoch())).isEqualTo(2);
            assertThat(cluster.nodes.state(3).recoveredFrom()).hasSize(1);
        }
    }

    /** A node that cannot read the newest format of states could not follow. */
    @Test
    void recoveryWithAnOlderNodeMakesAStateThatAllNodesRead() {
        try (DrivenCluster cluster = new DrivenCluster(5, builder -> builder, made -> {
            made.ofEarlierRelease.add(3);
            return made;
        })) {
            cluster.nodes.crash(0);
            cluster.nodes.crash(1);
            cluster.nodes.env.advance(Duration.ofMinutes(1));
            assertThat(recovery(cluster, 4, 0, 1)).isEmpty();
            assertThat(Epoch.generation(cluster.nodes.state(4).epoch())).isEqualTo(2);
            assertThat(cluster.nodes.state(4).recoveredFrom()).isEmpty();
        }
    }

    /** No node is lost, so none is asked whether it hears a lost one. */
    @Test
    void recoveryOfAllNodesStaysReadableByOldNodes() {
        assertRecoveryStaysReadable(4, 3, builder -> builder, 0, 1, 2);
    }

    /** The other node is asked about no third one. */
    @Test
    void recoveryOfTwoNodesStaysReadableByOldNodes() {
        assertRecoveryStaysReadable(2, 0, builder -> builder.replicationFactor(2), 0);
    }

    /** n1 recovers the cluster after some founders have started again without a log that runs. */
    private static void assertRecoveryStaysReadable(
            int size, int old, UnaryOperator<ClusterBuilder> options, int... restarted) {
        try (DrivenCluster cluster = new DrivenCluster(size, options, made -> {
            made.ofEarlierRelease.add(old);
            return made;
        })) {
            cluster.nodes.logsRun = false;
            for (int i : restarted) {
                cluster.nodes.stop(i);
                cluster.nodes.bootstrap(i, list(IntStream.range(0, size).toArray()));
                cluster.nodes.cluster(i);
            }
            assertThat(recovery(cluster, 1))
                    .contains(restarted.length + " of " + restarted.length + " voters answer", "repeat this in 30 s");
            cluster.nodes.env.advance(Duration.ofSeconds(31));
            cluster.nodes.logsRun = true;
            assertThat(recovery(cluster, 1)).isEmpty();
            assertThat(Epoch.generation(cluster.nodes.state(1).epoch())).isEqualTo(2);
            assertThat(cluster.nodes.state(1).recoveredFrom()).isEmpty();
        }
    }

    @Test
    void aRemovedNodeThatDoesNotKnowItYetRecoversNothing() {
        try (DrivenCluster cluster = new DrivenCluster(5)) {
            List<AgreedMembership> others =
                    IntStream.of(0, 1, 3, 4).mapToObj(cluster.nodes::membership).toList();
            cluster.nodes.disk(2).aroundNotes = name -> {
                if (others.stream().anyMatch(LostMajorityTest::hasRemovedTheThird)) {
                    throw new StoreException("no space left");
                }
            };
            cluster.change(0, state -> new Command.Leave(state.epoch(), 3));
            cluster.awaitRemoved(4, 3);
            cluster.nodes.awaitEpoch(cluster.nodes.state(4).epoch(), 3);
            assertThat(cluster.member(2, 2).lifecycle()).isEqualTo(Lifecycle.LEAVING);
            cluster.nodes.crash(0);
            cluster.nodes.crash(1);
            cluster.nodes.env.advance(Duration.ofSeconds(40));
            assertThat(recovery(cluster, 2, 0, 1)).contains("no longer belongs to the cluster");
            assertThat(recovery(cluster, 3, 0, 1)).isEmpty();
        }
    }

    private static boolean hasRemovedTheThird(AgreedMembership at) {
        return at.state().orElseThrow().members().get(3).lifecycle() == Lifecycle.REMOVED;
    }

    /** The node that is asked knows of a node that knows of one that joined, and that one knows most. */
    @Test
    void recoverySearchesNodesKnownToNewerStates() {
        try (DrivenCluster cluster = new DrivenCluster(5)) {
            fill(cluster, 3);
            cluster.join(0, 5);
            cluster.nodes.awaitEpoch(cluster.nodes.state(5).epoch(), 0, 1, 2, 4);
            fill(cluster, 4);
            cluster.change(0, state -> new Command.Admit(state.epoch(), node(7).id()));
            cluster.nodes.awaitEpoch(cluster.nodes.state(0).epoch(), 5);
            IntStream.range(0, 3).forEach(cluster.nodes::crash);
            assertThat(cluster.nodes.state(4).members().named(node(7).id())).isEmpty();
            assertThat(cluster.nodes.state(3).members().named(node(5).id())).isEmpty();
            cluster.nodes.disk(3).aroundNotes = name -> {};
            assertThat(recovery(cluster, 3, 0, 1, 2)).contains("has stopped just now", "repeat this");
            cluster.nodes.env.advance(Duration.ofSeconds(5));
            assertThat(recovery(cluster, 3, 0, 1, 2)).isEmpty();
            assertThat(cluster.nodes.state(3).members().named(node(7).id())).isPresent();
        }
    }

    private static void fill(DrivenCluster cluster, int i) {
        cluster.nodes.disk(i).aroundNotes = name -> {
            throw new StoreException("no space left");
        };
    }

    /** Returns why a recovery is refused; empty if it is not. */
    private static String recovery(DrivenCluster cluster, int at, int... lost) {
        Set<NodeId> names = IntStream.of(lost).mapToObj(i -> node(i).id()).collect(Collectors.toSet());
        try {
            cluster.nodes.env.await(cluster.nodes.membership(at).recover(names, false), BOUND);
            return "";
        } catch (DhtException e) {
            return String.valueOf(e.getMessage());
        }
    }
}
