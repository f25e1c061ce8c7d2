package io.dht4j.core.internal.observation;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Limits the log lines on one subject to one in ten seconds, since a failure may occur with each request. Does not
 * block; safe for use by any number of threads.
 */
public final class LogInterval {

    private static final long NANOS = TimeUnit.SECONDS.toNanos(10);

    private final LongSupplier nanoTime;
    private final AtomicLong loggedNanos;

    /**
     * Creates an interval that is over.
     *
     * @param nanoTime a monotonic clock
     */
    public LogInterval(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.loggedNanos = new AtomicLong(nanoTime.getAsLong() - NANOS);
    }

    /**
     * Returns whether to log now, and begins the next interval if so.
     *
     * @return false within an interval
     */
    public boolean begin() {
        long logged = loggedNanos.get();
        long now = nanoTime.getAsLong();
        return now - logged >= NANOS && loggedNanos.compareAndSet(logged, now);
    }
}
