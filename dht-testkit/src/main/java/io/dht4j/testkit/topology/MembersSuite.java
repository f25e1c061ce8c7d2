package io.dht4j.testkit.topology;

import static io.dht4j.testkit.topology.TopologyCluster.BOUND;
import static io.dht4j.testkit.topology.TopologySuite.without;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.spi.NodeRef;
import io.dht4j.spi.TopologyLogException;
import io.dht4j.spi.TopologyLogException.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** The members change while the group agrees. A part of {@link TopologyLogContract}. */
interface MembersSuite extends TopologySuite {

    /** Changes the members at the leader, until it is done. */
    private void change(List<NodeRef> wanted) {
        for (int attempt = 0; ; attempt++) {
            NodeRef leader = cluster().awaitLeader();
            try {
                cluster()
                        .time()
                        .await(
                                cluster()
                                        .log(leader)
                                        .changeMembers(wanted, cluster().within(BOUND)),
                                BOUND);
                break;
            } catch (TopologyLogException e) {
                assertThat(attempt).as(e.getMessage()).isLessThan(5);
            }
        }
        List<NodeRef> sorted = wanted.stream().sorted().toList();
        cluster()
                .time()
                .runUntil(
                        () -> wanted.stream()
                                .allMatch(member ->
                                        cluster().log(member).members().equals(sorted)),
                        BOUND);
    }

    private NodeRef join(String name) {
        NodeRef node = cluster().newNode(name);
        cluster().start(node);
        return node;
    }

    @Test
    default void oneMemberGrowsToFiveAndShrinksToOne() {
        List<NodeRef> members = new ArrayList<>(cluster().form(1));
        cluster().agree("alone");
        members.add(join("n2"));
        members.add(join("n3"));
        change(members);
        cluster().agree("three");
        members.add(join("n4"));
        members.add(join("n5"));
        change(members);
        cluster().agree("five");
        cluster().awaitApplied(members);
        List<NodeRef> three = members.subList(1, 4);
        change(three);
        cluster().agree("three again");
        cluster().awaitApplied(three);
        List<NodeRef> one = members.subList(2, 3);
        change(one);
        without(members, one.get(0)).forEach(cluster()::stop);
        cluster().agree("alone again");
        cluster().awaitApplied(one);
    }

    @Test
    default void aDeadMemberIsReplaced() {
        List<NodeRef> members = cluster().form(3);
        for (int i = 0; i < 3 * snapshotCommands(); i++) {
            cluster().agree("command " + i);
        }
        NodeRef dead = without(members, cluster().awaitLeader()).get(0);
        cluster().crash(dead);
        NodeRef heir = join(String.valueOf(dead.name()));
        List<NodeRef> wanted = new ArrayList<>(without(members, dead));
        wanted.add(heir);
        change(wanted);
        cluster().awaitApplied(wanted);
        // One of the old ones may go now.
        cluster().crash(wanted.get(0));
        cluster().agree("after");
        cluster().awaitApplied(wanted.subList(1, 3));
    }

    /** A leader that was just elected has not missed the dead member yet, and needs the live one to remove it. */
    @Test
    default void aNewLeaderShrinksToItselfByTheVoteOfTheLiveMember() {
        List<NodeRef> members = cluster().form(3);
        NodeRef last = members.get(2);
        NodeRef leader = cluster().awaitLeader();
        for (int attempt = 0; !leader.equals(last); attempt++) {
            assertThat(attempt).as("elections").isLessThan(50);
            cluster().crash(leader);
            NodeRef next = cluster().awaitLeader();
            cluster().start(leader);
            leader = next;
        }
        cluster().agree("before");
        cluster().crash(last);
        List<NodeRef> one = List.of(cluster().awaitLeader());
        change(one);
        without(members.subList(0, 2), one.get(0)).forEach(cluster()::stop);
        cluster().agree("alone");
        cluster().awaitApplied(one);
    }

    @Test
    default void changedMembersAreThereAfterARestart() {
        List<NodeRef> members = new ArrayList<>(cluster().form(1));
        members.add(join("n2"));
        members.add(join("n3"));
        change(members);
        cluster().agree("a");
        cluster().awaitApplied(members);
        members.forEach(cluster()::crash);
        members.forEach(cluster()::start);
        cluster().agree("b");
        cluster().awaitApplied(members);
        assertThat(cluster().log(members.get(2)).members()).containsExactlyInAnyOrderElementsOf(members);
    }

    @Test
    default void aNodeThatIsNoMemberNeitherLeadsNorDisturbs() {
        List<NodeRef> members = cluster().form(3);
        NodeRef leader = cluster().awaitLeader();
        NodeRef stranger = join("n4");
        cluster().time().advance(Duration.ofMinutes(2));
        cluster().agree("a");
        cluster().awaitApplied(members);
        assertThat(cluster().awaitLeader()).isEqualTo(leader);
        assertThat(cluster().log(stranger).leads()).isFalse();
        assertThat(cluster().applier(stranger).commands()).isEmpty();
    }

    @Test
    default void aLeaderThatIsNotWantedHandsOver() {
        List<NodeRef> members = cluster().form(3);
        NodeRef leader = cluster().awaitLeader();
        List<NodeRef> wanted = new ArrayList<>(without(members, leader));
        wanted.add(join("n4"));
        change(wanted);
        assertThat(cluster().awaitLeader()).isNotEqualTo(leader);
        cluster().stop(leader);
        cluster().agree("a");
        cluster().awaitApplied(wanted);
    }

    @Test
    default void whileANewMemberIsSilentTheOthersAgree() {
        List<NodeRef> members = cluster().form(3);
        NodeRef leader = cluster().awaitLeader();
        NodeRef silent = cluster().newNode("n4");
        List<NodeRef> wanted =
                new ArrayList<>(without(members, without(members, leader).get(0)));
        wanted.add(silent);

        CompletionStage<Void> change =
                cluster().log(leader).changeMembers(wanted, cluster().within(Duration.ofSeconds(20)));
        cluster().time().advance(Duration.ofSeconds(5));
        cluster().agree("meanwhile");
        cluster().time().advance(Duration.ofSeconds(15));
        assertThat(change.toCompletableFuture()).isCompletedExceptionally();
        assertThat(cluster().log(leader).members())
                .as("its agreement does not count")
                .doesNotContain(silent);

        change(members);
        cluster().agree("after");
        cluster().awaitApplied(members);
    }

    @Test
    default void onlyTheLeaderChangesMembers() {
        List<NodeRef> members = cluster().form(3);
        NodeRef leader = cluster().awaitLeader();
        cluster().agree("a");
        cluster().awaitApplied(members);
        NodeRef other = without(members, leader).get(0);
        TopologyLogException refused = failure(
                cluster().log(other).changeMembers(List.of(other), cluster().within(BOUND)));
        assertThat(refused.outcome()).isEqualTo(Outcome.NOT_LEADER);
        assertThat(refused.leader()).contains(leader);
    }

    @Test
    default void evenNumbersAndRepeatedMembersAreRefused() {
        List<NodeRef> members = cluster().form(3);
        NodeRef leader = cluster().awaitLeader();
        NodeRef other = members.get(0);
        for (List<NodeRef> wrong :
                List.of(List.<NodeRef>of(), members.subList(0, 2), List.of(other, other, members.get(1)))) {
            assertThatThrownBy(() ->
                            cluster().log(leader).changeMembers(wrong, cluster().within(BOUND)))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }
}
