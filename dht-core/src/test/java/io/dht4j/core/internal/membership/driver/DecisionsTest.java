package io.dht4j.core.internal.membership.driver;

import static io.dht4j.core.internal.membership.Clusters.accepted;
import static io.dht4j.core.internal.membership.Clusters.advanced;
import static io.dht4j.core.internal.membership.Clusters.formed;
import static io.dht4j.core.internal.membership.Clusters.growing;
import static io.dht4j.core.internal.membership.Clusters.grown;
import static io.dht4j.core.internal.membership.Clusters.incarnation;
import static io.dht4j.core.internal.membership.Clusters.joined;
import static io.dht4j.core.internal.membership.Clusters.left;
import static io.dht4j.core.internal.membership.Clusters.movable;
import static io.dht4j.core.internal.membership.Clusters.moved;
import static io.dht4j.core.internal.membership.Clusters.newest;
import static io.dht4j.core.internal.membership.Clusters.raised;
import static io.dht4j.core.internal.membership.Clusters.started;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.core.internal.membership.command.Command;
import io.dht4j.core.internal.membership.plan.Plan;
import io.dht4j.core.internal.membership.plan.PlannedBatch;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.LogMembers;
import io.dht4j.core.internal.membership.state.Member;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.view.Batch;
import io.dht4j.core.internal.view.BatchProgress;
import io.dht4j.core.internal.view.Phase;
import io.dht4j.core.internal.view.RebalanceSettings;
import io.dht4j.core.internal.wire.MembershipReply.Reported;
import io.dht4j.spi.NodeRef;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What the driver does next, and what it waits for. */
class DecisionsTest {

    private static final Plan NOTHING = new Plan(List.of(), 0, 0);
    private static final PartitionSet EIGHT = PartitionSet.matching(8, partition -> true);

    /** What is seen of a state; all members answer, and have installed it. */
    private static final class Seen {
        private final ClusterState state;
        private final Map<Integer, Reported> reports = new HashMap<>();
        private final Map<Integer, Duration> silences = new HashMap<>();
        private final Map<Long, Duration> snapshotWaits = new HashMap<>();
        private Optional<Plan> plan = Optional.of(NOTHING);
        private List<NodeRef> log;
        private boolean logChanges;
        private Set<Integer> releasable = Set.of();

        Seen(ClusterState state) {
            this.state = state;
            this.log = LogMembers.voters(state);
            state.members().all().stream()
                    .filter(member -> member.lifecycle().isPresent())
                    .forEach(member -> report(member.number(), state.epoch(), 0, 0));
        }

        Seen report(int member, long epoch, long hints, int snapshots, BatchProgress... batches) {
            reports.put(member, new Reported(incarnation(member), epoch, false, hints, snapshots, List.of(batches)));
            return this;
        }

        Seen complete(int member, PartitionSet partitions) {
            return report(member, state.epoch(), 0, 0, progress(state, partitions));
        }

        Seen silent(int member, Duration time) {
            reports.remove(member);
            silences.put(member, time);
            return this;
        }

        Seen plan(PlannedBatch... batches) {
            plan = Optional.of(new Plan(List.of(batches), 0, 0));
            return this;
        }

        Decision next() {
            return Decisions.next(new Observation(
                    state, reports, silences, snapshotWaits, plan, Optional.empty(), log, logChanges, releasable));
        }

        Command command() {
            Step step = next().step().orElseThrow();
            return ((Step.Append) step).command();
        }

        String waited() {
            Decision decision = next();
            assertThat(decision.step()).isEmpty();
            assertThat(decision.waits()).hasSize(1);
            return decision.waits().get(0).text();
        }
    }

    /** Three nodes and a replication factor of 3; each partition has the replicas of two of them. */
    private static ClusterState grownOnce() {
        return grown(growable(), 1, 2, EIGHT);
    }

    private static ClusterState growable() {
        ClusterState joined = joined(joined(formed(1, 8, 1)));
        ClusterState serving = accepted(joined, new Command.Serve(joined.epoch(), 2));
        ClusterState all = accepted(serving, new Command.Serve(serving.epoch(), 3));
        return raised(accepted(all, new Command.SetVoters(all.epoch(), List.of(1, 2, 3))), 3);
    }

