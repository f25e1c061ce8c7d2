package io.dht4j;

import java.time.Duration;

/**
 * When a read that still waits for an answer asks one more replica. It hides a slow replica and costs the others a
 * request, so it is off by default, and spends from the same budget as retries do. See J. Dean and L. Barroso, <em>The
 * Tail at Scale</em>, 2013. Immutable.
 */
public sealed interface Hedging {

    /** Never; but for replicas that a failure detector suspects. */
    record Off() implements Hedging {}

    /**
     * After a fixed time.
     *
     * @param delay 1 millisecond to 1 hour; shorter ones hide slow replicas better and ask more of the others
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
            if (delay.compareTo(MIN) < 0 || delay.compareTo(MAX) > 0) {
                throw new IllegalArgumentException("hedge delay must be " + MIN + " to " + MAX + ", not " + delay);
            }
        }
    }

    /**
     * After the time in which so many of a hundred requests to replicas were answered lately. It follows the load:
     * reads hedge no more often when all replicas are slow.
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
            if (!(percentile >= MIN && percentile <= MAX)) {
                throw new IllegalArgumentException(
                        "hedge percentile must be " + MIN + " to " + MAX + ", not " + percentile);
            }
        }
    }

    /**
     * Reads do not hedge.
     *
     * @return the default
     */
    static Hedging off() {
        return new Off();
    }

    /**
     * Reads ask one more replica after a fixed time, and another one each time that it has passed again.
     *
     * @param delay 1 millisecond to 1 hour
     * @return hedging after it
     * @throws IllegalArgumentException if it is out of range
     */
    static Hedging after(Duration delay) {
        return new After(delay);
    }

    /**
     * Reads ask one more replica when an answer takes longer than most did lately.
     *
     * @param percentile 50 to 99.9, as in 95: one read in twenty hedges
     * @return hedging at it
     * @throws IllegalArgumentException if it is out of range
     */
    static Hedging atPercentile(double percentile) {
        return new AtPercentile(percentile);
    }
}
