package io.dht4j.core;

import io.dht4j.Ranges;
import io.dht4j.core.internal.detection.NoDetector;
import io.dht4j.core.internal.detection.SilenceDetector;
import io.dht4j.spi.FailureDetector;
import java.time.Duration;

/** Creates failure detectors. Each node needs its own instance. */
public final class FailureDetectors {

    private static final Duration SHORTEST = Duration.ofMillis(10);
    private static final Duration LONGEST = Duration.ofMinutes(1);

    private FailureDetectors() {}

    /**
     * Returns a detector that suspects a node that has not answered any request for a while, or cannot be reached,
     * until it answers again.
     *
     * @param patience how long a node may be silent, 10 ms to 1 minute; longer than usual pauses
     * @return a new detector
     * @throws IllegalArgumentException if it is out of range
     */
    public static FailureDetector silence(Duration patience) {
        Ranges.require("patience", patience, SHORTEST, LONGEST);
        return new SilenceDetector(patience);
    }

    /**
     * Returns a detector that suspects no node.
     *
     * @return a new detector
     */
    public static FailureDetector none() {
        return new NoDetector();
    }
}
