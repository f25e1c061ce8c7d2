package io.dht4j;

import java.time.Duration;

/**
 * The delay after which a read that still waits for an answer asks one more replica. Hedging hides a slow replica at
 * the cost of additional requests. It is off by default, and shares its budget with retries. Source: J. Dean and L.
 * Barroso, <em>The Tail at Scale</em>, 2013. Immutable.
 */
public sealed interface Hedging {

    /** No hedging, except for replicas that a failure detector suspects. */
    record Off() implements Hedging {}

    /**
     * Hedging after a fixed time.
     *
     * @param delay 1 millisecond to 1 hour; a shorter delay hides slow replicas better and sends more requests
     */
    record After(Duration delay) implements Hedging {

        private static final Duration MIN = Duration.ofMillis(1);
        private static final Duration MAX = Duration.ofHours(1);

        /**
         * Checks the range.
         *
         * @throws IllegalArgumentException if the delay is out of range
         */
        public After {
            Ranges.require("hedge delay", delay, MIN, MAX);
        }
    }

    /**
     * Hedging after a percentile of the recent response times of replicas. The delay follows the load: reads do not
     * hedge more often when all replicas are slow.
     *
     * @param percentile 50 to 99.9
     */
    record AtPercentile(double percentile) implements Hedging {

        private static final double MIN = 50;
        private static final double MAX = 99.9;

        /**
         * Checks the range.
         *
         * @throws IllegalArgumentException if the percentile is out of range
         */
        public AtPercentile {
            Ranges.require("hedge percentile", percentile, MIN, MAX);
        }
    }

    /**
     * Returns the default, under which reads do not hedge.
     *
     * @return the default
     */
    static Hedging off() {
        return new Off();
    }

    /**
     * Returns hedging after a fixed time. A read asks another replica each time the delay has passed again.
     *
     * @param delay 1 millisecond to 1 hour
     * @return hedging with this delay
     * @throws IllegalArgumentException if it is out of range
     */
    static Hedging after(Duration delay) {
        return new After(delay);
    }

    /**
     * Returns hedging after a percentile of the recent response times.
     *
     * @param percentile 50 to 99.9; with 95, one read in twenty hedges
     * @return hedging at this percentile
     * @throws IllegalArgumentException if it is out of range
     */
    static Hedging atPercentile(double percentile) {
        return new AtPercentile(percentile);
    }
}