    @Test
    void replicaIsAddedWhenTheRowIsInstalledByAllOfItsNodes() {
        ClusterState state = grownOnce();
        PlannedBatch planned = new PlannedBatch(2, 3, EIGHT, 2);
        assertThat(new Seen(state).plan(planned).command())
                .isEqualTo(new Command.StartGrow(state.epoch(), 2, 3, EIGHT));
        assertThat(new Seen(state)
                        .plan(planned)
                        .report(1, state.epoch() - 1, 0, 0)
                        .waited())
                .isEqualTo("n1, to install the rows of 8 partitions before they get another replica");
        assertThat(new Seen(state)
                        .plan(planned)
                        .silent(1, Duration.ofSeconds(40))
                        .waited())
                .isEqualTo("n1, silent for 40 s, to install the rows of 8 partitions before they get another replica");
        // Rows that n1 has installed as they are go first.
        ClusterState part = grown(growable(), 1, 2, PartitionSet.of(0, 1));
        ClusterState later = grown(part, 1, 2, PartitionSet.of(2, 3));
        assertThat(new Seen(later)
                        .plan(new PlannedBatch(2, 3, PartitionSet.of(0, 1, 2, 3), 2))
                        .report(1, part.epoch(), 0, 0)
                        .command())
                .isEqualTo(new Command.StartGrow(later.epoch(), 2, 3, PartitionSet.of(0, 1)));
    }

    @Test
    void deadNodesOfARowAreNotWaitedFor() {
        ClusterState full = grown(joined(grownOnce()), 2, 3, EIGHT);
        ClusterState wide = raised(full, 4);
        ClusterState voting = accepted(wide, new Command.SetVoters(wide.epoch(), List.of(1)));
        ClusterState dead = accepted(voting, new Command.MarkDead(voting.epoch(), 2, false));
        assertThat(new Seen(dead).plan(new PlannedBatch(3, 4, EIGHT, 3)).command())
                .isEqualTo(new Command.StartGrow(dead.epoch(), 3, 4, EIGHT));
    }

    @Test
    void replicasAreCompletedInPartsAsTheHeirReportsThem() {
        ClusterState growing = growing(grownOnce(), 2, 3, EIGHT);
        long batch = newest(growing).id();
        assertThat(new Seen(growing).complete(3, PartitionSet.of(1)).waited())
                .contains("n3 to copy 7 more of 8 partitions");
        assertThat(new Seen(growing).complete(3, PartitionSet.of(1, 4)).command())
                .isEqualTo(new Command.CompleteGrow(growing.epoch(), batch, PartitionSet.of(1, 4)));
        // Snapshots go on with the two replicas that they have.
        assertThat(new Seen(growing)
                        .complete(3, EIGHT)
                        .report(2, growing.epoch(), 0, 5)
                        .command())
                .isEqualTo(new Command.CompleteGrow(growing.epoch(), batch, EIGHT));
        assertThat(new Seen(left(joined(growing), 3)).command()).isInstanceOf(Command.AbortBatch.class);
        assertThat(new Seen(growing).silent(3, Duration.ofMinutes(10)).command())
                .isEqualTo(new Command.AbortBatch(growing.epoch(), batch));
        ClusterState paused =
                accepted(growing, new Command.SetRebalance(growing.epoch(), new RebalanceSettings(1 << 20, true)));
        assertThat(new Seen(paused).complete(3, EIGHT).waited()).contains("MembershipChange.Rebalance.resume()");
    }

    @Test
    void secondReplicaWaitsForTheSnapshotsOfTheFirst() {
        ClusterState growing = growing(growable(), 1, 2, EIGHT);
        Batch batch = newest(growing);
        Seen seen = new Seen(growing).complete(2, EIGHT).report(1, growing.epoch(), 0, 5);
        assertThat(seen.waited()).isEqualTo("5 open snapshots at n1, which end in 600 s at the latest");
        seen.snapshotWaits.put(batch.id(), Duration.ofMinutes(10));
        assertThat(seen.command()).isEqualTo(new Command.CompleteGrow(growing.epoch(), batch.id(), EIGHT));
    }

    private static BatchProgress progress(ClusterState state, PartitionSet complete) {
        return new BatchProgress(newest(state).id(), complete, 1, 2, Optional.empty());
    }

