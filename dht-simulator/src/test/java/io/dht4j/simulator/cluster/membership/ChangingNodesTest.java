package io.dht4j.simulator.cluster.membership;

import static io.dht4j.simulator.cluster.membership.AgreedCluster.COORDINATOR;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.NodeStatus;
import io.dht4j.Value;
import io.dht4j.Version;
import io.dht4j.core.options.HintedHandoff;
import io.dht4j.simulator.cluster.SimulatedCluster;
import io.dht4j.spi.Entry;
import io.dht4j.spi.FrameHandler;
import io.dht4j.testkit.network.Fault;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Nodes that appear in a view, and that leave it, while the others serve. */
class ChangingNodesTest {

    private static final int LEAVING = 3;
    private static final byte[] VALUE = {1};
    private static final CallOptions MAJORITY = CallOptions.defaults().withPolicy(2, 3);
    private static final CallOptions ALL = CallOptions.defaults().withPolicy(3, 3);

    private final AgreedCluster agreed = AgreedCluster.start();
    private final SimulatedCluster cluster = agreed.cluster;
    private final Key key = agreed.key(1);

    private void leave() {
        for (int partition = 0; partition < AgreedCluster.PARTITIONS; partition++) {
            agreed.change(partition, 0, 1, 2);
        }
        agreed.remove(LEAVING);
        agreed.install(0, 1, 2, COORDINATOR);
    }

    @Test
    void departedNodeIsNeitherCalledNorSuspected() {
        try (agreed) {
            // The answers to what a node asks at its start are signs of life.
            cluster.env.advance(Duration.ofSeconds(1));
            agreed.link(COORDINATOR).toward(SimulatedCluster.id(LEAVING), Fault.refuse());
            cluster.await(agreed.coordinator().put(key, VALUE, MAJORITY));
            assertThat(cluster.await(agreed.coordinator().operations().status()).suspected())
                    .contains(SimulatedCluster.id(LEAVING));
            leave();
            assertThat(cluster.await(agreed.coordinator().operations().status()).suspected())
                    .isEmpty();
            agreed.sent.clear();
            cluster.await(agreed.coordinator().put(key, VALUE, ALL));
            cluster.env.advance(Duration.ofSeconds(30));
            assertThat(agreed.between(COORDINATOR, LEAVING)).isEmpty();
            assertThat(agreed.coordinator().topology().size()).isEqualTo(AgreedCluster.NODES - 1);
        }
    }

    @Test
    void hintsForANodeThatHasLeftAreDropped() {
        try (agreed) {
            agreed.link(COORDINATOR).toward(SimulatedCluster.id(LEAVING), Fault.refuse());
            cluster.await(agreed.coordinator().put(key, VALUE, MAJORITY));
            cluster.env.advance(Duration.ofSeconds(1));
            assertThat(cluster.await(agreed.coordinator().operations().status()).hintBytes())
                    .isPositive();
            leave();
            cluster.env.advance(Duration.ofSeconds(30));
            NodeStatus status = cluster.await(agreed.coordinator().operations().status());
            assertThat(status.hintBytes()).isZero();
            assertThat(status.hintBytesDropped()).isPositive();
        }
    }

    @Test
    void certificateCountsForAsLongAsItsBearerIsANode() {
        try (agreed) {
            FrameHandler first = agreed.handlers.get(0);
            assertThat(first.mayCall("n3")).isTrue();
            leave();
            assertThat(first.mayCall("n3")).isFalse();
            agreed.add(LEAVING);
            agreed.installAtAll();
            assertThat(first.mayCall("n3")).isTrue();
        }
    }

    @Test
    void connectionsOfLateCallsToADepartedNodeClose() {
        try (agreed) {
            leave();
            assertThat(agreed.forgotten.get(COORDINATOR)).containsExactly(node(LEAVING));
            cluster.env.advance(Duration.ofMinutes(5));
            assertThat(agreed.forgotten.get(COORDINATOR)).containsExactly(node(LEAVING), node(LEAVING));
            agreed.add(LEAVING);
            agreed.installAtAll();
            cluster.env.advance(Duration.ofMinutes(5));
            assertThat(agreed.forgotten.get(COORDINATOR)).hasSize(2);
        }
    }

    @Test
    void connectionsToANodeOfAnotherWeightStay() {
        try (agreed) {
            agreed.weigh(2);
            agreed.installAtAll();
            cluster.env.advance(Duration.ofMinutes(5));
            assertThat(agreed.forgotten).isEmpty();
        }
    }

    private Node node(int number) {
        return cluster.topology.nodes().get(number);
    }

