package io.dht4j.core.internal.clock;

import io.dht4j.NodeId;
import io.dht4j.Topology;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Assigns version slots: the lowest bits of a version are the slot of its issuer. Each node has a slot of its own, its
 * place in the topology. A member without a store has one of the other slots, chosen by its name. Immutable.
 */
public final class VersionSlots {

    private static final int MAX_SLOTS = 512;
    /** Large enough that members without a store rarely choose the same slot. */
    private static final int MIN_SLOTS = 128;

    /** The slots of an agreed cluster: those of nodes are agreed, the others are for members without a store. */
    public static final int AGREED_SLOTS = 256;

    private final Map<NodeId, Integer> ofNodes = new HashMap<>();
    private final Predicate<NodeId> isNode;
    private final int count;
    private final int free;

    /**
     * Creates the slots of a cluster.
     *
     * @param topology its nodes
     */
    public VersionSlots(Topology topology) {
        int nodes = topology.size();
        count = Math.max(MIN_SLOTS, Math.min(MAX_SLOTS, Integer.highestOneBit(4 * nodes - 1)));
        topology.nodes().forEach(node -> ofNodes.put(node.id(), ofNodes.size() % count));
        int left = Math.max(0, count - nodes);
        free = left == 0 ? count : left;
        isNode = ofNodes::containsKey;
    }

    private VersionSlots(Predicate<NodeId> isNode, int nodeSlots) {
        this.isNode = isNode;
        this.count = AGREED_SLOTS;
        this.free = AGREED_SLOTS - nodeSlots;
    }

    /**
     * Returns the slots of an agreed cluster, for members without a store.
     *
     * @param isNode returns whether a member is a node now
     * @param nodeSlots the slots 0 to {@code nodeSlots - 1} are those of nodes
     * @return slots without those of nodes
     */
    public static VersionSlots agreed(Predicate<NodeId> isNode, int nodeSlots) {
        return new VersionSlots(isNode, nodeSlots);
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
     * Returns whether a member is a node. A node has a slot of its own if the nodes do not outnumber the slots.
     *
     * @param id a node or a member without a store
     * @return false for a member without a store
     */
    public boolean isNode(NodeId id) {
        return isNode.test(id);
    }

    /**
     * Returns the slot of a node or of a member without a store; in an agreed cluster that of the latter.
     *
     * @param id its name
     * @return 0 to {@code count - 1}
     */
    public int of(NodeId id) {
        Integer ofNode = ofNodes.get(id);
        if (ofNode != null) {
            return ofNode;
        }
        return count - 1 - Math.floorMod(id.value().hashCode(), free);
    }
}
