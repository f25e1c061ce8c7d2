package io.dht4j.simulator.cluster.membership;

import static io.dht4j.simulator.cluster.SimulatedCluster.id;
import static io.dht4j.simulator.cluster.membership.AgreedCluster.COORDINATOR;
import static io.dht4j.simulator.cluster.membership.AgreedCluster.NODES;
import static io.dht4j.simulator.cluster.membership.AgreedCluster.PARTITIONS;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.simulator.cluster.SimulatedCluster;
import io.dht4j.simulator.observation.RecordingObserver;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ObservedNodesTest {

    @Test
    void anObserverHearsWhichNodesAreLeft() {
        RecordingObserver observer = new RecordingObserver();
        try (AgreedCluster agreed = AgreedCluster.with(SimulatedCluster.of(1, NODES)
                .options((i, builder) ->
                        (i == COORDINATOR ? builder.observer(observer) : builder).partitions(PARTITIONS)))) {
            for (int partition = 0; partition < PARTITIONS; partition++) {
                agreed.change(partition, 0, 1, 2);
            }
            agreed.remove(3);
            agreed.installAtAll();
            assertThat(observer.retained).last().isEqualTo(Set.of(id(0), id(1), id(2)));
        }
    }
}
