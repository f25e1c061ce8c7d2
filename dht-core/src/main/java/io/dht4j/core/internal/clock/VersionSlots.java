package io.dht4j.core.internal.clock;

import io.dht4j.NodeId;
import io.dht4j.Topology;
import java.util.HashMap;
import java.util.Map;

/**
 * Assigns version slots: the lowest bits of a version are the slot of its issuer. Each node has a slot of its own, its
 * place in the topology. A member without a store has one of the other slots, chosen by its name. Immutable.
 */
public final class VersionSlots {

    private static final int MAX_SLOTS = 512;
    /** Enough that members without a store rarely choose the same slot. */
    private static final int MIN_SLOTS = 128;

    private final Map<NodeId, Integer> ofNodes = new HashMap<>();
    private final int count;

    /**
     * Creates the slots of a cluster.
     *
     * @param topology its nodes
     */
    public VersionSlots(Topology topology) {
        int nodes = topology.size();
        count = Math.max(MIN_SLOTS, Math.min(MAX_SLOTS, Integer.highestOneBit(4 * nodes - 1)));
        topology.nodes().forEach(node -> ofNodes.put(node.id(), ofNodes.size() % count));
    }

    /**
     * Returns the number of slots.
     *
     * @return a power of two
     */
    public int count() {
        return count;
    }

    /**
     * Returns whether a member is a node, which has a slot of its own as long as there are no more nodes than slots.
     *
     * @param id a node or a member without a store
     * @return false for a member without a store
     */
    public boolean isNode(NodeId id) {
        return ofNodes.containsKey(id);
    }

    /**
     * Returns the slot of a node or of a member without a store.
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
