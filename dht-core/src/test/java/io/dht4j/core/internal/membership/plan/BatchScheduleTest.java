package io.dht4j.core.internal.membership.plan;

import static io.dht4j.core.internal.membership.Clusters.accepted;
import static io.dht4j.core.internal.membership.Clusters.formed;
import static io.dht4j.core.internal.membership.Clusters.growing;
import static io.dht4j.core.internal.membership.Clusters.grown;
import static io.dht4j.core.internal.membership.Clusters.joined;
import static io.dht4j.core.internal.membership.Clusters.left;
import static io.dht4j.core.internal.membership.Clusters.raised;
import static io.dht4j.core.internal.membership.Clusters.started;
import static io.dht4j.core.internal.membership.plan.PlannerTest.plan;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.core.internal.membership.command.Command;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.view.Batch;
import io.dht4j.core.internal.view.Phase;
import io.dht4j.core.internal.view.RebalanceSettings;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class BatchScheduleTest {

    private static List<PlannedBatch> next(ClusterState state, Plan plan) {
        return BatchSchedule.next(state, plan, partition -> true, batch -> true);
    }

    @Test
    void memberTakesPartInOneIncomingAndOneOutgoingBatch() {
        ClusterState state = left(joined(joined(formed(4, 256, 3))), 2);
        List<PlannedBatch> next = next(state, plan(state));
        assertThat(next).hasSizeGreaterThan(1);
        assertThat(next).extracting(PlannedBatch::from).doesNotHaveDuplicates();
        assertThat(next).extracting(PlannedBatch::to).doesNotHaveDuplicates();
    }

    @Test
    void batchesThatBeginTogetherMoveDifferentPartitions() {
        ClusterState state = joined(joined(formed(3, 8, 3)));
        Plan plan = new Plan(
                List.of(
                        new PlannedBatch(1, 4, PartitionSet.of(0, 1)),
                        new PlannedBatch(2, 5, PartitionSet.of(1, 2)),
                        new PlannedBatch(3, 5, PartitionSet.of(3))),
                0,
                0);
        assertThat(next(state, plan))
                .containsExactly(
                        new PlannedBatch(1, 4, PartitionSet.of(0, 1)), new PlannedBatch(2, 5, PartitionSet.of(2)));
    }

    @Test
    void deadMemberGivesToSeveralAtOnce() {
        ClusterState alive = formed(6, 256, 3);
        ClusterState state = accepted(alive, new Command.MarkDead(alive.epoch(), 2, false));
        assertThat(next(state, plan(state))).hasSizeGreaterThan(2).allMatch(batch -> batch.from() == 2);
    }

    @Test
    void slotsAreAddedToARowOneAfterTheOther() {
        ClusterState state = raised(joined(joined(formed(1, 16, 1))), 3);
        Plan plan = plan(state);
        List<PlannedBatch> first = next(state, plan);
        assertThat(first).hasSize(1);
        assertThat(first.get(0).added()).isEqualTo(1);
        PlannedBatch batch = first.get(0);
        ClusterState growing = growing(state, batch.from(), batch.to(), batch.partitions());
        assertThat(next(growing, plan(growing))).isEmpty();
        ClusterState grown = grown(state, batch.from(), batch.to(), batch.partitions());
        assertThat(next(grown, plan))
                .isNotEmpty()
                .allMatch(other -> other.partitions().stream().allMatch(p -> grown.width(p) == other.added()));
    }

    @Test
    void partitionsThatMayNotGrowWait() {
        ClusterState state = raised(joined(formed(1, 16, 1)), 2);
        PartitionSet some = PartitionSet.of(3, 7);
        assertThat(BatchSchedule.next(state, plan(state), some::contains, batch -> true))
                .containsExactly(new PlannedBatch(1, 2, some, 1));
        assertThat(BatchSchedule.next(state, plan(state), partition -> false, batch -> true))
                .isEmpty();
    }

    @Test
    void batchThatCannotBeginHoldsUpNoOther() {
        ClusterState state = joined(joined(formed(3, 8, 3)));
        PlannedBatch unable = new PlannedBatch(1, 4, PartitionSet.of(0, 1));
        PlannedBatch ofTheOwner = new PlannedBatch(1, 5, PartitionSet.of(1, 2));
        PlannedBatch toTheHeir = new PlannedBatch(2, 4, PartitionSet.of(0));
        Plan plan = new Plan(List.of(unable, ofTheOwner, toTheHeir), 0, 0);
        assertThat(BatchSchedule.next(state, plan, partition -> true, batch -> !batch.equals(unable)))
                .containsExactly(ofTheOwner, toTheHeir);
    }

    @Test
    void nothingBeginsWhileMovesArePaused() {
        ClusterState state = joined(formed(3, 64, 3));
        ClusterState paused =
                accepted(state, new Command.SetRebalance(state.epoch(), new RebalanceSettings(1 << 20, true)));
        assertThat(next(paused, plan(paused))).isEmpty();
    }

    @Test
    void partitionsThatMoveWait() {
        ClusterState state = joined(joined(formed(3, 64, 3)));
        PartitionSet some = PartitionSet.matching(64, partition -> partition < 32);
        ClusterState moving = started(state, 1, 4, some);
        assertThat(next(moving, plan(moving)))
                .isNotEmpty()
                .allMatch(batch -> batch.from() != 1 && batch.to() != 4)
                .allMatch(batch -> !batch.partitions().intersects(some));
    }

    /** A driver that keeps nothing plans again after every step, and still moves nothing twice. */
    @Test
    void planningAgainAfterEveryStepLeadsToTheSameEnd() {
        for (int seed = 0; seed < 20; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            ClusterState start = left(joined(joined(formed(5 + seed % 3, 128, 3, "a", "b", "c"), "a", 2), "b", 1), 1);
            Plan first = plan(start);
            ClusterState state = start;
            int moves = 0;
            for (int step = 0; !(state.batches().isEmpty() && plan(state).isEmpty()); step++) {
                assertThat(step).as("steps of seed %d", seed).isLessThan(500);
                List<PlannedBatch> next = next(state, plan(state));
                if (!next.isEmpty() && random.nextBoolean()) {
                    PlannedBatch batch = next.get(random.nextInt(next.size()));
                    state = started(state, batch.from(), batch.to(), batch.partitions());
                    moves += batch.partitions().cardinality();
                } else if (!state.batches().isEmpty()) {
                    Batch batch =
                            state.batches().get(random.nextInt(state.batches().size()));
                    Phase phase = batch.phase() == Phase.COPY ? Phase.BOTH : Phase.STABLE;
                    state = accepted(state, new Command.AdvanceBatch(state.epoch(), batch.id(), phase));
                }
                assertOneBatchEach(state);
            }
            assertThat(state.loads()[1]).isZero();
            assertThat(moves).as("moves of seed %d", seed).isLessThanOrEqualTo(first.moves() * 11 / 10);
        }
    }

    private static void assertOneBatchEach(ClusterState state) {
        Set<Integer> sources = new HashSet<>();
        Set<Integer> targets = new HashSet<>();
        assertThat(state.batches()).allMatch(batch -> sources.add(batch.from()) && targets.add(batch.to()));
    }
}