    private static ClusterState fourth() {
        ClusterState joined = joined(formed(3, 8, 3));
        return accepted(joined, new Command.SetVoters(joined.epoch(), List.of(1, 2, 3)));
    }

    private static ClusterState copying() {
        ClusterState state = fourth();
        return started(state, 1, 4, movable(state, 1, 4));
    }

    private static RebalanceSettings paused() {
        return new RebalanceSettings(RebalanceSettings.DEFAULT.bytesPerSecond(), true);
    }

    @Test
    void aCopyIsReadOnceTheHeirIsComplete() {
        ClusterState state = copying();
        Batch batch = newest(state);
        assertThat(new Seen(state).waited()).isEqualTo("n4 to begin");
        assertThat(new Seen(state).complete(4, PartitionSet.of(1, 2)).waited())
                .isEqualTo("n4 to copy 6 more of 8 partitions");
        assertThat(new Seen(state).complete(4, batch.partitions()).command())
                .isEqualTo(new Command.AdvanceBatch(state.epoch(), batch.id(), Phase.BOTH));
    }

    @Test
    void aSilentOwnerIsNamedAndWhatToDoIfItIsLost() {
        ClusterState state = copying();
        BatchProgress failing =
                new BatchProgress(newest(state).id(), PartitionSet.of(1), 1, 2, Optional.of("n1: connection refused"));
        Seen seen = new Seen(state).report(4, state.epoch(), 0, 0, failing);
        assertThat(seen.waited())
                .isEqualTo("n4 to copy 7 more of 8 partitions, which fails for now: n1: connection refused");
        assertThat(seen.silent(1, Duration.ofSeconds(3)).waited())
                .endsWith("refused. n1 is silent: if it is lost, call membership().replace(new NodeId(\"n1\"))");
    }

    @Test
    void aProgressOfAnotherBatchDoesNotCount() {
        ClusterState state = copying();
        Batch batch = newest(state);
        Seen seen = new Seen(state)
                .report(
                        4,
                        state.epoch(),
                        0,
                        0,
                        new BatchProgress(batch.id() - 1, batch.partitions(), 1, 1, Optional.empty()));
        assertThat(seen.waited()).isEqualTo("n4 to begin");
    }

    @Test
    void theOwnerMustHaveInstalledThatTheHeirIsRead() {
        ClusterState state = advanced(copying(), Phase.BOTH);
        Batch batch = newest(state);
        assertThat(new Seen(state).report(1, state.epoch() - 1, 0, 0).waited())
                .isEqualTo("n1 to install epoch 1.6, it has 1.5");
        assertThat(new Seen(state).silent(1, Duration.ofSeconds(12)).waited()).isEqualTo("n1, silent for 12 s");
        assertThat(new Seen(state).silent(4, Duration.ofDays(1)).command())
                .isEqualTo(new Command.AdvanceBatch(state.epoch(), batch.id(), Phase.STABLE));
    }

    @Test
    void anUndoneMoveEndsWhenTheHeirHasInstalledIt() {
        ClusterState both = advanced(copying(), Phase.BOTH);
        ClusterState state =
                accepted(both, new Command.AbortBatch(both.epoch(), newest(both).id()));
        assertThat(newest(state).phase()).isEqualTo(Phase.UNDO);
        assertThat(new Seen(state).report(4, both.epoch(), 0, 0).waited()).contains("n4 to install epoch 1.7");
        assertThat(new Seen(state).command())
                .isEqualTo(new Command.AbortBatch(state.epoch(), newest(state).id()));
    }

    @Test
    void slotReaderChangesAfterSnapshotsEndOrTenMinutes() {
        ClusterState state = copying();
        Batch batch = newest(state);
        Seen seen = new Seen(state).complete(4, batch.partitions()).report(1, state.epoch(), 0, 2);
        seen.snapshotWaits.put(batch.id(), Duration.ofSeconds(30));
        assertThat(seen.waited()).isEqualTo("2 open snapshots at n1, which end in 570 s at the latest");
        seen.snapshotWaits.put(batch.id(), Duration.ofMinutes(10));
        assertThat(seen.command()).isInstanceOf(Command.AdvanceBatch.class);
    }

