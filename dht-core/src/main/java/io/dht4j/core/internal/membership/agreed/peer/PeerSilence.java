package io.dht4j.core.internal.membership.agreed.peer;

import io.dht4j.NodeId;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * Measures how long members have not answered requests about membership. A silence begins with the first request that
 * fails, so that a node without requests is not silent. An answer of a process outside the cluster at the member's
 * address does not end the silence; neither does an invalid answer. Also holds the last time at which any node has
 * heard a member, as reported by others. Safe for use by any number of threads.
 */
public final class PeerSilence {

    private final LongSupplier nanoTime;
    /** Bounded by the number of members, and of nodes that are asked for a state. */
    private final Map<NodeId, Seen> nodes = new ConcurrentHashMap<>();

    /**
     * The calls to a node, by the monotonic time.
     *
     * @param failedFirst the first failure since the last answer
     * @param failedLast the last failure since the last answer
     * @param asked the end of the last call
     * @param heard the last time that this node or another one has heard it
     */
    private record Seen(
            Optional<Long> failedFirst, Optional<Long> failedLast, Optional<Long> asked, Optional<Long> heard) {

        static final Seen NOTHING = new Seen(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
    }

    PeerSilence(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    void answered(NodeId node) {
        Optional<Long> now = Optional.of(nanoTime.getAsLong());
        nodes.put(node, new Seen(Optional.empty(), Optional.empty(), now, now));
    }

    void failed(NodeId node) {
        Optional<Long> now = Optional.of(nanoTime.getAsLong());
        nodes.compute(node, (any, before) -> {
            Seen seen = before == null ? Seen.NOTHING : before;
            return new Seen(seen.failedFirst().or(() -> now), now, now, seen.heard());
        });
    }

    /** Records the report of another node about the time when it last heard a member. */
    public void heardByOthers(NodeId node, Duration ago) {
        long reported = nanoTime.getAsLong() - ago.toNanos();
        nodes.compute(node, (any, before) -> {
            Seen seen = before == null ? Seen.NOTHING : before;
            boolean isNewer =
                    seen.heard().filter(known -> known - reported >= 0).isEmpty();
            return isNewer
                    ? new Seen(seen.failedFirst(), seen.failedLast(), seen.asked(), Optional.of(reported))
                    : seen;
        });
    }

    /** Returns how long a node has been silent; empty if it answers, or was sent no request. */
    public Optional<Duration> of(NodeId node) {
        return seen(node).failedFirst().map(this::since);
    }

    /** Returns how long ago a node was last heard, by this node or another one; empty if that is not known. */
    public Optional<Duration> heard(NodeId node) {
        return seen(node).heard().map(this::since);
    }

    /** Returns how long ago the last call to a node has ended; empty if there was none. */
    public Optional<Duration> asked(NodeId node) {
        return seen(node).asked().map(this::since);
    }

    /** Returns whether the last call to a node has failed within a time. */
    public boolean fails(NodeId node, Duration atMost) {
        return seen(node)
                .failedLast()
                .filter(last -> since(last).compareTo(atMost) <= 0)
                .isPresent();
    }

    /** Forgets all nodes but some. */
    public void retain(Set<NodeId> some) {
        nodes.keySet().retainAll(some);
    }

    private Seen seen(NodeId node) {
        return nodes.getOrDefault(node, Seen.NOTHING);
    }

    private Duration since(long nanos) {
        return Duration.ofNanos(nanoTime.getAsLong() - nanos);
    }
}
