package io.dht4j.core.internal.membership.agreed;

import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Measures how long the topology log has had no leader. Safe for use by any number of threads. */
final class Leaderless {

    /** Longer than an election among voters that reach each other. */
    private static final Duration ELECTION = Duration.ofSeconds(30);
    /** Between two calls that are further apart, there may have been a leader. */
    private static final Duration MEMORY = Duration.ofMinutes(3);

    private final LongSupplier nanoTime;
    // Guarded by this.
    private OptionalLong sinceNanos = OptionalLong.empty();
    private long lookedNanos;

    /**
     * Creates a measurement that has not begun.
     *
     * @param nanoTime the monotonic time in nanoseconds
     */
    Leaderless(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /**
     * Records whether there is a leader.
     *
     * @param leads whether a node leads now
     * @return the seconds until an electable node would have been elected; 0 if that time is over
     */
    synchronized long secondsLeft(boolean leads) {
        long now = nanoTime.getAsLong();
        if (leads) {
            sinceNanos = OptionalLong.empty();
        } else if (sinceNanos.isEmpty() || now - lookedNanos > MEMORY.toNanos()) {
            sinceNanos = OptionalLong.of(now);
        }
        lookedNanos = now;
        long left = ELECTION.toNanos() - (now - sinceNanos.orElse(now));
        return Math.max(0, TimeUnit.NANOSECONDS.toSeconds(left + TimeUnit.SECONDS.toNanos(1) - 1));
    }
}