    @Test
    void nodeThatAppearsTakesWritesAndGetsWhatItMisses() {
        try (agreed) {
            leave();
            agreed.add(LEAVING);
            agreed.replace(LEAVING);
            agreed.change(1, LEAVING, 1, 2);
            agreed.installAtAll();
            cluster.await(agreed.coordinator().put(key, VALUE, ALL));
            assertThat(agreed.stores.get(LEAVING).get(key)).isPresent();
            Key missed = agreed.keys(1, 2).get(1);
            agreed.link(COORDINATOR).toward(SimulatedCluster.id(LEAVING), Fault.refuse());
            cluster.await(agreed.coordinator().put(missed, VALUE, MAJORITY));
            agreed.link(COORDINATOR).heal();
            cluster.env.advance(Duration.ofSeconds(30));
            assertThat(agreed.stores.get(LEAVING).get(missed)).isPresent();
        }
    }

    @Test
    void hintsForAFormerReplicaReachTheNewReplicas() {
        Key moved = agreed.key(2);
        try (agreed) {
            agreed.link(COORDINATOR).toward(SimulatedCluster.id(LEAVING), Fault.refuse());
            cluster.await(agreed.coordinator().put(moved, VALUE, MAJORITY));
            cluster.await(agreed.coordinator().put(key, VALUE, MAJORITY));
            int heir = IntStream.of(0, 1, 2)
                    .filter(i -> agreed.stores.get(i).get(moved).isEmpty())
                    .findFirst()
                    .orElseThrow();
            agreed.change(2, 0, 1, 2);
            agreed.installAtAll();
            agreed.link(COORDINATOR).heal();
            cluster.env.advance(Duration.ofSeconds(30));
            assertThat(agreed.stores.get(LEAVING).get(key)).isPresent();
            assertThat(agreed.stores.get(LEAVING).get(moved)).isEmpty();
            assertThat(agreed.stores.get(heir).get(moved)).isPresent();
            NodeStatus status = cluster.await(agreed.coordinator().operations().status());
            assertThat(status.hintBytes()).isZero();
            assertThat(status.hintBytesDropped()).isZero();
        }
    }

    @Test
    void hintByAnOldTableIsDeliveredByTheNewOne() {
        Key moved = agreed.key(2);
        try (agreed) {
            agreed.link(COORDINATOR).toward(SimulatedCluster.id(LEAVING), Fault.refuse());
            cluster.await(agreed.coordinator().put(moved, VALUE, MAJORITY));
            cluster.await(agreed.coordinator().put(key, VALUE, MAJORITY));
            agreed.change(2, 0, 1, 2);
            agreed.change(1, 0, 3, 2);
            agreed.install(0, 1, 2, LEAVING);
            agreed.link(COORDINATOR).heal();
            cluster.env.advance(Duration.ofSeconds(30));
            assertThat(agreed.refreshed()).containsExactly(COORDINATOR);
            assertThat(agreed.stores.get(LEAVING).get(key)).isPresent();
            assertThat(agreed.stores.get(LEAVING).get(moved)).isEmpty();
        }
    }

    @Test
    void repairMakesTheReplicasByTheAgreedTableEqual() {
        agreed.close();
        int partition = 5;
        try (AgreedCluster repaired = AgreedCluster.with(SimulatedCluster.of(1, AgreedCluster.NODES)
                .options(builder -> builder.partitions(AgreedCluster.PARTITIONS).handoff(HintedHandoff.off())))) {
            int[] replicas = repaired.replicasByPlacement(partition);
            repaired.change(partition, replicas);
            repaired.installAtAll();
            Key of = repaired.key(partition);
            Key newer = repaired.keys(partition, 2).get(1);
            repaired.cluster.env.advance(Duration.ofSeconds(30));
            Version version = Version.of(repaired.cluster.env.currentTimeMillis(), 0);
            repaired.stores.get(replicas[0]).apply(List.of(Entry.value(of, version, VALUE, Entry.NEVER)));
            repaired.stores.get(replicas[1]).apply(List.of(Entry.value(newer, version, VALUE, Entry.NEVER)));
            repaired.cluster.await(repaired.node(replicas[0]).operations().repair(Set.of(partition)));
            repaired.cluster.env.advance(Duration.ofMinutes(2));
            for (int replica : replicas) {
                assertThat(repaired.stores.get(replica).get(of)).isPresent();
                assertThat(repaired.stores.get(replica).get(newer)).isPresent();
            }
        }
    }

    @Test
    void policyFromIsAtMostTheReplicasOfAKey() {
        try (agreed) {
            assertThat(cluster.failureOf(agreed.coordinator()
                                    .put(key, VALUE, CallOptions.defaults().withPolicy(2, 4)))
                            .code())
                    .isEqualTo(ErrorCode.POLICY_INVALID);
            cluster.await(agreed.coordinator().put(key, VALUE, ALL));
            assertThat(cluster.await(agreed.coordinator().locate(key)).replicas())
                    .extracting(node -> node.id().value())
                    .containsExactly("n1", "n2", "n3");
            assertThat(cluster.await(agreed.coordinator().get(key)).map(Value::bytes))
                    .hasValue(VALUE);
        }
    }
}
