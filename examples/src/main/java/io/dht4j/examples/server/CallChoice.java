package io.dht4j.examples.server;

import io.dht4j.ReadFanOut;
import java.time.Duration;

/**
 * How requests are carried out.
 *
 * @param reads which replicas a read asks
 * @param timeout how long a request may take
 * @param maxValueBytes the largest value
 */
public record CallChoice(ReadFanOut reads, Duration timeout, int maxValueBytes) {

    /** The longest timeout in milliseconds. */
    static final int LONGEST_MILLIS = 3_600_000;

    /** The largest value that may be configured: 512 MiB, for a frame holds it and more. */
    static final int LARGEST_VALUE = 512 << 20;

    static CallChoice of(Given given) throws ConfigException {
        return new CallChoice(
                given.choice(Setting.READS, ReadFanOut.class),
                Duration.ofMillis(given.number(Setting.TIMEOUT, 1, LONGEST_MILLIS)),
                given.number(Setting.MAX_VALUE_BYTES, 1, LARGEST_VALUE));
    }
}
