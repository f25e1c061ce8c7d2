package io.dht4j.core.internal.membership.command;

import static io.dht4j.core.internal.membership.Clusters.accepted;
import static io.dht4j.core.internal.membership.Clusters.attributes;
import static io.dht4j.core.internal.membership.Clusters.formed;
import static io.dht4j.core.internal.membership.Clusters.growing;
import static io.dht4j.core.internal.membership.Clusters.grown;
import static io.dht4j.core.internal.membership.Clusters.incarnation;
import static io.dht4j.core.internal.membership.Clusters.joined;
import static io.dht4j.core.internal.membership.Clusters.left;
import static io.dht4j.core.internal.membership.Clusters.moved;
import static io.dht4j.core.internal.membership.Clusters.newest;
import static io.dht4j.core.internal.membership.Clusters.raised;
import static io.dht4j.core.internal.membership.Clusters.refused;
import static io.dht4j.core.internal.membership.Clusters.started;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.SlotTable;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.view.Batch;
import io.dht4j.core.internal.view.Phase;
import io.dht4j.core.internal.view.Slot;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A cluster that one node has formed, and that is to have three replicas. */
final class GrowthTest {

    private static final int PARTITIONS = 8;

    /** Member 1 owns the only slot of every partition; 2 and 3 own none. */
    private final ClusterState single = joined(joined(formed(1, PARTITIONS, 1)));

    private final ClusterState wide = raised(single, 3);
    private final PartitionSet all = PartitionSet.matching(PARTITIONS, partition -> true);
    private final PartitionSet some = PartitionSet.of(2, 5);

    private static Slot stable(int member) {
        return new Slot(Phase.STABLE, member, member);
    }

