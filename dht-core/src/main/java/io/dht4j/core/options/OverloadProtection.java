package io.dht4j.core.options;

import io.dht4j.Ranges;
import java.time.Duration;

/**
 * Limits that keep a node working under overload. {@link NodeOptions#maxInFlight} and
 * {@link NodeOptions#maxInFlightBytes} limit the number and the bytes of calls in flight. Immutable.
 *
 * @param queue how long requests may wait for the store
 * @param peers how many requests to one node may be outstanding
 * @param retries how many requests may be sent a second time
 */
public record OverloadProtection(QueueAges queue, PeerRequests peers, Retries retries) {

    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration LONGEST = Duration.ofHours(1);
    private static final int MOST = 1_000_000;

    private static final OverloadProtection DEFAULTS = new OverloadProtection(
            new QueueAges(Duration.ofSeconds(1), Duration.ofMillis(500)),
            new PeerRequests(64, 10_000, Duration.ofMillis(250)),
            new Retries(0.1, 10));

    /**
     * How long requests may wait for the store.
     *
     * @param standingAfter a queue before the store is standing when it has not been empty for this time, 1 millisecond
     *     to 1 hour
     * @param standingAge the longest wait of a request in a standing queue, 1 millisecond to 1 hour; older requests are
     *     dropped
     */
    public record QueueAges(Duration standingAfter, Duration standingAge) {

        /**
         * Checks the ranges.
         *
         * @throws IllegalArgumentException if one is out of its range
         */
        public QueueAges {
            Ranges.require("standingAfter", standingAfter, SHORTEST, LONGEST);
            Ranges.require("standingAge", standingAge, SHORTEST, LONGEST);
        }
    }

    /**
     * How many requests to one node may be outstanding.
     *
     * @param min the smallest limit, 1 to {@code max}
     * @param max the initial and the largest limit, up to 1,000,000; equal to the minimum for a fixed limit
     * @param slowReply a reply that takes this much longer than the quickest of the last minutes lowers the limit, 1
     *     millisecond to 1 hour
     */
    public record PeerRequests(int min, int max, Duration slowReply) {

        /**
         * Checks the ranges.
         *
         * @throws IllegalArgumentException if one is out of its range
         */
        public PeerRequests {
            Ranges.require("maxPeerRequests", max, 1, MOST);
            Ranges.require("minPeerRequests", min, 1, max);
            Ranges.require("slowReply", slowReply, SHORTEST, LONGEST);
        }
    }

    /**
     * How many requests may be sent a second time, as retries or hedges.
     *
     * @param share the share of all requests, 0 to 1
     * @param perSecond the additional number per second, for nodes under low load, 0 to 1,000,000
     */
    public record Retries(double share, int perSecond) {

        /**
         * Checks the ranges.
         *
         * @throws IllegalArgumentException if one is out of its range
         */
        public Retries {
            Ranges.require("retryShare", share, 0.0, 1.0);
            Ranges.require("retriesPerSecond", perSecond, 0, MOST);
        }
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
     * @param after see {@link QueueAges}
     * @param age see {@link QueueAges}
     * @return new options
     * @throws IllegalArgumentException if one is out of its range
     */
    public OverloadProtection withQueueAges(Duration after, Duration age) {
        return new OverloadProtection(new QueueAges(after, age), peers, retries);
    }

    /**
     * Returns these options with other bounds of the outstanding requests to a node.
     *
     * @param min see {@link PeerRequests}
     * @param max see {@link PeerRequests}
     * @param slow see {@link PeerRequests}
     * @return new options
     * @throws IllegalArgumentException if one is out of its range
     */
    public OverloadProtection withPeerRequests(int min, int max, Duration slow) {
        return new OverloadProtection(queue, new PeerRequests(min, max, slow), retries);
    }

    /**
     * Returns these options with another budget of retries and hedges.
     *
     * @param share see {@link Retries}
     * @param perSecond see {@link Retries}
     * @return new options
     * @throws IllegalArgumentException if one is out of its range
     */
    public OverloadProtection withRetries(double share, int perSecond) {
        return new OverloadProtection(queue, peers, new Retries(share, perSecond));
    }
}