    @Test
    void pausedBatchesStandStill() {
        ClusterState copying = copying();
        ClusterState state = accepted(copying, new Command.SetRebalance(copying.epoch(), paused()));
        assertThat(new Seen(state).complete(4, newest(state).partitions()).waited())
                .isEqualTo("an operator to resume moves: membership().change(MembershipChange.Rebalance.resume())");
    }

    @Test
    void aSlotReturnsToItsOwnerAfterALongSilenceOfTheHeir() {
        ClusterState state = copying();
        assertThat(new Seen(state).silent(4, Duration.ofMinutes(9)).waited()).isEqualTo("n4, silent for 540 s");
        assertThat(new Seen(state).silent(4, Duration.ofMinutes(10)).command()).isInstanceOf(Command.AbortBatch.class);
    }

    @Test
    void aCopyToALeavingMemberIsAborted() {
        ClusterState state = left(copying(), 4);
        assertThat(new Seen(state).command()).isInstanceOf(Command.AbortBatch.class);
    }

    @Test
    void aFillIsCompletedInParts() {
        ClusterState four = formed(4, 16, 3);
        ClusterState dead = accepted(four, new Command.MarkDead(four.epoch(), 4, false));
        PartitionSet movable = movable(dead, 4, 1);
        ClusterState state = started(dead, 4, 1, movable);
        PartitionSet one = PartitionSet.of(movable.toArray()[0]);
        Seen seen = new Seen(state).complete(1, one);
        if (movable.cardinality() > 4) {
            assertThat(seen.next().waits()).extracting(Wait::text).anyMatch(text -> text.startsWith("n1 to copy"));
        }
        assertThat(new Seen(state).complete(1, movable).command())
                .isEqualTo(new Command.CompleteFill(state.epoch(), newest(state).id(), movable));
    }

    @Test
    void aPlannedBatchBeginsIfItsOwnerAndHeirAnswer() {
        ClusterState state = fourth();
        PartitionSet some = PartitionSet.of(1, 2);
        assertThat(new Seen(state).plan(new PlannedBatch(1, 4, some)).command())
                .isEqualTo(new Command.StartBatch(state.epoch(), 1, 4, some));
        assertThat(new Seen(state)
                        .plan(new PlannedBatch(1, 4, some))
                        .silent(4, Duration.ofSeconds(9))
                        .waited())
                .startsWith("n4, silent for 9 s: 2 partitions are to move to it");
        ClusterState five = joined(state);
        assertThat(new Seen(five)
                        .plan(new PlannedBatch(1, 4, some), new PlannedBatch(1, 5, PartitionSet.of(3)))
                        .silent(4, Duration.ofSeconds(9))
                        .command())
                .as("from the same owner to an heir that answers")
                .isEqualTo(new Command.StartBatch(five.epoch(), 1, 5, PartitionSet.of(3)));
        Seen ownerDown = new Seen(state).silent(1, Duration.ofSeconds(9));
        assertThat(ownerDown.plan(new PlannedBatch(1, 4, some)).waited())
                .startsWith("n1, silent for 9 s: 2 partitions are to move from it");
        assertThat(ownerDown
                        .plan(new PlannedBatch(1, 4, some), new PlannedBatch(2, 4, PartitionSet.of(3)))
                        .command())
                .as("to the same heir from an owner that answers")
                .isEqualTo(new Command.StartBatch(state.epoch(), 2, 4, PartitionSet.of(3)));
    }

    @Test
    void aJoiningMemberServesWhenNothingIsToCome() {
        ClusterState state = fourth();
        Seen unplanned = new Seen(state);
        unplanned.plan = Optional.empty();
        assertThat(unplanned.next().step()).isEmpty();
        assertThat(new Seen(state).command()).isEqualTo(new Command.Serve(state.epoch(), 4));
    }

