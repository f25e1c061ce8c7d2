package io.dht4j.core.internal.membership.agreed.peer;

import io.dht4j.NodeId;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * For how long members have not answered requests about membership. A silence begins with the first request that fails,
 * so that a node of which nothing was asked is not silent. Whoever answers at the address of a member, and does not
 * belong to the cluster or sends what is no answer, does not end its silence. Safe for use by any number of threads.
 */
public final class PeerSilence {

    private final LongSupplier nanoTime;
    /** The time of the first failure since the last answer. Bounded by the number of nodes that are asked. */
    private final Map<NodeId, Long> begun = new ConcurrentHashMap<>();

    PeerSilence(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    void answered(NodeId node) {
        begun.remove(node);
    }

    void failed(NodeId node) {
        begun.computeIfAbsent(node, any -> nanoTime.getAsLong());
    }

    /** Returns for how long a node has been silent; empty if it answers, or nothing was asked of it. */
    public Optional<Duration> of(NodeId node) {
        return Optional.ofNullable(begun.get(node)).map(since -> Duration.ofNanos(nanoTime.getAsLong() - since));
    }
}
