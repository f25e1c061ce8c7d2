package io.dht4j.core.internal.replica;

import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Bounds how often something is said in the log: at once, then at most every ten seconds. Safe for use by any number of
 * threads.
 */
final class LogLimit {

    static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final LongSupplier nanoTime;

    // Guarded by this.
    private boolean begun;
    private long saidNanos;
    private long leftOut;

    /**
     * Nothing was said yet.
     *
     * @param nanoTime the monotonic clock
     */
    LogLimit(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /**
     * Whether it may be said now.
     *
     * @return how often it was left out since it was last said; empty if it is to be left out now too
     */
    synchronized OptionalLong next() {
        long now = nanoTime.getAsLong();
        if (begun && now - saidNanos < PAUSE_NANOS) {
            leftOut++;
            return OptionalLong.empty();
        }
        OptionalLong since = OptionalLong.of(leftOut);
        begun = true;
        saidNanos = now;
        leftOut = 0;
        return since;
    }
}
