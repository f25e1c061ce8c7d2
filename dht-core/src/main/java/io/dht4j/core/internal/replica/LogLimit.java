package io.dht4j.core.internal.replica;

import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Limits the rate of a log message: the first one at once, then at most one every ten seconds. Safe for use by any
 * number of threads.
 */
final class LogLimit {

    static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final LongSupplier nanoTime;

    // Guarded by this.
    private boolean begun;
    private long loggedNanos;
    private long suppressed;

    /**
     * Creates a limit before the first message.
     *
     * @param nanoTime the monotonic clock
     */
    LogLimit(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /**
     * Asks to log a message now.
     *
     * @return the number of messages suppressed since the last one; empty if this one is suppressed too
     */
    synchronized OptionalLong next() {
        long now = nanoTime.getAsLong();
        if (begun && now - loggedNanos < PAUSE_NANOS) {
            suppressed++;
            return OptionalLong.empty();
        }
        OptionalLong since = OptionalLong.of(suppressed);
        begun = true;
        loggedNanos = now;
        suppressed = 0;
        return since;
    }
}
