package io.dht4j.topology.microraft;

import io.dht4j.spi.Environment;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.TimeUnit;

/**
 * Adapts the monotonic time of an environment to the clock of MicroRaft. It begins at a value that makes 0 lie in the
 * distant past.
 */
final class MonotonicClock extends Clock {

    private static final long START_MILLIS = 1L << 32;

    private final Environment environment;
    private final long startNanos;

    MonotonicClock(Environment environment) {
        this.environment = environment;
        this.startNanos = environment.nanoTime();
    }

    @Override
    public long millis() {
        return START_MILLIS + TimeUnit.NANOSECONDS.toMillis(environment.nanoTime() - startNanos);
    }

    @Override
    public Instant instant() {
        return Instant.ofEpochMilli(millis());
    }

    @Override
    public ZoneId getZone() {
        return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
        return this;
    }
}
