package io.dht4j;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;

/**
 * A call that took long, and how its time was spent as far as its node knows. It names no key. Immutable.
 *
 * @param ended when it ended, by the clock of the node
 * @param kind the kind of call, such as {@code PUT}
 * @param outcome {@code SUCCESS}, {@code CANCELLED} or the name of the error
 * @param took how long it took
 * @param keyHash the hash of its key by the hash function of the cluster, of an atomic key with its map; empty for a
 *     batch, a scan or a snapshot
 * @param keys how many keys it had; 0 for a scan or a snapshot
 * @param replicas the replicas of its key when it ended; empty without a key
 * @param requests its requests to replicas in the order in which they began, the first {@value #MOST_REQUESTS} of them;
 *     empty for opening or closing a snapshot
 */
public record SlowCall(
        Instant ended,
        String kind,
        String outcome,
        Duration took,
        OptionalLong keyHash,
        int keys,
        List<NodeId> replicas,
        List<Request> requests) {

    /** The most requests that are kept of a call. */
    public static final int MOST_REQUESTS = 16;

    /** Keeps copies of the lists. */
    public SlowCall {
        replicas = List.copyOf(replicas);
        requests = List.copyOf(requests);
    }

    /**
     * A request of a slow call.
     *
     * @param node the replica, which may be the node itself
     * @param kind the kind of request, such as {@code WRITE}
     * @param outcome {@code PENDING} if it had not ended with the call; else as that of a call
     * @param after how long after the call it began
     * @param took how long it took, at most until the end of the call
     */
    public record Request(NodeId node, String kind, String outcome, Duration after, Duration took) {}
}
