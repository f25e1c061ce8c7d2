package io.dht4j.core.internal.coordinator.read;

import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.ReadFanOut;
import io.dht4j.ReplicationPolicy;
import io.dht4j.core.internal.coordinator.config.NodeComponents;
import io.dht4j.spi.Store;
import java.util.List;
import java.util.Optional;

/**
 * Reads that this node's own memory answers by itself: one answer is enough, this node is a replica, and its store can
 * tell without making the caller wait. They need neither a request nor anything that counts answers. Safe for use by
 * any number of threads.
 */
public final class LocalFastRead {

    private final NodeComponents parts;
    private final boolean answersAlone;

    public LocalFastRead(NodeComponents parts, ReadFanOut fanOut) {
        this.parts = parts;
        this.answersAlone = parts.isNode() && fanOut == ReadFanOut.ENOUGH;
    }

    /**
     * Returns the entry that memory holds, or nothing if an ordinary read is needed: one that asks others, or that says
     * why the store cannot tell.
     */
    public Optional<Store.Held> read(Key key, ReplicationPolicy policy) {
        if (!answersAlone || policy.ack() > 1 || !isReplica(parts.replicas(key, policy.from()))) {
            return Optional.empty();
        }
        try {
            return parts.store().getFromMemory(key);
        } catch (RuntimeException | Error e) {
            // The ordinary read meets it again, reports it, and asks other replicas.
            return Optional.empty();
        }
    }

    private boolean isReplica(List<Node> replicas) {
        for (int i = 0; i < replicas.size(); i++) {
            if (replicas.get(i).id().equals(parts.self())) {
                return true;
            }
        }
        return false;
    }
}