    @Test
    void raisedReplicationFactorAddsVacantSlotsOnly() {
        assertThat(wide.replicationFactor()).isEqualTo(3);
        assertThat(wide.settings().replicationFactor()).isEqualTo(3);
        assertThat(wide.slots().hasVacant()).isTrue();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            assertThat(wide.width(partition)).isEqualTo(1);
            assertThat(wide.row(partition)).containsExactly(stable(1));
            assertThat(wide.rowVersion(partition)).isEqualTo(single.rowVersion(partition));
        }
        assertThat(wide.loads()).containsExactly(0, PARTITIONS, 0, 0);
    }

    @Test
    void heirGetsASlotOfItsOwnAndTheOwnerKeepsIts() {
        ClusterState growing = growing(wide, 1, 2, some);
        assertThat(growing.row(5)).containsExactly(new Slot(Phase.GROW, 1, 2));
        assertThat(growing.row(5).get(0).reader()).isEqualTo(1);
        assertThat(growing.row(5).get(0).needs(2)).isTrue();
        assertThat(growing.rowVersion(5)).isEqualTo(growing.epoch());
        assertThat(growing.rowVersion(4)).isEqualTo(wide.rowVersion(4));
        assertThat(growing.loads()).containsExactly(0, PARTITIONS, 2, 0);
        long batch = newest(growing).id();
        ClusterState part = accepted(growing, new Command.CompleteGrow(growing.epoch(), batch, PartitionSet.of(5)));
        assertThat(part.row(5)).containsExactly(stable(1), stable(2));
        assertThat(part.rowVersion(5)).isEqualTo(part.epoch());
        assertThat(part.row(2)).containsExactly(new Slot(Phase.GROW, 1, 2));
        assertThat(part.rowVersion(2)).isEqualTo(growing.rowVersion(2));
        ClusterState done = accepted(part, new Command.CompleteGrow(part.epoch(), batch, PartitionSet.of(2)));
        assertThat(done.batches()).isEmpty();
        assertThat(done.loads()).containsExactly(0, PARTITIONS, 2, 0);
    }

    @Test
    void slotsAreAddedOneAfterTheOther() {
        ClusterState two = grown(wide, 1, 2, all);
        assertThat(refused(two, new Command.StartGrow(two.epoch(), 1, 3, all)))
                .contains("partition 0 cannot get another replica from n1");
        ClusterState three = grown(two, 2, 3, all);
        assertThat(three.slots().hasVacant()).isFalse();
        assertThat(three.row(0)).containsExactly(stable(1), stable(2), stable(3));
        ClusterState full = joined(three);
        assertThat(refused(full, new Command.StartGrow(full.epoch(), 3, 4, all)))
                .contains("partition 0 cannot get another replica");
    }

    @Test
    void onlyOneSlotOfAPartitionMovesOrGrows() {
        ClusterState growing = growing(wide, 1, 2, some);
        assertThat(refused(growing, new Command.StartBatch(growing.epoch(), 1, 3, some)))
                .contains("partition 2");
        assertThat(refused(growing, new Command.StartGrow(growing.epoch(), 1, 3, some)))
                .contains("when none of its slots moves");
        ClusterState moving = started(wide, 1, 2, some);
        assertThat(refused(moving, new Command.StartGrow(moving.epoch(), 1, 3, some)))
                .contains("partition 2");
        ClusterState two = grown(wide, 1, 2, some);
        assertThat(refused(two, new Command.StartGrow(two.epoch(), 2, 1, some))).contains("partition 2");
        assertThat(moved(two, 2, 3, some).row(2)).containsExactly(stable(1), stable(3));
    }

    @Test
    void batchesThatGrowAreOnlyCompletedOrAborted() {
        ClusterState growing = growing(wide, 1, 2, some);
        long batch = newest(growing).id();
        assertThat(refused(growing, new Command.AdvanceBatch(growing.epoch(), batch, Phase.BOTH)))
                .contains("FILL and GROW are completed");
        assertThat(refused(growing, new Command.CompleteFill(growing.epoch(), batch, some)))
                .contains("cannot be completed");
        assertThat(refused(growing, new Command.CompleteGrow(growing.epoch(), batch, PartitionSet.of(1))))
                .contains("only partitions of");
        assertThat(refused(growing, new Command.CompleteGrow(growing.epoch(), batch + 1, some)))
                .contains("no batch");
        ClusterState moving = started(wide, 1, 2, some);
        assertThat(refused(
                        moving,
                        new Command.CompleteGrow(moving.epoch(), newest(moving).id(), some)))
                .contains("adds no slots");
        ClusterState aborted = accepted(growing, new Command.AbortBatch(growing.epoch(), batch));
        assertThat(aborted.batches()).isEmpty();
        assertThat(aborted.row(5)).containsExactly(stable(1));
        assertThat(aborted.rowVersion(5)).isEqualTo(aborted.epoch());
    }

    @Test
    void heirOfADeadOwnerTakesItsSlot() {
        ClusterState two = grown(wide, 1, 2, all);
        ClusterState growing = growing(two, 2, 3, some);
        ClusterState dead = accepted(growing, new Command.MarkDead(growing.epoch(), 2, false));
        assertThat(dead.row(5)).containsExactly(stable(1), new Slot(Phase.FILL, 3, 3));
        assertThat(dead.width(5)).isEqualTo(2);
        assertThat(dead.row(4)).containsExactly(stable(1), stable(2));
        assertThat(refused(dead, new Command.StartGrow(dead.epoch(), 2, 3, PartitionSet.of(4))))
                .contains("when its slots are filled");
    }

    @Test
    void growthEndsWhenTheHeirDies() {
        ClusterState growing = growing(wide, 1, 2, some);
        ClusterState dead = accepted(growing, new Command.MarkDead(growing.epoch(), 2, false));
        assertThat(dead.batches()).isEmpty();
        assertThat(dead.row(5)).containsExactly(stable(1));
        assertThat(dead.rowVersion(5)).isEqualTo(dead.epoch());
    }

    @Test
    void dataIsEndangeredByTheReplicasThatExist() {
        assertThat(refused(wide, new Command.MarkDead(wide.epoch(), 1, false)))
                .contains(PARTITIONS + " partitions have too few complete replicas");
        ClusterState growing = growing(wide, 1, 2, all);
        assertThat(refused(growing, new Command.MarkDead(growing.epoch(), 1, false)))
                .contains(PARTITIONS + " partitions have too few complete replicas");
        ClusterState two = grown(wide, 1, 2, all);
        ClusterState voting = accepted(two, new Command.Serve(two.epoch(), 2));
        ClusterState dead = accepted(voting, new Command.MarkDead(voting.epoch(), 1, false));
        ClusterState replaced = accepted(dead, new Command.Replace(dead.epoch(), 1, incarnation(9), attributes(1)));
        assertThat(replaced.row(0)).containsExactly(new Slot(Phase.FILL, 4, 4), stable(2));
    }

    @Test
    void twoOfFourReplicasMayBeAllThatHaveAWriteOfThree() {
        ClusterState four = formed(4, PARTITIONS, 4);
        ClusterState one = accepted(four, new Command.MarkDead(four.epoch(), 1, false));
        assertThat(refused(one, new Command.MarkDead(one.epoch(), 2, false))).contains("8 partitions have too few");
        accepted(one, new Command.MarkDead(one.epoch(), 2, true));
    }

    @Test
    void replicationFactorThatIsImpossibleIsRefused() {
        assertThat(refused(single, new Command.SetReplicationFactor(single.epoch(), 4)))
                .contains("4 replicas need 4 nodes, and the cluster has 3", "membership().add");
        assertThat(refused(single, new Command.SetReplicationFactor(single.epoch(), 17)))
                .contains("1 to 16, not 17");
        assertThat(refused(single, new Command.SetReplicationFactor(single.epoch(), 0)))
                .contains("1 to 16, not 0");
        assertThat(refused(single, new Command.SetReplicationFactor(single.epoch(), 1)))
                .contains("is 1 already");
        ClusterState leaving = left(single, 3);
        assertThat(refused(leaving, new Command.SetReplicationFactor(leaving.epoch(), 3)))
                .contains("the cluster has 2");
    }

    @Test
    void onlyVacantSlotsAreTakenAway() {
        ClusterState narrow = accepted(wide, new Command.SetReplicationFactor(wide.epoch(), 1));
        assertThat(narrow.slots()).isEqualTo(single.slots());
        ClusterState growing = growing(wide, 1, 2, some);
        assertThat(refused(growing, new Command.SetReplicationFactor(growing.epoch(), 1)))
                .contains("can be raised and not lowered", "partitions of 2 replicas");
        ClusterState two = accepted(growing, new Command.SetReplicationFactor(growing.epoch(), 2));
        assertThat(two.row(5)).containsExactly(new Slot(Phase.GROW, 1, 2));
        ClusterState full = grown(grown(wide, 1, 2, all), 2, 3, all);
        assertThat(refused(full, new Command.SetReplicationFactor(full.epoch(), 2)))
                .contains("partitions of 3 replicas, which cannot become 2");
    }

    @Test
    void nodesThatTheWantedReplicasNeedCannotLeave() {
        assertThat(refused(wide, new Command.Leave(wide.epoch(), 3)))
                .contains("only 2 nodes would remain for the replication factor 3");
    }

    @Test
    void onlyTheLastSlotsOfARowAreVacant() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SlotTable.of(3, new int[] {1, 0, 2}))
                .withMessageContaining("partition 0 has a vacant slot before another one");
        assertThatIllegalArgumentException().isThrownBy(() -> SlotTable.of(2, new int[] {1, 2, 0, 0}));
        assertThat(SlotTable.of(2, new int[] {1, 0, 2, 1}).width(0)).isEqualTo(1);
    }

    @Test
    void stateWithoutALastSlotForItsGrowthIsRefused() {
        ClusterState two = grown(wide, 1, 2, all);
        Batch batch = new Batch(two.epoch(), 1, 3, some, Phase.GROW);
        ClusterState wrong = new ClusterState(
                two.cluster(),
                two.epoch(),
                two.settings(),
                two.members(),
                two.slots(),
                versions(two),
                List.of(batch),
                two.rebalance(),
                two.recoveredFrom());
        assertThatIllegalArgumentException()
                .isThrownBy(wrong::check)
                .withMessageContaining("member 1 has not the last one");
    }

    private static long[] versions(ClusterState state) {
        long[] versions = new long[state.partitions()];
        for (int partition = 0; partition < versions.length; partition++) {
            versions[partition] = state.rowVersion(partition);
        }
        return versions;
    }
}
