package io.dht4j.core.internal.coordinator.peer;

import io.dht4j.Node;
import io.dht4j.NodeGauges.Bounded;
import io.dht4j.NodeId;
import io.dht4j.OverloadedException;
import io.dht4j.ReplicationPolicy;
import io.dht4j.core.internal.admission.PeerLimit;
import io.dht4j.core.internal.coordinator.config.NodeComponents;
import io.dht4j.core.internal.coordinator.config.NodeConfig;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.view.ReplicaSlot;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Limits the outstanding requests to each node. This node has no limit if its store is in memory. Lock-free; safe for
 * use by any number of threads.
 */
public final class ConcurrencyLimits {

    private final Supplier<PeerLimit> made;
    /** Whether this node has a limit, too. */
    private final boolean limitsSelf;
    /** Replaced as a whole with each view that changes it. */
    private volatile Map<NodeId, PeerLimit> limits;

    private final LongAdder refusedCalls = new LongAdder();
    /** The refused requests to nodes that have left. */
    private final LongAdder refusedBefore = new LongAdder();

    /**
     * Creates limits at their maxima.
     *
     * @param components the components of this node
     * @param config the options of this node
     */
    public ConcurrencyLimits(NodeComponents components, NodeConfig config) {
        this.made = () -> new PeerLimit(config.overload().peers());
        this.limitsSelf = !components.store().isMemoryFast();
        ClusterView view = components.view();
        this.limits = limits(view, view, Map.of());
    }

    private Map<NodeId, PeerLimit> limits(ClusterView before, ClusterView now, Map<NodeId, PeerLimit> known) {
        Map<NodeId, PeerLimit> all = new HashMap<>();
        for (Node node : now.topology().nodes()) {
            if (limitsSelf || !node.id().equals(now.self())) {
                PeerLimit limit = known.get(node.id());
                boolean same = Objects.equals(before.identity(node.id()), now.identity(node.id()));
                all.put(node.id(), limit != null && same ? limit : made.get());
            }
        }
        return all;
    }

    /** Follows a view: new nodes and incarnations have limits at their maxima, those that have left have none. */
    void follow(ClusterView before, ClusterView now) {
        Map<NodeId, PeerLimit> old = limits;
        Map<NodeId, PeerLimit> all = limits(before, now, old);
        old.forEach((node, limit) -> {
            if (!limit.equals(all.get(node))) {
                refusedBefore.add(limit.refused());
            }
        });
        limits = all;
    }

    /**
     * Returns the limit of a node.
     *
     * @param node any node
     * @return null if it has none
     */
    @Nullable
    public PeerLimit of(NodeId node) {
        return limits.get(node);
    }

    /**
     * Refuses a call whose policy cannot be met by the replicas that have room for another request. Its requests to
     * them would be wasted, and each replica would refuse different calls.
     *
     * @param replicas the replicas of a key, one for each slot
     * @param policy the policy of the call
     * @throws OverloadedException if too few of them have room
     */
    public void require(List<Node> replicas, ReplicationPolicy policy) {
        require(replicas, Optional.empty(), policy);
    }

    /**
     * Refuses a call to the nodes of all slots. A slot of two nodes has room if both have.
     *
     * @param nodes the nodes
     * @param moving the slot that moves; empty if none of the slots does
     * @param policy the policy of the call
     * @throws OverloadedException if too few slots have room
     */
    public void require(List<Node> nodes, Optional<ReplicaSlot> moving, ReplicationPolicy policy) {
        int full = 0;
        int fullOfPair = 0;
        Map<NodeId, PeerLimit> known = limits;
        for (int i = 0; i < nodes.size(); i++) {
            NodeId node = nodes.get(i).id();
            PeerLimit limit = known.get(node);
            if (limit != null && !limit.hasRoom()) {
                full++;
                fullOfPair += moving.isPresent() && moving.get().isOf(node) ? 1 : 0;
            }
        }
        int slots = nodes.size() - (moving.isPresent() && moving.get().isPair() ? 1 : 0);
        int fullSlots = full - (fullOfPair == 2 ? 1 : 0);
        if (full > 0 && slots - fullSlots < policy.ack()) {
            refusedCalls.increment();
            throw new OverloadedException("overloaded: of " + nodes.size() + " replicas " + full
                    + " have too many requests of this node to answer");
        }
    }

    /**
     * Returns whether so few requests to a node are outstanding that background work may be sent to it.
     *
     * @param node any node
     * @return an answer that may be outdated at once
     */
    public boolean isQuiet(NodeId node) {
        PeerLimit limit = limits.get(node);
        return limit == null || limit.isQuiet();
    }

    /**
     * Returns the number of outstanding requests to each node that has a limit.
     *
     * @return numbers that may be outdated at once, with the limits
     */
    public Map<NodeId, Bounded> outstanding() {
        Map<NodeId, Bounded> all = new HashMap<>();
        limits.forEach((node, limit) -> all.put(node, limit.outstanding()));
        return all;
    }

    /**
     * Returns the number of calls that were refused because too few replicas had room.
     *
     * @return the number since the start
     */
    public long refusedCalls() {
        return refusedCalls.sum();
    }

    /**
     * Returns the number of requests that were not sent because too many to the same node were outstanding.
     *
     * @return the number since the start
     */
    public long refusedRequests() {
        return refusedBefore.sum()
                + limits.values().stream().mapToLong(PeerLimit::refused).sum();
    }
}
