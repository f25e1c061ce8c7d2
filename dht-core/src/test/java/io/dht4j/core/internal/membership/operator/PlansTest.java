package io.dht4j.core.internal.membership.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Topology;
import io.dht4j.core.internal.membership.Clusters;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.spi.PartitionTable;
import io.dht4j.spi.Placement;
import org.junit.jupiter.api.Test;

/** The plans that operators see. */
class PlansTest {

    private int calls;

    private final Placement failsOnce = new Placement() {
        @Override
        public PartitionTable assign(Topology topology, int partitions) {
            if (calls++ == 0) {
                throw new IllegalStateException("no table");
            }
            return Clusters.PLACEMENT.assign(topology, partitions);
        }

        @Override
        public String name() {
            return Clusters.PLACEMENT.name();
        }
    };

    @Test
    void planThatFailedIsMadeAgain() {
        Plans plans = new Plans(failsOnce, Runnable::run);
        ClusterState state = Clusters.joined(Clusters.formed(3, 8, 3));
        assertThat(plans.of(state)).isCompletedExceptionally();
        assertThat(plans.of(state)).isCompleted();
        assertThat(plans.of(state)).isCompleted();
        assertThat(calls).isEqualTo(2);
    }
}