    @Test
    void leavingMemberIsRemovedOnceDrainedAndNoVoter() {
        ClusterState joined = fourth();
        ClusterState serving = accepted(joined, new Command.Serve(joined.epoch(), 4));
        PartitionSet all = movable(serving, 1, 4);
        ClusterState moved = left(moved(serving, 1, 4, all), 1);
        assertThat(new Seen(moved).command())
                .as("another voter first")
                .isEqualTo(new Command.SetVoters(moved.epoch(), List.of(2, 3, 4)));
        ClusterState state = accepted(moved, new Command.SetVoters(moved.epoch(), List.of(2, 3, 4)));
        Seen changing = new Seen(state);
        changing.log = LogMembers.voters(moved);
        assertThat(changing.next().step()).contains(new Step.ChangeLog(LogMembers.voters(state)));
        changing.logChanges = true;
        assertThat(changing.next().step()).isEmpty();
        assertThat(changing.next().waits())
                .extracting(Wait::text)
                .contains("the voters of the metadata group to become [n2, n3, n4]", "another voter to take its place");
        assertThat(new Seen(state).report(1, state.epoch(), 5, 0).waited()).isEqualTo("n1 to deliver 5 bytes of hints");
        assertThat(new Seen(state).report(1, state.epoch() - 1, 0, 0).waited()).startsWith("n1 to install epoch ");
        assertThat(new Seen(state).silent(1, Duration.ofSeconds(5)).waited())
                .startsWith("n1, silent for 5 s, to deliver");
        assertThat(new Seen(state).command()).isEqualTo(new Command.Remove(state.epoch(), 1));
    }

    @Test
    void aMemberThatOwnsSlotsIsNotRemoved() {
        ClusterState joined = fourth();
        ClusterState state = left(accepted(joined, new Command.Serve(joined.epoch(), 4)), 1);
        ClusterState others = accepted(state, new Command.SetVoters(state.epoch(), List.of(2, 3, 4)));
        assertThat(new Seen(others).waited()).isEqualTo("8 partitions to move to other nodes, 0 under way");
    }

    @Test
    void aSilentMemberBecomesNoVoter() {
        ClusterState joined = fourth();
        ClusterState serving = accepted(joined, new Command.Serve(joined.epoch(), 4));
        ClusterState state = left(moved(serving, 1, 4, movable(serving, 1, 4)), 1);
        assertThat(new Seen(state).silent(4, Duration.ofSeconds(5)).waited())
                .isEqualTo("another voter to take its place");
    }

    @Test
    void aVoterThatDiesBeforeTheLogHasItIsReplaced() {
        ClusterState joined = fourth();
        ClusterState serving = accepted(joined, new Command.Serve(joined.epoch(), 4));
        ClusterState chosen = accepted(serving, new Command.SetVoters(serving.epoch(), List.of(2, 3, 4)));
        ClusterState state = accepted(chosen, new Command.MarkDead(chosen.epoch(), 4, false));
        Seen seen = new Seen(state);
        seen.log = LogMembers.voters(serving);
        assertThat(seen.command()).isEqualTo(new Command.SetVoters(state.epoch(), List.of(1, 2, 3)));
        seen.logChanges = true;
        assertThat(seen.next().step()).isEmpty();
    }

    @Test
    void theVersionSlotOfARemovedMemberIsReleasedLater() {
        ClusterState joined = fourth();
        ClusterState leaving = left(joined, 4);
        ClusterState state = accepted(leaving, new Command.Remove(leaving.epoch(), 4));
        Seen seen = new Seen(state);
        assertThat(seen.next().step()).isEmpty();
        seen.releasable = Set.of(4);
        assertThat(seen.command()).isEqualTo(new Command.ReleaseVersionSlot(state.epoch(), 4));
        Member released = accepted(state, seen.command()).members().get(4);
        assertThat(released.versionSlot()).isEqualTo(Member.NO_VERSION_SLOT);
    }

    @Test
    void identitiesInTheLogDifferEachTimeThatAMemberVotes() {
        ClusterState one = fourth();
        ClusterState without = accepted(one, new Command.SetVoters(one.epoch(), List.of(1)));
        ClusterState again = accepted(without, new Command.SetVoters(without.epoch(), List.of(1, 2)));
        assertThat(LogMembers.voters(again).get(0))
                .isEqualTo(LogMembers.voters(one).get(0));
        assertThat(LogMembers.voters(again).get(1))
                .isNotEqualTo(LogMembers.voters(one).get(1));
        assertThat(LogMembers.first(again))
                .containsExactly(new NodeRef(again.members().get(1).name(), incarnation(1)));
    }
}
