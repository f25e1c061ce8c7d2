package io.dht4j.core.internal.membership.plan;

import static io.dht4j.core.internal.membership.Clusters.accepted;
import static io.dht4j.core.internal.membership.Clusters.formed;
import static io.dht4j.core.internal.membership.Clusters.joined;
import static io.dht4j.core.internal.membership.Clusters.started;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.core.internal.membership.Clusters;
import io.dht4j.core.internal.membership.codec.StateCodec;
import io.dht4j.core.internal.membership.command.Command;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.SlotTable;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the join of a node costs in a cluster of many nodes, in numbers that do not depend on the machine. */
final class LargeClusterTest {

    private static final int NODES = 1000;
    private static final int PARTITIONS = 1 << 14;
    private static final int REPLICAS = 3;

    /** Steps of the table in a few tenths of a second. */
    private static final long MOST_WORK = 20_000_000;

    /** A partition prefers the newest members. */
    private static final PreferenceOrder NEWEST = new PreferenceOrder() {
        @Override
        public int depth() {
            return 4;
        }

        @Override
        public int member(int partition, int rank) {
            return NODES + 1 - rank;
        }
    };

    /** Returns a cluster whose slots are dealt out in turn, since a placement takes a second to assign them. */
    private static ClusterState dealt(int nodes) {
        int[] owners = new int[PARTITIONS * REPLICAS];
        for (int i = 0; i < owners.length; i++) {
            owners[i] = i % nodes + 1;
        }
        Command.Form small = Clusters.form(nodes, 1, REPLICAS);
        return formed(new Command.Form(
                small.cluster(),
                Clusters.settings(PARTITIONS, REPLICAS),
                small.founders(),
                SlotTable.of(REPLICAS, owners),
                List.of(1)));
    }

    @Test
    void joinIsPlannedInFewStepsAndMovesOneShare() {
        Plan plan = Planner.plan(joined(dealt(NODES)), NEWEST);

        int share = PARTITIONS * REPLICAS / (NODES + 1);
        assertThat(plan.moves()).isEqualTo(plan.incoming(NODES + 1)).isBetween(share * 9 / 10, share);
        assertThat(plan.work()).isLessThan(MOST_WORK);
    }

    @Test
    void stateIsSmallAlsoWhileAllBatchesOfAJoinAreUnderWay() {
        ClusterState state = joined(dealt(NODES));
        for (PlannedBatch batch : Planner.plan(state, NEWEST).batches()) {
            state = started(state, batch.from(), batch.to(), batch.partitions());
        }

        assertThat(state.batches()).hasSizeGreaterThan(20);
        assertThat(StateCodec.encode(state)).hasSizeLessThan(1_000_000);
    }

    @Test
    void tableGrowsWithTheReplicasAndNotWithTheNodes() {
        for (int nodes : new int[] {REPLICAS, 100, NODES}) {
            ClusterState state =
                    accepted(dealt(nodes), new Command.Admit(dealt(nodes).epoch(), Clusters.name(nodes + 1)));

            assertThat(state.slots().toArray()).hasSize(PARTITIONS * REPLICAS);
        }
    }
}
