package io.dht4j.testkit.topology;

import static io.dht4j.testkit.topology.TopologyCluster.BOUND;
import static io.dht4j.testkit.topology.TopologySuite.without;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.spi.NodeRef;
import io.dht4j.spi.TopologyLog;
import io.dht4j.spi.TopologyLogException;
import io.dht4j.spi.TopologyLogException.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Commands are agreed, or fail with the known outcome. A part of {@link TopologyLogContract}. */
interface AppendsSuite extends TopologySuite {

    @Test
    default void allMembersApplyAllCommandsAtTheSameIndexes() {
        List<NodeRef> members = cluster().form(3);
        for (int i = 0; i < 10; i++) {
            cluster().agree("command " + i);
        }
        cluster().awaitApplied(members);
        assertThat(cluster().agreed()).hasSize(10);
    }

    @Test
    default void aSingleMemberAgreesWithItself() {
        List<NodeRef> members = cluster().form(1);
        long first = cluster().agree("a");
        assertThat(cluster().agree("b")).isGreaterThan(first);
        assertThat(cluster().log(members.get(0)).members()).isEqualTo(members);
    }

    @Test
    default void successfulAppendIsAppliedLocally() {
        cluster().form(3);
        NodeRef leader = cluster().awaitLeader();
        CompletionStage<Boolean> applied = cluster()
                .append(leader, "a", BOUND)
                .thenApply(
                        index -> "a".equals(cluster().applier(leader).commands().get(index)));
        assertThat(cluster().time().await(applied, BOUND)).isTrue();
    }

    @Test
    default void aMemberThatDoesNotLeadNamesTheLeader() {
        List<NodeRef> members = cluster().form(3);
        NodeRef leader = cluster().awaitLeader();
        cluster().agree("a");
        cluster().awaitApplied(members);
        for (NodeRef other : without(members, leader)) {
            TopologyLogException refused = failure(cluster().append(other, "from " + other, BOUND));
            assertThat(refused.outcome()).isEqualTo(Outcome.NOT_LEADER);
            assertThat(refused.leader()).contains(leader);
            assertThat(cluster().log(other).leads()).isFalse();
        }
    }

    @Test
    default void manyCommandsAtOnceAreAgreedOrRefused() {
        List<NodeRef> members = cluster().form(3);
        NodeRef leader = cluster().awaitLeader();
        List<CompletableFuture<Long>> calls = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            calls.add(cluster().append(leader, "command " + i, BOUND).toCompletableFuture());
        }
        cluster().time().runUntil(() -> calls.stream().allMatch(CompletableFuture::isDone), BOUND);
        assertThat(cluster().confirmed()).isPositive();
        cluster().awaitApplied(members);
    }

    @Test
    default void withoutAMajorityAnAppendFailsWithinItsDeadline() {
        List<NodeRef> members = cluster().form(3);
        NodeRef leader = cluster().awaitLeader();
        without(members, leader).forEach(cluster()::crash);

        CompletionStage<Long> call = cluster().append(leader, "a", Duration.ofSeconds(1));
        cluster().time().advance(Duration.ofSeconds(1));

        assertThat(call.toCompletableFuture()).isCompletedExceptionally();
        assertThat(cluster().agreed()).isEmpty();
    }

    @Test
    default void aMinorityThatIsDownStopsNothing() {
        List<NodeRef> members = cluster().form(5);
        NodeRef leader = cluster().awaitLeader();
        List<NodeRef> others = without(members, leader);
        cluster().crash(others.get(0));
        cluster().crash(others.get(1));
        cluster().agree("a");
        cluster().awaitApplied(List.of(leader, others.get(2), others.get(3)));
    }

    @Test
    default void aCallWhoseTimeIsOverDoesNothing() {
        cluster().form(3);
        NodeRef leader = cluster().awaitLeader();
        assertThat(failure(cluster().append(leader, "late", Duration.ZERO)).outcome())
                .isEqualTo(Outcome.NOT_SENT);
        cluster().agree("a");
        assertThat(cluster().agreed()).hasSize(1);
    }

    @Test
    default void aCommandOfTheLargestSizeIsAgreedAndALargerOneRefused() {
        List<NodeRef> members = cluster().form(3);
        cluster().agree("x".repeat(TopologyLog.MAX_COMMAND_BYTES));
        cluster().agree("y".repeat(TopologyLog.MAX_COMMAND_BYTES));
        cluster().awaitApplied(members);
        NodeRef leader = cluster().awaitLeader();
        assertThatThrownBy(() -> cluster()
                        .log(leader)
                        .append(
                                new byte[TopologyLog.MAX_COMMAND_BYTES + 1],
                                cluster().within(BOUND)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(String.valueOf(TopologyLog.MAX_COMMAND_BYTES));
    }

    @Test
    default void closedLogFailsItsCallsAndRefusesNewOnes() {
        List<NodeRef> members = cluster().form(3);
        NodeRef leader = cluster().awaitLeader();
        without(members, leader).forEach(cluster()::crash);
        CompletionStage<Long> append = cluster().append(leader, "a", BOUND);
        cluster().time().advance(Duration.ofMillis(100));

        cluster().stop(leader);
        cluster().log(leader).close();

        failure(append);
        assertThat(failure(cluster().append(leader, "b", BOUND)).outcome()).isEqualTo(Outcome.NOT_SENT);
        assertThat(failure(cluster()
                                .log(leader)
                                .changeMembers(members, cluster().within(BOUND)))
                        .outcome())
                .isEqualTo(Outcome.NOT_SENT);
        assertThat(cluster().log(leader).leads()).isFalse();
    }

    @Test
    default void aLogStartsOnce() {
        NodeRef member = cluster().form(1).get(0);
        assertThatThrownBy(() -> cluster().log(member).start(cluster().applier(member), (to, message) -> {}))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    default void anApplierThatThrowsStopsItsMemberAlone() {
        List<NodeRef> members = cluster().form(3);
        NodeRef leader = cluster().awaitLeader();
        List<NodeRef> others = without(members, leader);
        cluster().applier(others.get(0)).failNext();

        cluster().agree("a");
        String why = cluster().time().await(cluster().log(others.get(0)).failure(), BOUND);

        assertThat(why).isNotBlank();
        cluster().agree("b");
        cluster().awaitApplied(List.of(leader, others.get(1)));
        cluster().stop(others.get(0));
        cluster().start(others.get(0));
        cluster().awaitApplied(members);
    }

    @Test
    default void twoGroupsInOneProcessKnowNothingOfEachOther() {
        TopologyCluster other = anotherCluster();
        List<NodeRef> members = cluster().form(3);
        List<NodeRef> others = other.form(3);
        cluster().agree("here");
        other.agree("there");
        cluster().awaitApplied(members);
        other.awaitApplied(others);
        assertThat(cluster().agreed().values()).containsExactly("here");
        assertThat(other.agreed().values()).containsExactly("there");
    }
}
