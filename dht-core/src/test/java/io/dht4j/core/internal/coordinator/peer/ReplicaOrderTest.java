package io.dht4j.core.internal.coordinator.peer;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.Topology;
import io.dht4j.core.HashFunctions;
import io.dht4j.core.internal.detection.Suspicion;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.view.Moves;
import io.dht4j.core.internal.view.Phase;
import io.dht4j.core.internal.view.ReplicaSlot;
import io.dht4j.core.internal.view.Row;
import io.dht4j.spi.FailureDetector;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class ReplicaOrderTest {

    private static final Node A = Node.of("a", "host:1");
    private static final Node B = Node.of("b", "host:2");
    private static final Node C = Node.of("c", "host:3");
    private static final Node D = Node.of("d", "host:4");

    private final Unreachable detector = new Unreachable();
    private final Suspicion suspicion =
            new Suspicion(B.id(), VirtualEnvironment.seeded(1), List.of(A, C), detector, node -> {});
    private final ReplicaOrder order = new ReplicaOrder(B.id(), suspicion);

    /** Suspects the nodes that could not be reached. */
    private static final class Unreachable implements FailureDetector {

        private final List<NodeId> nodes = new ArrayList<>();

        @Override
        public void sent(NodeId node, long nowNanos) {}

        @Override
        public void heard(NodeId node, long nowNanos) {}

        @Override
        public void unreachable(NodeId node, long nowNanos) {
            nodes.add(node);
        }

        @Override
        public void resumed(long nowNanos) {}

        @Override
        public boolean isSuspected(NodeId node, long nowNanos) {
            return nodes.contains(node);
        }

        @Override
        public Duration patience() {
            return Duration.ofSeconds(1);
        }
    }

    private List<Node> sent(Node... replicas) {
        List<Node> sent = new ArrayList<>();
        order.localLast(List.of(replicas), sent::add);
        return sent;
    }

    @Test
    void theLocalReplicaIsSentToLastWhereverItIs() {
        assertThat(sent(A, B, C)).containsExactly(A, C, B);
        assertThat(sent(B, A, C)).containsExactly(A, C, B);
        assertThat(sent(A, C, B)).containsExactly(A, C, B);
    }

    @Test
    void withoutALocalReplicaTheOrderStays() {
        assertThat(sent(C, A)).containsExactly(C, A);
        assertThat(sent()).isEmpty();
    }

    @Test
    void theLocalReplicaAloneIsSentToOnce() {
        assertThat(sent(B)).containsExactly(B);
    }

    @Test
    void groupsKeepTheirContentInTheSameOrder() {
        Map<Node, String> groups = new LinkedHashMap<>();
        groups.put(B, "of b");
        groups.put(C, "of c");
        groups.put(A, "of a");
        List<String> sent = new ArrayList<>();

        order.localLast(groups, (node, group) -> sent.add(node.id() + " " + group));

        assertThat(sent).containsExactly("c of c", "a of a", "b of b");
    }

    @Test
    void theLocalReplicaIsPreferred() {
        assertThat(order.byPreference(List.of(A, B, C))).containsExactly(B, A, C);
        assertThat(order.byPreference(List.of(C, A))).containsExactly(C, A);
    }

    @Test
    void suspectedReplicasAreAskedLast() {
        suspicion.unreachable(A.id());

        assertThat(order.isSuspected(A)).isTrue();
        assertThat(order.byPreference(List.of(A, B, C))).containsExactly(B, C, A);
        assertThat(order.byPreference(List.of(A, C))).containsExactly(C, A);
    }

    @Test
    void thisNodeIsNeverSuspected() {
        suspicion.unreachable(B.id());

        assertThat(order.isSuspected(B)).isFalse();
    }

    private List<Node> readers(Phase phase, int slot) {
        Node owner = phase.isOfTwo() ? B : D;
        List<ReplicaSlot> slots = new ArrayList<>(List.of(ReplicaSlot.stable(A), ReplicaSlot.stable(C)));
        slots.add(slot, new ReplicaSlot(phase, owner, D));
        ClusterView view = ClusterView.agreed(
                new UUID(1, 1),
                B.id(),
                new Topology(1, List.of(A, B, C, D)),
                HashFunctions.xxh3(),
                List.of(Row.of(1, slots)),
                Map.of(),
                Moves.NONE);
        return order.readers(view, 0, 3);
    }

    @Test
    void movingSlotIsReadLastFromItsCompleteNode() {
        for (int slot = 0; slot < 3; slot++) {
            assertThat(readers(Phase.COPY, slot)).containsExactly(A, C, B);
            assertThat(readers(Phase.UNDO, slot)).containsExactly(A, C, B);
            assertThat(readers(Phase.BOTH, slot)).containsExactly(A, C, D);
            assertThat(readers(Phase.FILL, slot)).containsExactly(A, C);
        }
    }

    @Test
    void movingSlotIsReadBeforeSuspectedReplicas() {
        suspicion.unreachable(A.id());
        assertThat(readers(Phase.COPY, 0)).containsExactly(C, B, A);
        assertThat(readers(Phase.BOTH, 2)).containsExactly(C, D, A);
        assertThat(readers(Phase.FILL, 1)).containsExactly(C, A);
    }
}
