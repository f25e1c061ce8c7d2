package io.dht4j.testkit.topology;

import static io.dht4j.testkit.topology.TopologyCluster.BOUND;
import static io.dht4j.testkit.topology.TopologySuite.without;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.spi.NodeRef;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Members agree on a leader, and find another one. A part of {@link TopologyLogContract}. */
interface LeadersSuite extends TopologySuite {

    @Test
    default void membersElectOneLeaderAndKnowIt() {
        List<NodeRef> members = cluster().form(3);
        NodeRef leader = cluster().awaitLeader();
        cluster()
                .time()
                .runUntil(
                        () -> members.stream()
                                .allMatch(
                                        member -> cluster().log(member).leader().equals(Optional.of(leader))),
                        BOUND);
        assertThat(members.stream().filter(member -> cluster().log(member).leads()))
                .containsExactly(leader);
        assertThat(cluster().applier(leader).leads()).isTrue();
    }

    @Test
    default void anUndisturbedLeaderStays() {
        cluster().form(3);
        NodeRef leader = cluster().awaitLeader();
        cluster().time().advance(Duration.ofMinutes(10));
        assertThat(cluster().awaitLeader()).isEqualTo(leader);
    }

    @Test
    default void afterTheEndOfALeaderAnotherOneHasAllThatWasAgreed() {
        List<NodeRef> members = cluster().form(3);
        for (int i = 0; i < 5; i++) {
            cluster().agree("command " + i);
        }
        NodeRef first = cluster().awaitLeader();
        cluster().crash(first);

        NodeRef second = cluster().awaitLeader();
        assertThat(second).isNotEqualTo(first);
        assertThat(cluster().applier(second).commands()).hasSize(5);
        cluster().agree("more");
        cluster().start(first);
        cluster().awaitApplied(members);
    }

    @Test
    default void aLeaderThatIsCutOffAgreesOnNothingAndSoonDoesNotLead() {
        List<NodeRef> members = cluster().form(3);
        NodeRef first = cluster().awaitLeader();
        cluster().agree("before");
        cluster().isolate(first);

        CompletionStage<Long> lost = cluster().append(first, "lost", BOUND);
        NodeRef second = cluster().awaitLeader();
        cluster().agree("after");
        failure(lost);
        cluster().time().runUntil(() -> !cluster().log(first).leads(), BOUND);

        assertThat(second).isNotEqualTo(first);
        assertThat(cluster().applier(first).leads()).as("as it was reported").isFalse();
        cluster().heal();
        cluster().awaitApplied(members);
        assertThat(cluster().agreed().values()).containsExactly("before", "after");
    }

    /** They have asked for votes at their start, before they heard of the leader. */
    @Test
    default void followersThatHaveRestartedElectAnotherLeader() {
        List<NodeRef> members = cluster().form(3);
        NodeRef first = cluster().awaitLeader();
        List<NodeRef> others = without(members, first);
        cluster().agree("before");
        for (NodeRef other : others) {
            cluster().crash(other);
            cluster().start(other);
        }
        cluster().agree("between");
        cluster().awaitApplied(members);
        cluster().crash(first);
        cluster().agree("after");
        cluster().awaitApplied(others);
    }

    @Test
    default void aFollowerThatWasCutOffDisturbsNobody() {
        List<NodeRef> members = cluster().form(3);
        NodeRef leader = cluster().awaitLeader();
        NodeRef other = without(members, leader).get(0);
        cluster().isolate(other);
        cluster().time().advance(Duration.ofMinutes(1));
        cluster().agree("a");
        cluster().heal();
        cluster().awaitApplied(members);
        assertThat(cluster().awaitLeader()).isEqualTo(leader);
    }
}
