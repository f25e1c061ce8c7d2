package io.dht4j.simulator.cluster;

import static io.dht4j.simulator.cluster.SimulatedCluster.id;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.Key;
import io.dht4j.NodeGauges;
import io.dht4j.NodeGauges.Takeover;
import io.dht4j.NodeId;
import io.dht4j.testkit.network.Fault;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** What a node has in hand. */
class GaugesTest {

    private static final Key KEY = Key.of("key");
    private static final CallOptions ALL_OF_THREE = CallOptions.defaults().withPolicy(3, 3);

    private static NodeGauges gauges(SimulatedCluster cluster) {
        return cluster.node(0).operations().diagnostics().orElseThrow().gauges();
    }

    @Test
    void callsInFlightAndTheirBytesAreShownUntilTheyEnd() {
        try (SimulatedCluster cluster =
                SimulatedCluster.of(1, 3).options(b -> b.maxInFlight(11)).start()) {
            cluster.await(cluster.node(0).put(KEY, new byte[1], ALL_OF_THREE));
            cluster.links.get(0).towardAll(Fault.delay(Duration.ofMillis(20), Duration.ofMillis(20)));
            CompletionStage<?> write = cluster.node(0).put(KEY, new byte[997], ALL_OF_THREE);
            NodeGauges during = gauges(cluster);
            assertThat(during.calls()).isEqualTo(new NodeGauges.Bounded(1, 11));
            assertThat(during.writeBytes().used()).isEqualTo(1000);
            assertThat(during.peerRequests()).containsKeys(id(1), id(2));
            assertThat(during.peerRequests().get(id(1)).used()).isEqualTo(1);
            cluster.await(write);
            NodeGauges after = gauges(cluster);
            assertThat(after.calls().used()).isZero();
            assertThat(after.writeBytes().used()).isZero();
            assertThat(after.peerRequests().get(id(1)).used()).isZero();
            assertThat(after.takeover()).isEqualTo(Takeover.NONE);
        }
    }

    /** Returns the number of partitions that have two or three of these nodes among their three replicas. */
    private static long placedOnTwoOf(SimulatedCluster cluster, NodeId... silent) {
        Set<NodeId> without = Set.of(silent);
        return cluster
                .await(cluster.node(0).operations().diagnostics().orElseThrow().placements(0, Integer.MAX_VALUE))
                .stream()
                .filter(placement -> placement.replicas().stream()
                                .filter(replica -> without.contains(replica.id()))
                                .count()
                        >= 2)
                .count();
    }

    /** Calls until node 0 suspects these nodes and no others. */
    private static void awaitSuspects(SimulatedCluster cluster, NodeId... silent) {
        for (int i = 0; !suspects(cluster).equals(List.of(silent)); i++) {
            assertThat(i).as("suspects: %s", suspects(cluster)).isLessThan(100);
            cluster.node(0).put(Key.of("key" + i), new byte[1]);
            cluster.env.advance(Duration.ofMillis(100));
        }
    }

    private static List<NodeId> suspects(SimulatedCluster cluster) {
        return cluster.await(cluster.node(0).operations().status()).suspected();
    }

    @Test
    void partitionWithTwoSilentReplicasHasNoQuorum() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 5)
                .options(b -> b.replicationFactor(3).partitions(64))
                .start()) {
            long expected = placedOnTwoOf(cluster, id(3), id(4));
            assertThat(expected).isBetween(1L, 63L);
            // Node 0 started before the others.
            awaitSuspects(cluster);
            assertThat(gauges(cluster).partitionsWithoutQuorum()).isZero();

            cluster.links.get(0).toward(id(3), Fault.refuse());
            awaitSuspects(cluster, id(3));
            assertThat(gauges(cluster).partitionsWithoutQuorum()).isZero();

            cluster.links.get(0).toward(id(4), Fault.refuse());
            awaitSuspects(cluster, id(3), id(4));
            assertThat(gauges(cluster).partitionsWithoutQuorum()).isEqualTo((int) expected);

            cluster.links.get(0).heal();
            awaitSuspects(cluster);
            assertThat(gauges(cluster).partitionsWithoutQuorum()).isZero();
        }
    }

    @Test
    void aNodeWithoutCallsLearnsWhoIsGoneWhenItIsAskedForItsStatus() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3).start()) {
            awaitSuspects(cluster);
            cluster.links.get(0).towardAll(Fault.refuse());
            for (int i = 0; suspects(cluster).size() < 2; i++) {
                assertThat(i).as("suspects: %s", suspects(cluster)).isLessThan(4);
                cluster.env.advance(Duration.ofSeconds(1));
            }
            assertThat(gauges(cluster).partitionsWithoutQuorum()).isPositive();
        }
    }

    @Test
    void clockOffsetsAreThoseOfTheOthers() {
        try (SimulatedCluster cluster = SimulatedCluster.of(1, 3)
                .clocks(i -> Duration.ofSeconds(i * 7L))
                .start()) {
            cluster.await(cluster.node(0).put(KEY, new byte[1], ALL_OF_THREE));
            assertThat(gauges(cluster).clockOffsets().get(id(1)).toMillis()).isBetween(6_950L, 7_050L);
            assertThat(gauges(cluster).clockOffsets().get(id(2)).toMillis()).isBetween(13_950L, 14_050L);
        }
    }
}
