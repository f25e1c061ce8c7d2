package io.dht4j.core;

import java.time.Duration;

/**
 * Hinted handoff: what a replica missed of a write is kept by the node that coordinated it, and handed over when the
 * replica answers again. A hint never counts towards {@code ack}. Immutable.
 *
 * @param enabled whether anything is kept
 * @param maxAge how old a hint may become before it is dropped, 1 second to 30 days; a replica that is away for longer
 *     catches up by repair
 * @param bytesPerSecond how much is handed over to a node at most, 16 KiB to 1 GiB per second
 */
public record HintedHandoff(boolean enabled, Duration maxAge, long bytesPerSecond) {

    private static final Duration MIN_AGE = Duration.ofSeconds(1);
    private static final Duration MAX_AGE = Duration.ofDays(30);
    private static final long MIN_RATE = 16L << 10;
    private static final long MAX_RATE = 1L << 30;

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException if one is out of its range
     */
    public HintedHandoff {
        if (maxAge.compareTo(MIN_AGE) < 0 || maxAge.compareTo(MAX_AGE) > 0) {
            throw new IllegalArgumentException("maxAge must be " + MIN_AGE + " to " + MAX_AGE + ", not " + maxAge);
        }
        if (bytesPerSecond < MIN_RATE || bytesPerSecond > MAX_RATE) {
            throw new IllegalArgumentException(
                    "bytesPerSecond must be " + MIN_RATE + " to " + MAX_RATE + ", not " + bytesPerSecond);
        }
    }

    /**
     * On, for three hours and 16 MiB per second.
     *
     * @return the default
     */
    public static HintedHandoff on() {
        return new HintedHandoff(true, Duration.ofHours(3), 16L << 20);
    }

    /**
     * Nothing is kept.
     *
     * @return off
     */
    public static HintedHandoff off() {
        HintedHandoff on = on();
        return new HintedHandoff(false, on.maxAge, on.bytesPerSecond);
    }
}
