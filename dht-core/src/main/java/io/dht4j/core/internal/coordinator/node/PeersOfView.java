package io.dht4j.core.internal.coordinator.node;

import io.dht4j.Node;
import io.dht4j.core.internal.clock.PeerClocks;
import io.dht4j.core.internal.coordinator.peer.Disagreements;
import io.dht4j.core.internal.coordinator.peer.ReplicaClient;
import io.dht4j.core.internal.detection.Suspicion;
import io.dht4j.core.internal.handoff.Handoff;
import io.dht4j.core.internal.membership.ClusterView;
import io.dht4j.core.internal.membership.Views;
import java.util.List;

/**
 * Adapts what this node has of each other node to the nodes of a view that is installed. Does not block; safe for use
 * by any number of threads.
 */
final class PeersOfView implements Views.Listener {

    private final ReplicaClient client;
    private final Suspicion suspicion;
    private final PeerClocks clocks;
    private final Disagreements disagreements;
    private final Handoff handoff;

    PeersOfView(
            ReplicaClient client,
            Suspicion suspicion,
            PeerClocks clocks,
            Disagreements disagreements,
            Handoff handoff) {
        this.client = client;
        this.suspicion = suspicion;
        this.clocks = clocks;
        this.disagreements = disagreements;
        this.handoff = handoff;
    }

    @Override
    public void installed(ClusterView before, ClusterView now) {
        List<Node> others = others(now);
        client.follow(before, now);
        suspicion.follow(others);
        clocks.follow(others.stream().map(Node::id).toList(), now.topology().size());
        disagreements.follow(now.topology());
        handoff.follow(now.topology().nodes());
    }

    /** Returns the nodes of a view but this member. */
    static List<Node> others(ClusterView view) {
        return view.topology().nodes().stream()
                .filter(node -> !node.id().equals(view.self()))
                .toList();
    }
}
