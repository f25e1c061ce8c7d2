package io.dht4j.core.internal.membership.command;

import static io.dht4j.core.internal.membership.Clusters.accepted;
import static io.dht4j.core.internal.membership.Clusters.advanced;
import static io.dht4j.core.internal.membership.Clusters.attributes;
import static io.dht4j.core.internal.membership.Clusters.formed;
import static io.dht4j.core.internal.membership.Clusters.incarnation;
import static io.dht4j.core.internal.membership.Clusters.joined;
import static io.dht4j.core.internal.membership.Clusters.left;
import static io.dht4j.core.internal.membership.Clusters.movable;
import static io.dht4j.core.internal.membership.Clusters.moved;
import static io.dht4j.core.internal.membership.Clusters.newest;
import static io.dht4j.core.internal.membership.Clusters.refused;
import static io.dht4j.core.internal.membership.Clusters.started;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.core.internal.membership.Clusters;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.Lifecycle;
import io.dht4j.core.internal.membership.state.Member;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.view.Batch;
import io.dht4j.core.internal.view.Epoch;
import io.dht4j.core.internal.view.Phase;
import io.dht4j.core.internal.view.Slot;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class SlotMovesTest {

    /** Members 1 to 3 own a slot of every partition, and member 4 owns none. */
    private final ClusterState idle = joined(formed(3, 16, 3));

    private final int place = idle.slots().slotOf(5, 1);
    private final PartitionSet some = PartitionSet.of(5, 9);

    private static List<Slot> with(List<Slot> row, int place, Slot slot) {
        List<Slot> changed = new ArrayList<>(row);
        changed.set(place, slot);
        return changed;
    }

    @Test
    void slotMovesThroughCopyAndBothAndKeepsItsPlace() {
        List<Slot> before = idle.row(5);
        ClusterState copy = started(idle, 1, 4, some);
        assertThat(copy.row(5)).isEqualTo(with(before, place, new Slot(Phase.COPY, 1, 4)));
        assertThat(copy.row(5).get(place)).hasToString("COPY(1→4)");
        assertThat(copy.row(5).get(place).reader()).isEqualTo(1);
        ClusterState both = advanced(copy, Phase.BOTH);
        assertThat(both.row(5)).isEqualTo(with(before, place, new Slot(Phase.BOTH, 1, 4)));
        assertThat(both.row(5).get(place).reader()).isEqualTo(4);
        ClusterState stable = advanced(both, Phase.STABLE);
        assertThat(stable.row(5)).isEqualTo(with(before, place, new Slot(Phase.STABLE, 4, 4)));
        assertThat(stable.batches()).isEmpty();
        for (ClusterState state : List.of(copy, both, stable)) {
            assertThat(state.rowVersion(5)).isEqualTo(state.epoch());
            assertThat(state.rowVersion(9)).isEqualTo(state.epoch());
            assertThat(state.rowVersion(6)).isEqualTo(idle.rowVersion(6));
        }
    }

    @Test
    void abortLeavesSlotsWithTheirOldOwner() {
        ClusterState copy = started(idle, 1, 4, some);
        for (ClusterState state : List.of(copy, undone(copy))) {
            ClusterState aborted = accepted(
                    state, new Command.AbortBatch(state.epoch(), newest(state).id()));
            assertThat(aborted.row(5)).isEqualTo(idle.row(5));
            assertThat(aborted.rowVersion(5)).isEqualTo(aborted.epoch());
            assertThat(aborted.batches()).isEmpty();
        }
    }

    @Test
    void abortAfterTheHeirWasReadWaitsForTheHeir() {
        ClusterState undone = undone(started(idle, 1, 4, some));
        assertThat(undone.row(5).get(place)).isEqualTo(new Slot(Phase.UNDO, 1, 4));
        assertThat(undone.row(5).get(place).reader()).isEqualTo(1);
        assertThat(undone.rowVersion(5)).isEqualTo(undone.epoch());
        assertThat(refused(
                        undone,
                        new Command.AdvanceBatch(undone.epoch(), newest(undone).id(), Phase.STABLE)))
                .contains("UNDO is aborted");
        ClusterState dead = accepted(undone, new Command.MarkDead(undone.epoch(), 1, false));
        assertThat(dead.row(5).get(place)).isEqualTo(new Slot(Phase.STABLE, 4, 4));
    }

    private static ClusterState undone(ClusterState copy) {
        ClusterState both = advanced(copy, Phase.BOTH);
        return accepted(both, new Command.AbortBatch(both.epoch(), newest(both).id()));
    }

    @Test
    void onlyOneSlotOfAPartitionMoves() {
        ClusterState copy = joined(started(idle, 1, 4, some));
        assertThat(refused(copy, new Command.StartBatch(copy.epoch(), 2, 5, PartitionSet.of(4, 5))))
                .contains("partition 5 has no slot at n2", "can move to n5");
        assertThat(started(copy, 2, 5, PartitionSet.of(4)).batches()).hasSize(2);
    }

    @Test
    void batchesThatMoveNothingPossibleAreRefused() {
        assertThat(refused(idle, new Command.StartBatch(idle.epoch(), 4, 1, some)))
                .contains("partition 5");
        assertThat(refused(idle, new Command.StartBatch(idle.epoch(), 1, 2, some)))
                .contains("partition 5");
        assertThat(refused(idle, new Command.StartBatch(idle.epoch(), 1, 4, PartitionSet.of(16))))
                .contains("partitions 0 to 15");
        assertThat(refused(idle, new Command.StartBatch(idle.epoch(), 1, 4, PartitionSet.empty())))
                .contains("at least one");
        assertThat(refused(idle, new Command.StartBatch(idle.epoch(), 1, 7, some)))
                .contains("number 7");
        ClusterState leaving = left(idle, 4);
        assertThat(refused(leaving, new Command.StartBatch(leaving.epoch(), 1, 4, some)))
                .contains("to n4 (number 4, LEAVING)");
    }

    @Test
    void phasesAreNotSkippedOrRepeated() {
        ClusterState copy = started(idle, 1, 4, some);
        long batch = newest(copy).id();
        assertThat(refused(copy, new Command.AdvanceBatch(copy.epoch(), batch, Phase.STABLE)))
                .contains("cannot go on to STABLE");
        assertThat(refused(copy, new Command.AdvanceBatch(copy.epoch(), batch, Phase.COPY)))
                .contains("cannot go on to COPY");
        assertThat(refused(copy, new Command.CompleteFill(copy.epoch(), batch, some)))
                .contains("cannot be completed");
        assertThat(refused(copy, new Command.AdvanceBatch(copy.epoch(), batch + 1, Phase.BOTH)))
                .contains("no batch 1." + (Epoch.index(batch) + 1));
    }

    @Test
    void slotsInCopyAreFilledWhenTheirOwnerDies() {
        ClusterState copy = started(idle, 1, 4, some);
        ClusterState dead = accepted(copy, new Command.MarkDead(copy.epoch(), 1, false));
        assertThat(dead.row(5).get(place)).isEqualTo(new Slot(Phase.FILL, 4, 4));
        assertThat(dead.row(5).get(place).reader()).isEqualTo(Slot.NOBODY);
        assertThat(dead.rowVersion(5)).isEqualTo(dead.epoch());
        assertThat(dead.rowVersion(6)).isEqualTo(idle.rowVersion(6));
        long batch = newest(dead).id();
        ClusterState part = accepted(dead, new Command.CompleteFill(dead.epoch(), batch, PartitionSet.of(5)));
        assertThat(part.row(5).get(place)).isEqualTo(new Slot(Phase.STABLE, 4, 4));
        assertThat(part.batch(batch)).get().extracting(Batch::partitions).isEqualTo(PartitionSet.of(9));
        assertThat(refused(part, new Command.CompleteFill(part.epoch(), batch, PartitionSet.of(5))))
                .contains("only partitions of");
        ClusterState full = accepted(part, new Command.CompleteFill(part.epoch(), batch, PartitionSet.of(9)));
        assertThat(full.batches()).isEmpty();
    }

    @Test
    void slotsInBothBelongToTheHeirWhenTheirOwnerDies() {
        ClusterState both = advanced(started(idle, 1, 4, some), Phase.BOTH);
        ClusterState dead = accepted(both, new Command.MarkDead(both.epoch(), 1, false));
        assertThat(dead.row(5).get(place)).isEqualTo(new Slot(Phase.STABLE, 4, 4));
        assertThat(dead.batches()).isEmpty();
    }

    @Test
    void slotsReturnToTheirOwnerWhenTheHeirDies() {
        ClusterState copy = started(idle, 1, 4, some);
        for (ClusterState state : List.of(copy, advanced(copy, Phase.BOTH), undone(copy))) {
            ClusterState dead = accepted(state, new Command.MarkDead(state.epoch(), 4, false));
            assertThat(dead.row(5)).isEqualTo(idle.row(5));
            assertThat(dead.rowVersion(5)).isEqualTo(dead.epoch());
            assertThat(dead.batches()).isEmpty();
        }
    }

    @Test
    void replacementFillsTheSlotsOfItsPredecessor() {
        ClusterState voting = accepted(idle, new Command.SetVoters(idle.epoch(), List.of(2)));
        ClusterState dead = accepted(voting, new Command.MarkDead(voting.epoch(), 1, false));
        assertThat(dead.row(5)).isEqualTo(idle.row(5));
        ClusterState replaced = accepted(dead, new Command.Replace(dead.epoch(), 1, incarnation(9), attributes(1)));
        Member heir = replaced.members().get(5);
        assertThat(heir.name()).isEqualTo(Clusters.name(1));
        assertThat(heir.lifecycle()).isEqualTo(Lifecycle.JOINING);
        assertThat(newest(replaced))
                .isEqualTo(new Batch(replaced.epoch(), 1, 5, PartitionSet.matching(16, partition -> true), Phase.FILL));
        assertThat(replaced.row(5)).isEqualTo(with(idle.row(5), place, new Slot(Phase.FILL, 5, 5)));
        assertThat(refused(replaced, new Command.AbortBatch(replaced.epoch(), replaced.epoch())))
                .contains("cannot be aborted");
        assertThat(refused(replaced, new Command.Remove(replaced.epoch(), 1))).contains("a batch under way");
        assertThat(refused(replaced, new Command.Replace(replaced.epoch(), 1, incarnation(10), attributes(10))))
                .contains("has replaced", "already");
        ClusterState full = accepted(
                replaced,
                new Command.CompleteFill(
                        replaced.epoch(),
                        newest(replaced).id(),
                        newest(replaced).partitions()));
        assertThat(full.loads()).containsExactly(0, 0, 16, 16, 0, 16);
        assertThat(accepted(full, new Command.Remove(full.epoch(), 1))
                        .members()
                        .get(1)
                        .lifecycle())
                .isEqualTo(Lifecycle.REMOVED);
    }

    @Test
    void replacementIsRefusedWhileAnotherSlotOfItsRowsMoves() {
        ClusterState copy = started(idle, 2, 4, some);
        ClusterState dead = accepted(copy, new Command.MarkDead(copy.epoch(), 1, false));
        assertThat(refused(dead, new Command.Replace(dead.epoch(), 1, incarnation(9), attributes(1))))
                .contains("n1 (number 1, DEAD) is replaced when", "wait for " + newest(dead));
        ClusterState stable = accepted(
                dead, new Command.AbortBatch(dead.epoch(), dead.batches().get(0).id()));
        ClusterState filled = accepted(stable, new Command.Replace(stable.epoch(), 1, incarnation(9), attributes(1)));
        assertThat(filled.row(5).get(place)).isEqualTo(new Slot(Phase.FILL, 5, 5));
        assertThat(filled.row(6).get(filled.slots().slotOf(6, 5)).phase()).isEqualTo(Phase.FILL);
        assertThat(filled.slots().slotOf(5, 5)).isEqualTo(place);
        assertThat(filled.loads()[1]).isZero();
    }

    @Test
    void heirThatDiesWhileItFillsIsFilledElsewhere() {
        ClusterState dead = accepted(idle, new Command.MarkDead(idle.epoch(), 1, false));
        ClusterState filling = started(dead, 1, 4, some);
        ClusterState twice = joined(accepted(filling, new Command.MarkDead(filling.epoch(), 4, false)));
        assertThat(twice.row(5).get(place)).isEqualTo(new Slot(Phase.FILL, 4, 4));
        assertThat(refused(
                        twice,
                        new Command.CompleteFill(twice.epoch(), newest(twice).id(), some)))
                .contains("cannot be completed");
        ClusterState again = started(twice, 4, 5, PartitionSet.of(5));
        assertThat(again.row(5).get(place)).isEqualTo(new Slot(Phase.FILL, 5, 5));
        assertThat(again.batches())
                .extracting(batch -> batch.from() + "→" + batch.to() + " " + batch.partitions())
                .containsExactly("1→4 {9}", "4→5 {5}");
    }

    @Test
    void deathEndangeringWritesNeedsOperatorConsent() {
        ClusterState dead = accepted(idle, new Command.MarkDead(idle.epoch(), 1, false));
        assertThat(refused(dead, new Command.MarkDead(dead.epoch(), 2, false)))
                .contains("without n2, 16 partitions have too few complete replicas");
        assertThat(accepted(dead, new Command.MarkDead(dead.epoch(), 2, true))
                        .members()
                        .get(2)
                        .lifecycle())
                .isEqualTo(Lifecycle.DEAD);
        // Once the slots are filled, the next death endangers nothing.
        ClusterState filled = moved(dead, 1, 4, movable(dead, 1, 4));
        accepted(filled, new Command.MarkDead(filled.epoch(), 2, false));
        ClusterState single = formed(2, 4, 1);
        assertThat(refused(single, new Command.MarkDead(single.epoch(), 2, false)))
                .contains("repeat the change with acceptDataLoss");
    }

    @Test
    void onlyDeadMembersAreReplacedAndOnlyByFreshDirectories() {
        assertThat(refused(idle, new Command.Replace(idle.epoch(), 1, incarnation(9), attributes(9))))
                .contains("is not dead");
        ClusterState dead = accepted(idle, new Command.MarkDead(idle.epoch(), 1, false));
        assertThat(refused(dead, new Command.Replace(dead.epoch(), 1, incarnation(1), attributes(9))))
                .contains("n1 (number 1, DEAD), which was declared dead", "empty directory");
        assertThat(refused(dead, new Command.Replace(dead.epoch(), 1, incarnation(9), attributes(2))))
                .contains("host2:7000 belongs to n2");
        assertThat(refused(dead, new Command.MarkDead(dead.epoch(), 1, true))).contains("cannot be declared dead");
    }
}
