package io.dht4j.core.internal.membership.plan;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.Topology;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.Member;
import io.dht4j.core.internal.view.Epoch;
import io.dht4j.spi.PartitionTable;
import io.dht4j.spi.Placement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Orders members as in the table that a placement would assign to the members that take slots. Works with every
 * placement, and costs one call of {@link Placement#assign}. Immutable; safe for use by any number of threads.
 */
public final class PlacementOrder implements PreferenceOrder {

    private final int depth;
    private final int[] numbers;

    private PlacementOrder(int depth, int[] numbers) {
        this.depth = depth;
        this.numbers = numbers;
    }

    /**
     * Computes the order for the members of a state that take slots.
     *
     * @param placement is called once, in the caller's thread
     * @param state at least one of its members takes slots
     */
    public static PlacementOrder of(Placement placement, ClusterState state) {
        Map<NodeId, Integer> numberOf = new HashMap<>();
        List<Node> nodes = state.members().takers().map(PlacementOrder::node).toList();
        state.members().takers().forEach(member -> numberOf.put(member.name(), member.number()));
        Topology topology = new Topology(Epoch.index(state.epoch()), nodes);
        PartitionTable table = placement.assign(topology, state.partitions());
        int depth = table.depth();
        int[] numbers = new int[state.partitions() * depth];
        int at = 0;
        for (int partition = 0; partition < state.partitions(); partition++) {
            for (Node node : table.replicas(partition, depth)) {
                numbers[at++] = numberOf.getOrDefault(node.id(), 0);
            }
        }
        return new PlacementOrder(depth, numbers);
    }

    private static Node node(Member member) {
        return new Node(
                member.name(), member.details().address(), member.details().weight());
    }

    @Override
    public int depth() {
        return depth;
    }

    @Override
    public int member(int partition, int rank) {
        return numbers[partition * depth + rank];
    }
}
