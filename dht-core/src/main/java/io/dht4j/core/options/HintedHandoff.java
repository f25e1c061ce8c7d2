package io.dht4j.core.options;

import io.dht4j.Ranges;
import java.time.Duration;

/**
 * Hinted handoff: the coordinator of a write keeps the entries that a replica missed as hints, and delivers them when
 * the replica answers again. A hint never counts towards {@code ack}. Immutable.
 *
 * @param enabled whether hints are kept
 * @param maxAge the age at which a hint is dropped, 1 second to 30 days; a replica that is away for longer catches up
 *     by repair
 * @param bytesPerSecond the largest delivery rate to a node, 16 KiB to 1 GiB per second
 */
public record HintedHandoff(boolean enabled, Duration maxAge, long bytesPerSecond) {

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException if one is out of its range
     */
    public HintedHandoff {
        Ranges.require("maxAge", maxAge, Duration.ofSeconds(1), Duration.ofDays(30));
        Ranges.require("bytesPerSecond", bytesPerSecond, 16L << 10, 1L << 30);
    }

    /**
     * Returns the default: three hours and 16 MiB per second.
     *
     * @return the default
     */
    public static HintedHandoff on() {
        return new HintedHandoff(true, Duration.ofHours(3), 16L << 20);
    }

    /**
     * Returns options under which no hints are kept.
     *
     * @return disabled hinted handoff
     */
    public static HintedHandoff off() {
        HintedHandoff on = on();
        return new HintedHandoff(false, on.maxAge, on.bytesPerSecond);
    }
}
