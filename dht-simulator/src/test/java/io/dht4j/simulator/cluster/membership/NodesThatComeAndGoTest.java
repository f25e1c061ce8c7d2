package io.dht4j.simulator.cluster.membership;

import static io.dht4j.simulator.cluster.membership.AgreedCluster.COORDINATOR;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.NodeStatus;
import io.dht4j.Topology;
import io.dht4j.core.FailureDetectors;
import io.dht4j.core.HashFunctions;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.view.Moves;
import io.dht4j.core.internal.view.NodeIdentity;
import io.dht4j.core.internal.view.Row;
import io.dht4j.simulator.cluster.SimulatedCluster;
import io.dht4j.spi.FailureDetector;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** A thousand nodes join, miss a write, and leave, one after the other. */
class NodesThatComeAndGoTest {

    private static final int ROUNDS = 1000;
    private static final CallOptions MAJORITY = CallOptions.defaults().withPolicy(2, 3);

    private final Tracking detector = new Tracking();
    private final AgreedCluster agreed = AgreedCluster.with(SimulatedCluster.of(1, AgreedCluster.NODES)
            .options((node, builder) -> node == COORDINATOR
                    ? builder.partitions(AgreedCluster.PARTITIONS).failureDetector(detector)
                    : builder.partitions(AgreedCluster.PARTITIONS)));
    private final SimulatedCluster cluster = agreed.cluster;

    /** Tracks the nodes of which a detector has to know something. */
    private static final class Tracking implements FailureDetector {

        private final FailureDetector silence = FailureDetectors.silence(Duration.ofSeconds(1));
        private final Set<NodeId> known = new HashSet<>();

        @Override
        public void sent(NodeId node, long nowNanos) {
            known.add(node);
            silence.sent(node, nowNanos);
        }

        @Override
        public void heard(NodeId node, long nowNanos) {
            known.add(node);
            silence.heard(node, nowNanos);
        }

        @Override
        public void unreachable(NodeId node, long nowNanos) {
            known.add(node);
            silence.unreachable(node, nowNanos);
        }

        @Override
        public void resumed(long nowNanos) {
            silence.resumed(nowNanos);
        }

        @Override
        public void retain(Set<NodeId> nodes) {
            known.retainAll(nodes);
            silence.retain(nodes);
        }

        @Override
        public boolean isSuspected(NodeId node, long nowNanos) {
            return silence.isSuspected(node, nowNanos);
        }

        @Override
        public Duration patience() {
            return silence.patience();
        }
    }

    private static Node guest(int round) {
        return Node.of("guest" + round, "guests:" + (1 + round));
    }

    /** Installs a view in which these nodes hold everything. */
    private void install(long epoch, List<Node> nodes, List<Node> replicas) {
        Map<NodeId, NodeIdentity> identities = new HashMap<>();
        for (Node node : nodes) {
            int number = node.id().value().hashCode() & Integer.MAX_VALUE;
            identities.put(node.id(), new NodeIdentity(number, new UUID(1, number)));
        }
        for (int at = 0; at < AgreedCluster.NODES; at++) {
            ClusterView view = ClusterView.agreed(
                    new UUID(7, 7),
                    SimulatedCluster.id(at),
                    new Topology(epoch, nodes),
                    HashFunctions.xxh3(),
                    Collections.nCopies(AgreedCluster.PARTITIONS, Row.stable(epoch, replicas)),
                    identities,
                    Moves.NONE);
            assertThat(agreed.views(at).install(view)).isTrue();
        }
    }

    @Test
    void nodesThatHaveLeftLeaveNothingBehind() {
        List<Node> stays = cluster.topology.nodes();
        List<Node> guests = new ArrayList<>();
        try (agreed) {
            for (int round = 0; round < ROUNDS; round++) {
                Node guest = guest(round);
                guests.add(guest);
                List<Node> nodes = new ArrayList<>(stays);
                nodes.add(guest);
                install(10 + 2L * round, nodes, List.of(stays.get(0), stays.get(1), guest));
                cluster.await(agreed.coordinator().put(agreed.key(round % 8), new byte[10], MAJORITY));
                cluster.env.advance(Duration.ofMillis(50));
                install(11 + 2L * round, stays, stays.subList(0, 3));
                cluster.env.advance(Duration.ofMillis(100));
            }
            assertThat(detector.known.size()).isLessThan(AgreedCluster.NODES);
            cluster.env.advance(Duration.ofMinutes(3));
            NodeStatus status = cluster.await(agreed.coordinator().operations().status());
            assertThat(status.suspected()).isEmpty();
            assertThat(status.disagreeing()).isEmpty();
            assertThat(status.hintBytes()).isZero();
            assertThat(status.hintBytesDropped()).isGreaterThanOrEqualTo(10 * ROUNDS);
            assertThat(agreed.forgotten.get(COORDINATOR)).hasSize(2 * ROUNDS).containsAll(guests);
        }
    }
}
