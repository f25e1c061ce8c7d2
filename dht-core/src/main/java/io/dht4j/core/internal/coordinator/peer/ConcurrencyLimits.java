package io.dht4j.core.internal.coordinator.peer;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.OverloadedException;
import io.dht4j.ReplicationPolicy;
import io.dht4j.core.internal.admission.PeerLimit;
import io.dht4j.core.internal.coordinator.config.NodeComponents;
import io.dht4j.core.internal.coordinator.config.NodeConfig;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * How much may be asked of each node at a time. Of this one nothing limits it if its store makes nobody wait. Without
 * locks; safe for use by any number of threads.
 */
public final class ConcurrencyLimits {

    /** Fixed from the beginning. */
    private final Map<NodeId, PeerLimit> limits = new HashMap<>();

    private final LongAdder refusedCalls = new LongAdder();

    public ConcurrencyLimits(NodeComponents parts, NodeConfig numbers) {
        for (Node node : parts.topology().nodes()) {
            if (!node.id().equals(parts.self()) || !parts.store().isMemoryFast()) {
                limits.put(node.id(), new PeerLimit(numbers.overload().peer()));
            }
        }
    }

    /** What limits the requests to a node; null if nothing does. */
    @Nullable
    public PeerLimit of(NodeId node) {
        return limits.get(node);
    }

    /**
     * Refuses a call whose policy cannot be met by those replicas that have room for another request: what would be
     * asked of the others is work for nothing, and each replica would refuse other calls than the next one does.
     *
     * @throws OverloadedException if there are too few of them
     */
    public void require(List<Node> replicas, ReplicationPolicy policy) {
        int full = 0;
        for (int i = 0; i < replicas.size(); i++) {
            PeerLimit limit = limits.get(replicas.get(i).id());
            if (limit != null && !limit.hasRoom()) {
                full++;
            }
        }
        if (full > 0 && replicas.size() - full < policy.ack()) {
            refusedCalls.increment();
            throw new OverloadedException("overloaded: of " + replicas.size() + " replicas " + full
                    + " have too many requests of this node to answer");
        }
    }

    /** Whether a node has so little to answer that it may be asked for work which can wait. */
    public boolean isQuiet(NodeId node) {
        PeerLimit limit = limits.get(node);
        return limit == null || limit.isQuiet();
    }

    /** How many calls were refused since too few replicas had room for them. */
    public long refusedCalls() {
        return refusedCalls.sum();
    }

    /** How many requests were not sent since too many to the same node were outstanding. */
    public long refusedRequests() {
        return limits.values().stream().mapToLong(PeerLimit::refused).sum();
    }
}
