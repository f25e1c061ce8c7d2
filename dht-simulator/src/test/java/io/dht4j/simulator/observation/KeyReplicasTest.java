package io.dht4j.simulator.observation;

import static io.dht4j.simulator.cluster.SimulatedCluster.id;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.KeyReplica;
import io.dht4j.KeyReplica.State;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.Version;
import io.dht4j.simulator.cluster.SimulatedCluster;
import io.dht4j.testkit.network.Fault;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What each replica of a key has. */
class KeyReplicasTest {

    private static final Key KEY = Key.of("key");
    private static final CallOptions ALL_OF_THREE = CallOptions.defaults().withPolicy(3, 3);

    private static List<KeyReplica> replicas(SimulatedCluster cluster) {
        return cluster.await(
                cluster.node(0).operations().diagnostics().orElseThrow().replicas(KEY, CallOptions.defaults()));
    }

    private static KeyReplica of(List<KeyReplica> all, NodeId node) {
        return all.stream().filter(each -> each.node().equals(node)).findFirst().orElseThrow();
    }

    @Test
    void replicasShowStateVersionAndSizeInOrder() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            Cluster node = cluster.node(0);
            assertThat(replicas(cluster))
                    .hasSize(3)
                    .allSatisfy(each -> assertThat(each.state()).isEqualTo(State.ABSENT));

            Version written = cluster.await(node.put(KEY, new byte[5000], ALL_OF_THREE));
            List<KeyReplica> all = replicas(cluster);
            assertThat(all)
                    .extracting(KeyReplica::node)
                    .containsExactlyElementsOf(cluster.await(node.locate(KEY)).replicas().stream()
                            .map(Node::id)
                            .toList());
            assertThat(all).allSatisfy(each -> {
                assertThat(each.state()).isEqualTo(State.VALUE);
                assertThat(each.version()).contains(written);
                assertThat(each.valueBytes()).hasValue(5000);
            });

            Version deleted = cluster.await(node.delete(KEY, ALL_OF_THREE));
            assertThat(replicas(cluster)).allSatisfy(each -> {
                assertThat(each.state()).isEqualTo(State.TOMBSTONE);
                assertThat(each.version()).contains(deleted);
            });

            cluster.await(node.put(KEY, new byte[0], ALL_OF_THREE));
            assertThat(replicas(cluster))
                    .allSatisfy(each -> assertThat(each.valueBytes()).hasValue(0));
        }
    }

    @Test
    void aReplicaThatDoesNotAnswerIsNamed() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            cluster.await(cluster.node(0).put(KEY, new byte[1], ALL_OF_THREE));
            cluster.links.get(0).toward(id(2), Fault.loseRequest());
            List<KeyReplica> all = replicas(cluster);
            assertThat(of(all, id(2)).state()).isEqualTo(State.UNKNOWN);
            assertThat(of(all, id(2)).failure()).isPresent();
            assertThat(of(all, id(1)).state()).isEqualTo(State.VALUE);
        }
    }
}
