package io.dht4j.simulator.cluster.membership;

import static io.dht4j.simulator.cluster.membership.FormedCluster.BOUND;
import static io.dht4j.simulator.cluster.membership.FormedCluster.list;
import static io.dht4j.simulator.cluster.membership.FormedCluster.node;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.Cluster;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.MembershipChange;
import io.dht4j.MembershipStatus;
import io.dht4j.Node;
import io.dht4j.core.internal.membership.command.Command;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.Lifecycle;
import io.dht4j.core.internal.membership.state.Member;
import io.dht4j.testkit.network.Fault;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The driver moves members on, from their admission to their removal: whole clusters in virtual time. */
class DrivenMembersTest {

    private static final List<Node> THREE = list(0, 1, 2);

    @Test
    void aLeavingNodeIsEmptiedAndRemovedWhicheverItIs() {
        for (int leaving = 0; leaving < 4; leaving++) {
            try (DrivenCluster cluster = new DrivenCluster(4)) {
                int at = (leaving + 1) % 4;
                int number = cluster.number(at, leaving);
                cluster.change(at, state -> new Command.Leave(state.epoch(), number));
                cluster.awaitRemoved(at, number);
                assertThat(cluster.nodes.state(at).loads()[number]).isZero();
                assertThat(cluster.nodes.state(at).members().voters())
                        .hasSize(3)
                        .doesNotContain(number);
                assertThat(cluster.nodes.env.await(
                                cluster.nodes.cluster(leaving).failure(), BOUND))
                        .contains("has left; to let it join again");
                assertThat(cluster.nodes.cluster(leaving).membership().isRemoved())
                        .isTrue();
                int removed = leaving;
                Cluster gone = cluster.nodes.cluster(removed);
                Stream.<Supplier<CompletionStage<?>>>of(
                                () -> gone.get(Key.of("key")),
                                gone::ready,
                                () -> gone.operations().repair(Set.of()))
                        .forEach(call -> assertThatThrownBy(() -> cluster.nodes.env.await(call.get(), BOUND))
                                .hasMessageStartingWith("this node can no longer serve: ")
                                .hasMessageContaining("has left; to let it join again"));
                assertThatThrownBy(
                                () -> cluster.change(removed, state -> new Command.Admit(state.epoch(), node(9).id())))
                        .isInstanceOfSatisfying(
                                DhtException.class,
                                refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.NOT_SERVING));
                cluster.nodes.stop(leaving);
                cluster.assertData(at);
                cluster.change(at, state -> new Command.Admit(state.epoch(), node(9).id()));
            }
        }
    }

    @Test
    void aLeaveThatCannotFitIsRefused() {
        try (DrivenCluster cluster = new DrivenCluster(3)) {
            assertThat(cluster.refusal(0, state -> new Command.Leave(state.epoch(), 1)))
                    .contains("without n0 only 2 nodes would remain for the replication factor 3: add a node first,"
                            + " or, if n0");
        }
    }

    @Test
    void aLeavingNodeWaitsForItsVotersAndHints() {
        try (DrivenCluster cluster = new DrivenCluster(4)) {
            cluster.nodes.membership(3).reports().pending(() -> 7, () -> 0);
            int number = cluster.number(0, 3);
            cluster.change(0, state -> new Command.Leave(state.epoch(), number));
            cluster.await(0, state -> state.loads()[number] == 0);
            cluster.nodes.env.advance(Duration.ofMinutes(1));
            assertThat(cluster.member(0, 3).lifecycle()).isEqualTo(Lifecycle.LEAVING);
            cluster.nodes.membership(3).reports().pending(() -> 0, () -> 0);
            cluster.awaitRemoved(0, number);
        }
    }

    @Test
    void statusSaysHowToRemoveALostLeavingNode() {
        try (DrivenCluster cluster = new DrivenCluster(4)) {
            cluster.nodes.membership(3).reports().pending(() -> 7, () -> 0);
            cluster.change(0, state -> new Command.Leave(state.epoch(), 4));
            cluster.await(0, state -> state.loads()[4] == 0);
            cluster.nodes.crash(3);
            cluster.nodes.env.advance(Duration.ofSeconds(40));
            assertThat(waitsFor(cluster, 3)).contains("call membership().replace(new NodeId(\"n3\"))");
            cluster.nodes.env.await(cluster.nodes.cluster(0).membership().replace(node(3).id()), BOUND);
            cluster.nodes.env.advance(Duration.ofSeconds(10));
            assertThat(waitsFor(cluster, 3)).contains("or call membership().remove(new NodeId(\"n3\"))");
            cluster.nodes.env.await(cluster.nodes.cluster(0).membership().remove(node(3).id()), BOUND);
            cluster.awaitRemoved(0, 4);
        }
    }

    private static String waitsFor(DrivenCluster cluster, int name) {
        MembershipStatus status =
                cluster.nodes.env.await(cluster.nodes.cluster(0).membership().status(), BOUND);
        return status.members().stream()
                .filter(member -> member.name().equals(node(name).id()))
                .findFirst()
                .orElseThrow()
                .waitsFor();
    }

    @Test
    void failureBeforeTheElectionDeclaresNoNodeDead() {
        try (DrivenCluster cluster = new DrivenCluster(4)) {
            int first = cluster.leader();
            List<Integer> others =
                    IntStream.range(0, 3).filter(i -> i != first).boxed().toList();
            // The leader hears the fourth node all the time.
            others.forEach(other -> cluster.nodes.nodes.get(other).link.toward(node(3).id(), Fault.refuse()));
            cluster.nodes.env.advance(Duration.ofMinutes(2));
            others.forEach(other -> cluster.nodes.nodes.get(other).link.heal());
            cluster.nodes.crash(3);
            cluster.nodes.crash(first);
            int leader = cluster.leader();
            assertThat(cluster.refusal(leader, state -> new Command.MarkDead(state.epoch(), 4, false)))
                    .contains("a node is declared dead after 30 s");
            cluster.nodes.env.advance(Duration.ofSeconds(45));
            cluster.change(leader, state -> new Command.MarkDead(state.epoch(), 4, false));
        }
    }

    @Test
    void newLeaderKeepsTheSilenceOfADeadNode() {
        try (DrivenCluster cluster = new DrivenCluster(5)) {
            cluster.nodes.crash(4);
            cluster.nodes.env.advance(Duration.ofSeconds(35));
            cluster.nodes.crash(cluster.leader());
            int leader = cluster.leader();
            cluster.change(leader, state -> new Command.MarkDead(state.epoch(), 5, true));
            assertThat(cluster.member(leader, 4).lifecycle()).isEqualTo(Lifecycle.DEAD);
        }
    }

    /** The new leader has not heard it for long: another member, which answers, has. */
    @Test
    void newLeaderCountsWhatOtherMembersHeard() {
        try (DrivenCluster cluster = new DrivenCluster(5)) {
            int first = cluster.leader();
            List<Integer> others = without(List.of(0, 1, 2, 3, 4), first, 4);
            others.subList(1, others.size())
                    .forEach(other -> cluster.nodes.nodes.get(other).link.toward(node(4).id(), Fault.refuse()));
            cluster.nodes.env.advance(Duration.ofMinutes(2));
            cluster.nodes.crash(4);
            cluster.nodes.env.advance(Duration.ofSeconds(15));
            cluster.nodes.crash(first);
            int leader = cluster.leader();
            assertThat(cluster.refusal(leader, state -> new Command.MarkDead(state.epoch(), 5, true)))
                    .contains("was heard")
                    .contains("a node is declared dead after 30 s");
            cluster.nodes.env.advance(Duration.ofSeconds(15));
            cluster.change(leader, state -> new Command.MarkDead(state.epoch(), 5, true));
        }
    }

    private static List<Integer> without(List<Integer> all, int one, int other) {
        return all.stream().filter(i -> i != one && i != other).toList();
    }

    @Test
    void aNodeThatOneMemberAloneHearsIsNotDeclaredDead() {
        try (DrivenCluster cluster = new DrivenCluster(5)) {
            int leader = cluster.leader();
            int hearing = without(List.of(0, 1, 2, 3, 4), leader, 4).get(2);
            without(List.of(0, 1, 2, 3), hearing, 4)
                    .forEach(other -> cluster.nodes.nodes.get(other).link.toward(node(4).id(), Fault.refuse()));
            cluster.nodes.env.advance(Duration.ofMinutes(2));
            assertThat(cluster.refusal(leader, state -> new Command.MarkDead(state.epoch(), 5, true)))
                    .contains("n4 (number 5, SERVING) answers n" + hearing);
            assertThat(cluster.member(leader, 4).lifecycle()).isEqualTo(Lifecycle.SERVING);
        }
    }

    @Test
    void leaderWithoutAMajorityOfVotersDeclaresNoNodeDead() {
        try (DrivenCluster cluster = new DrivenCluster(4)) {
            cluster.nodes.crash(3);
            cluster.nodes.env.advance(Duration.ofSeconds(40));
            int leader = cluster.leader();
            cluster.nodes.nodes.get(leader).link.towardAll(Fault.refuse());
            assertThat(cluster.refusal(leader, state -> new Command.MarkDead(state.epoch(), 4, false)))
                    .contains("1 of 3 voters answer n" + leader)
                    .contains("repeat this when a majority answers");
        }
    }

    /** A member of 0.1.0 does not say what it has heard: what the leader has found itself counts, since it leads. */
    @Test
    void duringAnUpgradeTheLeadersOwnSilenceCounts() {
        try (DrivenCluster cluster = new DrivenCluster(5, builder -> builder, made -> {
            made.ofEarlierRelease.add(3);
            return made;
        })) {
            cluster.nodes.crash(4);
            cluster.nodes.env.advance(Duration.ofSeconds(40));
            cluster.nodes.crash(cluster.leader());
            int leader = cluster.leader();
            assertThat(cluster.refusal(leader, state -> new Command.MarkDead(state.epoch(), 5, true)))
                    .contains("a node is declared dead after 30 s");
            cluster.nodes.env.advance(Duration.ofSeconds(40));
            cluster.change(leader, state -> new Command.MarkDead(state.epoch(), 5, true));
            assertThat(cluster.nodes.membership(leader).reports().silence(node(3).id()))
                    .isEmpty();
        }
    }

    @Test
    void silenceOfARemovedMemberIsForgotten() {
        try (DrivenCluster cluster = new DrivenCluster(4)) {
            cluster.nodes.crash(3);
            cluster.nodes.env.advance(Duration.ofSeconds(40));
            cluster.change(0, state -> new Command.MarkDead(state.epoch(), 4, true));
            cluster.await(0, state -> state.loads()[4] == 0 && state.batches().isEmpty());
            assertThat(cluster.nodes.membership(0).reports().silence(node(3).id()))
                    .isPresent();
            cluster.change(0, state -> new Command.Remove(state.epoch(), 4));
            cluster.nodes.env.advance(Duration.ofSeconds(40));
            assertThat(cluster.nodes.membership(0).reports().silence(node(3).id()))
                    .isEmpty();
        }
    }

    @Test
    void aDeadNodeIsReplacedByAnEmptyDiskOfItsName() {
        for (int dead = 0; dead < 3; dead++) {
            try (DrivenCluster cluster = new DrivenCluster(3)) {
                int at = (dead + 1) % 3;
                cluster.nodes.crash(dead);
                cluster.nodes.env.advance(Duration.ofSeconds(40));
                int number = dead + 1;
                cluster.change(at, state -> new Command.MarkDead(state.epoch(), number, false));
                cluster.nodes.replaceDisk(dead);
                cluster.nodes.join(dead, list(at, (dead + 2) % 3));
                cluster.nodes.cluster(dead);
                long joinedNanos = cluster.nodes.env.nanoTime();
                cluster.awaitRemoved(at, number);
                cluster.awaitServing(at, dead);
                assertThat(Duration.ofNanos(cluster.nodes.env.nanoTime() - joinedNanos))
                        .as("it serves, and may vote, once it is filled, and not after the wait for further joins")
                        .isLessThan(Duration.ofSeconds(30));
                assertThat(cluster.number(at, dead)).isEqualTo(4);
                assertThat(cluster.load(at, dead)).isEqualTo(FormedCluster.PARTITIONS);
                cluster.await(at, state -> state.members().voters().contains(4));
                cluster.assertData(dead);
            }
        }
    }

    @Test
    void slotsOfADeadNodeMoveWithoutAReplacement() {
        try (DrivenCluster cluster = new DrivenCluster(4)) {
            cluster.nodes.crash(3);
            cluster.nodes.env.advance(Duration.ofSeconds(40));
            cluster.change(0, state -> new Command.MarkDead(state.epoch(), 4, false));
            cluster.await(0, state -> state.loads()[4] == 0 && state.batches().isEmpty());
            cluster.nodes.env.advance(Duration.ofMinutes(5));
            cluster.nodes.replaceDisk(3);
            cluster.nodes.join(3, THREE);
            cluster.nodes.cluster(3);
            cluster.awaitRemoved(0, 4);
            cluster.awaitServing(0, 3);
            cluster.assertData(1);
        }
    }

    @Test
    void aNodeVotesAgainAfterItDidNot() {
        try (DrivenCluster cluster = new DrivenCluster(3, builder -> builder.replicationFactor(2))) {
            cluster.change(0, state -> new Command.Leave(state.epoch(), 3));
            cluster.awaitRemoved(0, 3);
            assertThat(cluster.nodes.state(0).members().voters()).hasSize(1);
            cluster.nodes.stop(2);
            cluster.join(0, 3);
            cluster.awaitServing(0, 3);
            cluster.await(0, state -> state.members().voters().equals(List.of(1, 2, 4)));
            cluster.nodes.env.advance(Duration.ofMinutes(2));
            // All three agree: one of them may go.
            cluster.nodes.crash(cluster.leader());
            int left = cluster.nodes.nodes.keySet().iterator().next();
            cluster.nodes.env.advance(Duration.ofSeconds(20));
            cluster.change(left, state -> new Command.Admit(state.epoch(), node(7).id()));
        }
    }

    @Test
    void fiveVotersOfThreeZonesAreChosenWhenTheyAreWanted() {
        try (DrivenCluster cluster = new DrivenCluster(6)) {
            for (int i = 0; i < 6; i++) {
                zone(cluster, i, "z" + i / 2);
            }
            cluster.await(0, state -> state.members().voters().equals(List.of(1, 3, 5)));
            want(cluster, 5);
            cluster.await(0, state -> state.members().voters().size() == 5 && zonesOfVoters(state) == 3);
            // Of five voters two may be lost.
            cluster.nodes.env.advance(Duration.ofMinutes(1));
            cluster.nodes.crash(cluster.leader());
            cluster.nodes.crash(cluster.leader());
            int left = cluster.nodes.nodes.keySet().iterator().next();
            want(cluster, left, 3);
            cluster.await(left, state -> state.members().voters().size() == 3 && zonesOfVoters(state) == 3);
        }
    }

    private static long zonesOfVoters(ClusterState state) {
        return state.members().voters().stream()
                .map(voter -> state.members().get(voter).details().zone())
                .distinct()
                .count();
    }

    private static void zone(DrivenCluster cluster, int i, String zone) {
        cluster.change(
                0,
                state -> new Command.ChangeAttributes(
                        state.epoch(),
                        i + 1,
                        state.members().get(i + 1).details().withZone(zone)));
    }

    private static void want(DrivenCluster cluster, int voters) {
        want(cluster, 0, voters);
    }

    private static void want(DrivenCluster cluster, int at, int voters) {
        cluster.nodes.env.await(
                cluster.nodes.cluster(at).membership().change(new MembershipChange.Voters(voters)), BOUND);
        MembershipStatus status =
                cluster.nodes.env.await(cluster.nodes.cluster(at).membership().status(), BOUND);
        assertThat(status.metadata().wantedVoters()).isEqualTo(voters);
    }

    @Test
    void versionSlotIsReleasedAfterTheRemoval() {
        try (DrivenCluster cluster = new DrivenCluster(4)) {
            cluster.change(0, state -> new Command.Leave(state.epoch(), 4));
            cluster.awaitRemoved(0, 4);
            assertThat(cluster.nodes.state(0).members().get(4).versionSlot()).isEqualTo(3);
            cluster.await(0, state -> state.members().get(4).versionSlot() == Member.NO_VERSION_SLOT);
        }
    }

    /** The log needs the vote of a node that the agreed state does not name any more, until the new voter is there. */
    @Test
    void aFormerVoterWhoseDiskWasFullVotesOnceItHasRoom() {
        try (DrivenCluster cluster = new DrivenCluster(4)) {
            cluster.nodes.logsRun = false;
            cluster.change(0, state -> new Command.Leave(state.epoch(), 3));
            cluster.await(0, state -> state.members().voters().equals(List.of(1, 2, 4)));
            cluster.nodes.awaitEpoch(cluster.nodes.state(0).epoch(), 1, 2, 3);
            cluster.nodes.logsRun = true;
            cluster.nodes.stop(2);
            cluster.nodes.fullDisks.add(node(2).id());
            cluster.nodes.bootstrap(2, list(0, 1, 2, 3));
            cluster.nodes.cluster(2);
            cluster.nodes.crash(0);
            cluster.nodes.env.advance(Duration.ofSeconds(30));
            MembershipStatus status = cluster.nodes.env.await(
                    cluster.nodes.cluster(1).membership().status(), BOUND);
            assertThat(status.metadata().waitsFor())
                    .contains("n2 to take part in changes of the topology", "tries again every 10 s", "no space left");
            cluster.nodes.fullDisks.clear();
            cluster.nodes.env.advance(Duration.ofSeconds(20));
            cluster.change(1, state -> new Command.Admit(state.epoch(), node(7).id()));
        }
    }

    @Test
    void aReplacementVotesBeforeItIsFilled() {
        try (DrivenCluster cluster = new DrivenCluster(3)) {
            cluster.nodes.crash(2);
            cluster.nodes.env.advance(Duration.ofSeconds(40));
            cluster.change(0, state -> new Command.MarkDead(state.epoch(), 3, false));
            cluster.nodes.replaceDisk(2);
            cluster.nodes.join(2, list(0, 1));
            cluster.nodes.cluster(2);
            cluster.hold(2);
            cluster.await(0, state -> state.members().voters().equals(List.of(1, 2, 4)));
            assertThat(cluster.member(0, 2).lifecycle()).isEqualTo(Lifecycle.JOINING);
            cluster.nodes.env.advance(Duration.ofMinutes(1));
            // All three agree: one of them may go.
            cluster.nodes.crash(cluster.leader());
            int left = cluster.nodes.nodes.keySet().iterator().next();
            cluster.nodes.env.advance(Duration.ofSeconds(20));
            cluster.change(left, state -> new Command.Admit(state.epoch(), node(7).id()));
        }
    }
}
