package io.dht4j.core;

import io.dht4j.core.internal.admission.BudgetLimits;
import io.dht4j.core.internal.admission.OverloadLimits;
import io.dht4j.core.internal.admission.PeerLimits;
import io.dht4j.core.internal.admission.QueueLimits;
import java.time.Duration;

/**
 * How a node keeps working when more is asked of it than it can do. Immutable. Limits on the number and the bytes of
 * what is under way are the builder's own, see {@link ClusterBuilder#maxInFlight} and
 * {@link ClusterBuilder#maxInFlightBytes}.
 *
 * @param standingAfter when the queue before the store has not been empty for longer, it is standing, 1 millisecond to
 *     1 hour
 * @param standingAge how long a request may wait in a standing queue, 1 millisecond to 1 hour; what has waited for
 *     longer is dropped
 * @param minPeerRequests the limit of requests outstanding to one node never falls below, 1 to {@code maxPeerRequests}
 * @param maxPeerRequests where that limit begins and what it never exceeds, up to 1,000,000; the same as the minimum
 *     for a fixed one
 * @param slowReply a reply that takes so much longer than the quickest of the last minutes makes the limit fall, 1
 *     millisecond to 1 hour
 * @param retryShare how many requests may be made a second time, retries and hedges together, as a part of all, 0 to 1
 * @param retriesPerSecond how many may besides, so that a node with little to do can help itself, 0 to 1,000,000
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
     * 500 milliseconds in queues that have not been empty for a second; 64 to 10,000 requests outstanding to a node,
     * fewer when replies take 250 milliseconds longer than the quickest; retries and hedges for a tenth of the requests
     * and 10 per second.
     *
     * @return the default
     */
    public static OverloadProtection defaults() {
        return DEFAULTS;
    }

    /**
     * The same with other limits of what waits for the store.
     *
     * @param after a queue that has not been empty for longer is standing, 1 millisecond to 1 hour
     * @param age how long a request may wait in a standing queue, 1 millisecond to 1 hour
     * @return new options
     * @throws IllegalArgumentException if one is out of its range
     */
    public OverloadProtection withQueueAges(Duration after, Duration age) {
        return new OverloadProtection(
                after, age, minPeerRequests, maxPeerRequests, slowReply, retryShare, retriesPerSecond);
    }

    /**
     * The same with other bounds of the requests outstanding to a node.
     *
     * @param min 1 to {@code max}
     * @param max up to 1,000,000
     * @param slow a reply that takes so much longer than the quickest of the last minutes makes the limit fall, 1
     *     millisecond to 1 hour
     * @return new options
     * @throws IllegalArgumentException if one is out of its range
     */
    public OverloadProtection withPeerRequests(int min, int max, Duration slow) {
        return new OverloadProtection(standingAfter, standingAge, min, max, slow, retryShare, retriesPerSecond);
    }

    /**
     * The same with another budget of retries and hedges.
     *
     * @param share of all requests, 0 to 1
     * @param perSecond besides, 0 to 1,000,000
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
