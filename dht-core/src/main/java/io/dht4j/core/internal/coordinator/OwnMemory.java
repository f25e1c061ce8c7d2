package io.dht4j.core.internal.coordinator;

import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.ReadFanOut;
import io.dht4j.ReplicationPolicy;
import io.dht4j.spi.Entry;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads that this node's own memory answers by itself: one answer is enough, this node is a replica, and its store makes no caller
 * wait. They need neither a request nor anything that counts answers. Safe for use by any number of threads.
 */
final class OwnMemory {

    private static final Logger LOG = LoggerFactory.getLogger(OwnMemory.class);

    private final Parts parts;
    private final boolean answersAlone;

    OwnMemory(Parts parts, ReadFanOut fanOut) {
        this.parts = parts;
        this.answersAlone = parts.store().isMemoryFast() && fanOut == ReadFanOut.ENOUGH;
    }

    /** What it holds for a key. */
    record Held(Optional<Entry> entry) {}

    /** What it holds, or nothing if a read of this policy must ask others too, or this node's store cannot tell. */
    Optional<Held> read(Key key, ReplicationPolicy policy) {
        if (!answersAlone || policy.ack() > 1 || !isReplica(parts.replicas(key, policy.from()))) {
            return Optional.empty();
        }
        try {
            return Optional.of(new Held(parts.store().get(key)));
        } catch (RuntimeException e) {
            LOG.warn("this node's store failed; asking the other replicas too", e);
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
