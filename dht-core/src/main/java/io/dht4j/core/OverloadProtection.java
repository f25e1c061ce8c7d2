package io.dht4j.core;

import io.dht4j.core.internal.admission.BudgetLimits;
import io.dht4j.core.internal.admission.OverloadLimits;
import io.dht4j.core.internal.admission.PeerLimits;
import io.dht4j.core.internal.admission.QueueLimits;
import java.time.Duration;

/**
 * Limits that keep a node working under overload. {@link ClusterBuilder#maxInFlight} and
 * {@link ClusterBuilder#maxInFlightBytes} limit the number and the bytes of calls in flight. Immutable.
 *
 * @param standingAfter a queue before the store is standing when it has not been empty for this time, 1 millisecond to
 *     1 hour
 * @param standingAge the longest wait of a request in a standing queue, 1 millisecond to 1 hour; older requests are
 *     dropped
 * @param minPeerRequests the smallest limit of outstanding requests to one node, 1 to {@code maxPeerRequests}
 * @param maxPeerRequests the initial and the largest limit of outstanding requests to one node, up to 1,000,000; equal
 *     to the minimum for a fixed limit
 * @param slowReply a reply that takes this much longer than the quickest of the last minutes lowers the limit, 1
 *     millisecond to 1 hour
 * @param retryShare the share of all requests that may be sent again, as retries or hedges, 0 to 1
 * @param retriesPerSecond the additional retries and hedges per second, for nodes under low load, 0 to 1,000,000
 */
public record OverloadProtection(
        Duration standingAfter,
        Duration standingAge,
        int minPeerRequests,
        int maxPeerRequests,
        Duration slowReply,
        double retryShare,
        int retriesPerSecond) {

    private static final Duration MIN = Duration.ofMillis(1);
    private static final Duration MAX = Duration.ofHours(1);
    private static final int MOST = 1_000_000;

    private static final OverloadProtection DEFAULTS = new OverloadProtection(
            Duration.ofSeconds(1), Duration.ofMillis(500), 64, 10_000, Duration.ofMillis(250), 0.1, 10);

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException if one is out of its range
     */
    public OverloadProtection {
        requireRange("standingAfter", standingAfter, MIN, MAX);
        requireRange("standingAge", standingAge, MIN, MAX);
        requireRange("maxPeerRequests", maxPeerRequests, 1, MOST);
        requireRange("minPeerRequests", minPeerRequests, 1, maxPeerRequests);
        requireRange("slowReply", slowReply, MIN, MAX);
        if (!(retryShare >= 0 && retryShare <= 1)) {
            throw new IllegalArgumentException("retryShare must be 0 to 1, not " + retryShare);
        }
        requireRange("retriesPerSecond", retriesPerSecond, 0, MOST);
    }

    /**
     * Returns the defaults. Requests wait at most 500 milliseconds in queues that have not been empty for a second. 64
     * to 10,000 requests may be outstanding to a node, fewer when replies take 250 milliseconds longer than the
     * quickest. Retries and hedges are limited to a tenth of the requests plus 10 per second.
     *
     * @return the defaults
     */
    public static OverloadProtection defaults() {
        return DEFAULTS;
    }

    /**
     * Returns these options with other limits of the queue before the store.
     *
     * @param after a queue is standing when it has not been empty for this time, 1 millisecond to 1 hour
     * @param age the longest wait of a request in a standing queue, 1 millisecond to 1 hour
     * @return new options
     * @throws IllegalArgumentException if one is out of its range
     */
    public OverloadProtection withQueueAges(Duration after, Duration age) {
        return new OverloadProtection(
                after, age, minPeerRequests, maxPeerRequests, slowReply, retryShare, retriesPerSecond);
    }

    /**
     * Returns these options with other bounds of the outstanding requests to a node.
     *
     * @param min 1 to {@code max}
     * @param max up to 1,000,000
     * @param slow a reply that takes this much longer than the quickest of the last minutes lowers the limit, 1
     *     millisecond to 1 hour
     * @return new options
     * @throws IllegalArgumentException if one is out of its range
     */
    public OverloadProtection withPeerRequests(int min, int max, Duration slow) {
        return new OverloadProtection(standingAfter, standingAge, min, max, slow, retryShare, retriesPerSecond);
    }

    /**
     * Returns these options with another budget of retries and hedges.
     *
     * @param share the share of all requests, 0 to 1
     * @param perSecond the additional number per second, 0 to 1,000,000
     * @return new options
     * @throws IllegalArgumentException if one is out of its range
     */
    public OverloadProtection withRetries(double share, int perSecond) {
        return new OverloadProtection(
                standingAfter, standingAge, minPeerRequests, maxPeerRequests, slowReply, share, perSecond);
    }

    OverloadLimits limits() {
        return new OverloadLimits(
                new QueueLimits(standingAfter.toNanos(), standingAge.toNanos()),
                new PeerLimits(minPeerRequests, maxPeerRequests, slowReply.toNanos()),
                new BudgetLimits(retryShare, retriesPerSecond));
    }

    private static void requireRange(String option, Duration value, Duration min, Duration max) {
        if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
            throw new IllegalArgumentException(option + " must be " + min + " to " + max + ", not " + value);
        }
    }

    private static void requireRange(String option, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(option + " must be " + min + " to " + max + ", not " + value);
        }
    }
}
