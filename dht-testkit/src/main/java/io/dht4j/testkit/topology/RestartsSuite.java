package io.dht4j.testkit.topology;

import static io.dht4j.testkit.topology.TopologySuite.without;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.spi.NodeRef;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Agreed commands are there after restarts. A part of {@link TopologyLogContract}. */
interface RestartsSuite extends TopologySuite {

    @Test
    default void aLogIsNewAtItsFirstOpeningOnly() {
        NodeRef member = cluster().form(1).get(0);
        assertThat(cluster().log(member).isNew()).isTrue();
        // No task has run since the opening.
        cluster().crash(member);
        cluster().start(member);
        assertThat(cluster().log(member).isNew()).isFalse();
        cluster().agree("command");
        cluster().stop(member);
        cluster().start(member);
        assertThat(cluster().log(member).isNew()).isFalse();
    }

    @Test
    default void everythingIsThereAfterAllHaveRestarted() {
        List<NodeRef> members = cluster().form(3);
        for (int round = 0; round < 4; round++) {
            for (int i = 0; i < snapshotCommands() / 2; i++) {
                cluster().agree("command " + round + "-" + i);
            }
            for (NodeRef member : members) {
                if (round % 2 == 0) {
                    cluster().crash(member);
                } else {
                    cluster().stop(member);
                }
            }
            members.forEach(cluster()::start);
        }
        cluster().agree("last");
        cluster().awaitApplied(members);
    }

    @Test
    default void aSingleMemberHasEverythingAfterARestart() {
        NodeRef member = cluster().form(1).get(0);
        for (int i = 0; i < 3 * snapshotCommands(); i++) {
            cluster().agree("command " + i);
        }
        cluster().crash(member);
        cluster().start(member);
        cluster().agree("last");
        cluster().awaitApplied(List.of(member));
        assertThat(cluster().applier(member).restores()).isPositive();
    }

    /** Else a node would take its log for one that has lost its end. */
    @Test
    default void theDurableIndexIsNotBeforeWhatWasApplied() {
        List<NodeRef> members = cluster().form(3);
        for (int i = 0; i < 2 * snapshotCommands() + 1; i++) {
            cluster().agree("command " + i);
        }
        cluster().awaitApplied(members);
        cluster().time().advance(Duration.ofSeconds(1));
        for (NodeRef member : members) {
            long applied = cluster().applier(member).commands().lastKey();
            assertThat(cluster().log(member).durableIndex()).isGreaterThanOrEqualTo(applied);
            cluster().crash(member);
            cluster().start(member);
            assertThat(cluster().log(member).durableIndex()).isGreaterThanOrEqualTo(applied);
        }
    }

    @Test
    default void aMemberThatWasAwayCatchesUp() {
        List<NodeRef> members = cluster().form(3);
        NodeRef away = without(members, cluster().awaitLeader()).get(0);
        cluster().agree("before");
        cluster().crash(away);
        cluster().agree("meanwhile");
        cluster().start(away);
        cluster().awaitApplied(members);
    }

    @Test
    default void aMemberThatWasAwayForLongCatchesUpBySnapshot() {
        List<NodeRef> members = cluster().form(3);
        NodeRef away = without(members, cluster().awaitLeader()).get(0);
        cluster().agree("before");
        cluster().crash(away);
        for (int i = 0; i < 5 * snapshotCommands(); i++) {
            cluster().agree("command " + i);
        }
        cluster().start(away);
        cluster().awaitApplied(members);
        assertThat(cluster().applier(away).restores()).isPositive();
    }

    @Test
    default void aMemberThatWasOnlyCutOffForLongCatchesUp() {
        List<NodeRef> members = cluster().form(3);
        NodeRef away = without(members, cluster().awaitLeader()).get(0);
        cluster().isolate(away);
        for (int i = 0; i < 5 * snapshotCommands(); i++) {
            cluster().agree("command " + i);
        }
        cluster().heal();
        cluster().awaitApplied(members);
    }

    /** A majority that has restarted, and a leader whose last commands were not agreed. */
    @Test
    default void leftoversOfALeaderAreReplacedByWhatIsAgreed() {
        List<NodeRef> members = cluster().form(3);
        for (int i = 0; i < 2 * snapshotCommands() + 1; i++) {
            cluster().agree("command " + i);
        }
        NodeRef first = cluster().awaitLeader();
        cluster().isolate(first);
        for (int i = 0; i < 5; i++) {
            cluster().append(first, "leftover " + i, Duration.ofSeconds(1));
        }
        cluster().time().advance(Duration.ofSeconds(2));
        cluster().agree("other");
        cluster().crash(first);
        cluster().start(first);
        cluster().heal();
        cluster().awaitApplied(members);
        cluster().agree("last");
        cluster().awaitApplied(members);
    }
}
