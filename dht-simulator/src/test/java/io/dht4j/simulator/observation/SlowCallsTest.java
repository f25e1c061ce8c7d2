package io.dht4j.simulator.observation;

import static io.dht4j.simulator.cluster.SimulatedCluster.id;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.Ordering;
import io.dht4j.SlowCall;
import io.dht4j.Topology;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.simulator.cluster.SimulatedCluster;
import io.dht4j.testkit.network.Fault;
import java.time.Duration;
import java.util.List;
import jdk.jfr.consumer.RecordedEvent;
import org.junit.jupiter.api.Test;

/** What a node keeps of calls that took long. */
class SlowCallsTest {

    private static final Key KEY = Key.of("key");
    private static final CallOptions ALL_OF_THREE = CallOptions.defaults().withPolicy(3, 3);
    private static final Duration HOP = Duration.ofMillis(40);

    private static SimulatedCluster cluster() {
        return SimulatedCluster.of(1, 3)
                .options(builder -> builder.slowCalls(Duration.ofMillis(50)))
                .start();
    }

    private static List<SlowCall.Request> requestsTo(SlowCall call, NodeId node) {
        return call.requests().stream()
                .filter(request -> request.node().equals(node))
                .toList();
    }

    @Test
    void theSlowReplicaIsSeenFromWritesAndReads() {
        try (SimulatedCluster cluster = cluster()) {
            Cluster node = cluster.node(0);
            cluster.await(node.put(KEY, new byte[1], ALL_OF_THREE));
            assertThat(node.operations().diagnostics().orElseThrow().slowCalls())
                    .isEmpty();
            cluster.links.get(0).toward(id(2), Fault.delay(HOP, HOP));
            cluster.await(node.put(KEY, new byte[1], ALL_OF_THREE));
            cluster.await(node.get(KEY, ALL_OF_THREE));
            cluster.await(node.put(KEY, new byte[1], ALL_OF_THREE.withOrdering(Ordering.LINEARIZABLE)));
            assertThat(node.operations().diagnostics().orElseThrow().slowCalls())
                    .extracting(SlowCall::kind)
                    .containsExactly("PUT", "GET", "PUT");
            for (SlowCall slow : node.operations().diagnostics().orElseThrow().slowCalls()) {
                assertThat(slow.outcome()).isEqualTo("SUCCESS");
                assertThat(slow.replicas()).containsExactlyInAnyOrder(id(0), id(1), id(2));
                assertThat(requestsTo(slow, id(2)))
                        .isNotEmpty()
                        .allSatisfy(request -> assertThat(request.took()).isGreaterThanOrEqualTo(HOP.multipliedBy(2)));
                assertThat(requestsTo(slow, id(1)))
                        .isNotEmpty()
                        .allSatisfy(request -> assertThat(request.took()).isLessThan(HOP));
                assertThat(requestsTo(slow, id(0))).isNotEmpty();
            }
            assertThat(requestsTo(
                            node.operations()
                                    .diagnostics()
                                    .orElseThrow()
                                    .slowCalls()
                                    .get(0),
                            id(2)))
                    .extracting(SlowCall.Request::kind)
                    .as("a linearizable write reads first")
                    .containsExactly("READ", "WRITE");
            assertThat(cluster.node(1).operations().diagnostics().orElseThrow().slowCalls())
                    .isEmpty();
        }
    }

    @Test
    void nodesWithoutAReplicaAreNotNamed() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 5)
                .options(builder -> builder.replicationFactor(3).slowCalls(Duration.ofMillis(50)))
                .start()) {
            Cluster node = cluster.node(0);
            for (int i = 1; i < 5; i++) {
                cluster.links.get(0).toward(id(i), Fault.delay(HOP, HOP));
            }
            cluster.await(node.put(KEY, new byte[1], ALL_OF_THREE));
            SlowCall slow =
                    node.operations().diagnostics().orElseThrow().slowCalls().get(0);
            assertThat(slow.replicas())
                    .hasSize(3)
                    .containsExactlyInAnyOrderElementsOf(
                            slow.requests().stream().map(SlowCall.Request::node).toList());
        }
    }

    @Test
    void aSlowCallIsAnEventOfTheFlightRecorder() throws Exception {
        try (SimulatedCluster cluster = cluster()) {
            Cluster node = cluster.node(0);
            cluster.await(node.put(KEY, new byte[1], ALL_OF_THREE));
            cluster.links.get(0).toward(id(2), Fault.delay(HOP, HOP));
            List<RecordedEvent> events = FlightEvents.during(
                    "io.dht4j.SlowCall", () -> cluster.await(node.put(KEY, new byte[1], ALL_OF_THREE)));
            assertThat(events).hasSize(1);
            RecordedEvent event = events.get(0);
            SlowCall slow =
                    node.operations().diagnostics().orElseThrow().slowCalls().get(0);
            assertThat(event.getEventType().getLabel()).isEqualTo("Slow Call");
            assertThat(event.getEventType().getDescription()).isNotBlank();
            assertThat(event.getString("kind")).isEqualTo("PUT");
            assertThat(event.getString("outcome")).isEqualTo("SUCCESS");
            assertThat(event.getDuration("took")).isEqualTo(slow.took());
            assertThat(event.getInt("keys")).isEqualTo(1);
            assertThat(event.getString("keyHash"))
                    .isEqualTo(String.format("%016x", slow.keyHash().getAsLong()));
            assertThat(event.getString("replicas").split(", ")).hasSize(3);
            assertThat(event.getString("requests")).contains(id(2) + " WRITE SUCCESS");
        }
    }

    @Test
    void aSilentReplicaIsSeenFromACallThatFails() {
        try (SimulatedCluster cluster = cluster()) {
            Cluster node = cluster.node(0);
            cluster.await(node.put(KEY, new byte[1], ALL_OF_THREE));
            cluster.links.get(0).toward(id(1), Fault.loseRequest());
            cluster.failureOf(node.put(KEY, new byte[1], ALL_OF_THREE));
            SlowCall slow =
                    node.operations().diagnostics().orElseThrow().slowCalls().get(0);
            assertThat(slow.outcome()).isEqualTo("WRITE_INDETERMINATE");
            assertThat(slow.took()).isGreaterThanOrEqualTo(Duration.ofSeconds(1));
            assertThat(requestsTo(slow, id(1)))
                    .isNotEmpty()
                    .allSatisfy(request -> assertThat(request.outcome()).isIn("PENDING", "NO_REPLY"));
        }
    }

    @Test
    void thresholdsOutOfRangeAreRefused() {
        ClusterBuilder builder = ClusterBuilder.of("n0", Topology.of(Node.of("n0", "host:1")));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.slowCalls(Duration.ZERO))
                .withMessageContaining("slowCalls");
    }
}
