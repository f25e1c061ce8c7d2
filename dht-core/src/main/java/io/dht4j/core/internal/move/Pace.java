package io.dht4j.core.internal.move;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Limits the rate that all copies of a node share. Does not block; safe for use by any number of threads. */
final class Pace {

    private final LongSupplier nanoTime;
    private final LongSupplier bytesPerSecond;

    // Guarded by this.
    private boolean used;
    private long freeNanos;

    /**
     * Creates a pace.
     *
     * @param nanoTime returns the monotonic time
     * @param bytesPerSecond returns the rate, 1 or more; it may change
     */
    Pace(LongSupplier nanoTime, LongSupplier bytesPerSecond) {
        this.nanoTime = nanoTime;
        this.bytesPerSecond = bytesPerSecond;
    }

    /** Returns how many nanoseconds a copy rests that has received some bytes, in addition to those of other copies. */
    synchronized long restAfter(long bytes) {
        long now = nanoTime.getAsLong();
        long begin = used && freeNanos - now > 0 ? freeNanos : now;
        used = true;
        freeNanos = begin + (long) ((double) bytes / bytesPerSecond.getAsLong() * TimeUnit.SECONDS.toNanos(1));
        return freeNanos - now;
    }
}
