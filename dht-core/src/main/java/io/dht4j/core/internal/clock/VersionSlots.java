package io.dht4j.core.internal.clock;

import io.dht4j.NodeId;
import io.dht4j.Topology;
import java.util.HashMap;
import java.util.Map;

/**
 * Who gives which versions: the lowest bits of a version are the slot of the one who gave it. Each node has a slot of
 * its own, its place in the topology. A member without a store has one of the others, chosen by its name. Immutable.
 */
public final class VersionSlots {

    private static final int MAX_SLOTS = 512;
    /** So many that members without a store rarely choose the same one. */
    private static final int MIN_SLOTS = 128;

    private final Map<NodeId, Integer> ofNodes = new HashMap<>();
    private final int count;

    /**
     * The slots of a cluster.
     *
     * @param topology its nodes
     */
    public VersionSlots(Topology topology) {
        int nodes = topology.size();
        count = Math.max(MIN_SLOTS, Math.min(MAX_SLOTS, Integer.highestOneBit(4 * nodes - 1)));
        topology.nodes().forEach(node -> ofNodes.put(node.id(), ofNodes.size() % count));
    }

    /**
     * How many there are.
     *
     * @return a power of two
     */
    public int count() {
        return count;
    }

    /**
     * Whether somebody is a node, whose slot is its own as long as there are no more nodes than slots.
     *
     * @param id a node or a member without a store
     * @return false for a member without a store
     */
    public boolean isNode(NodeId id) {
        return ofNodes.containsKey(id);
    }

    /**
     * The slot of a node or of a member without a store.
     *
     * @param id its name
     * @return 0 to {@code count - 1}
     */
    public int of(NodeId id) {
        Integer ofNode = ofNodes.get(id);
        if (ofNode != null) {
            return ofNode;
        }
        int free = Math.max(0, count - ofNodes.size());
        return count - 1 - Math.floorMod(id.value().hashCode(), free == 0 ? count : free);
    }
}
