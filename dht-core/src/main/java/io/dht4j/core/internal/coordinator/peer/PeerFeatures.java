package io.dht4j.core.internal.coordinator.peer;

import io.dht4j.ErrorCode;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.core.internal.wire.Reply;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;

/**
 * Learns which optional fields of frames the other nodes read, so that nodes of earlier releases are sent none of them.
 * The first request with such a field asks the node; the field is left out until the node has answered. A node may
 * restart with another version. So its features are forgotten when a frame to it fails, and a node that does not read a
 * field is asked again every minute. Does not block; safe for use by any number of threads.
 */
final class PeerFeatures {

    private static final long ASK_AGAIN_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final long AFTER_FAILURE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final LongSupplier nanoTime;
    private final BiConsumer<Node, ReplyHandler> ask;
    private final ConcurrentMap<NodeId, Known> nodes = new ConcurrentHashMap<>();

    /**
     * The known features of a node.
     *
     * @param readsTraces whether it reads trace contexts
     * @param askAgainNanos the monotonic clock when it is asked again, if it does not
     */
    private record Known(boolean readsTraces, long askAgainNanos) {}

    /**
     * Creates an object without known features.
     *
     * @param nanoTime the monotonic clock
     * @param ask asks a node which fields it reads, and does not throw
     */
    PeerFeatures(LongSupplier nanoTime, BiConsumer<Node, ReplyHandler> ask) {
        this.nanoTime = nanoTime;
        this.ask = ask;
    }

    /** Returns whether a node is known to read trace contexts; otherwise it is asked, but not with every request. */
    boolean readsTraces(Node node) {
        Known known = nodes.get(node.id());
        if (known != null && known.readsTraces()) {
            return true;
        }
        long now = nanoTime.getAsLong();
        if (known == null || now - known.askAgainNanos() >= 0) {
            Known asked = new Known(false, now + ASK_AGAIN_NANOS);
            boolean isFirst = known == null
                    ? nodes.putIfAbsent(node.id(), asked) == null
                    : nodes.replace(node.id(), known, asked);
            if (isFirst) {
                ask.accept(
                        node,
                        ReplyHandler.of(
                                reply -> replied(node.id(), reply), failure -> failed(node.id(), failure.code())));
            }
        }
        return false;
    }

    private void replied(NodeId node, Reply reply) {
        boolean readsTraces = reply instanceof Reply.Features features && features.readsTraces();
        nodes.put(node, new Known(readsTraces, nanoTime.getAsLong() + ASK_AGAIN_NANOS));
    }

    /** An earlier version does not know the question; any other failure is inconclusive. */
    private void failed(NodeId node, ErrorCode code) {
        long pause = code == ErrorCode.MALFORMED_FRAME ? ASK_AGAIN_NANOS : AFTER_FAILURE_NANOS;
        nodes.put(node, new Known(false, nanoTime.getAsLong() + pause));
    }

    /** Records that a node has refused a frame because of a field. */
    void refused(NodeId node) {
        failed(node, ErrorCode.MALFORMED_FRAME);
    }

    /** Forgets a node to which a frame has failed, and which may come back as another version. */
    void forget(NodeId node) {
        if (!nodes.isEmpty()) {
            nodes.computeIfPresent(node, (id, known) -> known.readsTraces() ? null : known);
        }
    }

    /** Forgets all other nodes. */
    void retain(Set<NodeId> remaining) {
        nodes.keySet().retainAll(remaining);
    }
}
