package io.dht4j.core.internal.coordinator.read;

import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.ReadFanOut;
import io.dht4j.ReplicationPolicy;
import io.dht4j.core.internal.coordinator.config.NodeComponents;
import io.dht4j.core.internal.coordinator.quorum.CallPolicy;
import io.dht4j.core.internal.observation.HotKeyCounter;
import io.dht4j.core.internal.observation.HotKeyWindow;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.view.ReplicaSlot;
import io.dht4j.spi.Store;
import java.util.List;
import java.util.Optional;

/**
 * Reads from this node's memory alone. This is possible if one answer is enough, this node is a replica, and its store
 * has the answer in memory. Such a read needs no request and counts no answers. Does not block; safe for use by any
 * number of threads.
 */
public final class LocalFastRead {

    private final NodeComponents components;
    private final boolean answersAlone;
    private final HotKeyCounter hotKeys;

    /**
     * Creates the local reads of a node.
     *
     * @param components the components of the node
     * @param fanOut how many replicas a read asks
     * @param hotKeys counts the keys of reads on demand
     */
    public LocalFastRead(NodeComponents components, ReadFanOut fanOut, HotKeyCounter hotKeys) {
        this.components = components;
        this.hotKeys = hotKeys;
        this.answersAlone = components.isNode() && fanOut == ReadFanOut.ENOUGH;
    }

    /**
     * Reads a key from memory.
     *
     * @param key the key
     * @param policy the policy of the read
     * @return the entry of the store; empty if an ordinary read is needed, which asks others or reports a failed store
     */
    public Optional<Store.Held> read(Key key, CallPolicy policy) {
        if (!answersAlone) {
            return Optional.empty();
        }
        ClusterView view = components.view();
        ReplicationPolicy needed = policy.in(view, key);
        if (needed.ack() > 1 || !mayAnswerAlone(view, key, needed.from())) {
            return Optional.empty();
        }
        try {
            Optional<Store.Held> held = components.store().getFromMemory(key);
            // This node may have ceased to be a replica while it read.
            return isCurrent(view, key) ? counted(key, held) : Optional.empty();
        } catch (RuntimeException | Error e) {
            // The ordinary read meets it again, reports it, and asks other replicas.
            return Optional.empty();
        }
    }

    private Optional<Store.Held> counted(Key key, Optional<Store.Held> held) {
        HotKeyWindow window = hotKeys.window();
        // A key that is not in memory is read again, by a request.
        if (window != null && held.isPresent()) {
            window.read(key, held.get().entry());
        }
        return held;
    }

    private boolean isCurrent(ClusterView view, Key key) {
        ClusterView now = components.view();
        if (now.epoch() == view.epoch()) {
            return true;
        }
        int partition = view.partitionOf(key);
        return now.rowVersion(partition) == view.rowVersion(partition);
    }

    /** Returns whether the answer of this node is one of a slot, and enough for a read. */
    private boolean mayAnswerAlone(ClusterView view, Key key, int from) {
        Optional<ReplicaSlot> moving = view.movingSlot(key, from);
        if (moving.isPresent() && moving.get().isOf(components.self())) {
            // If it is the only slot, its other node must hold the same entry.
            return from > 1 && moving.get().reader().filter(this::isSelf).isPresent();
        }
        List<Node> replicas = view.replicas(key, from);
        for (int i = 0; i < replicas.size(); i++) {
            if (isSelf(replicas.get(i))) {
                return true;
            }
        }
        return false;
    }

    private boolean isSelf(Node node) {
        return node.id().equals(components.self());
    }
}
