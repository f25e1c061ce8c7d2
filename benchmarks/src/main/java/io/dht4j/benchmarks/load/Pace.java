package io.dht4j.benchmarks.load;

import java.util.concurrent.locks.LockSupport;

/**
 * Waits for moments, for one thread. A parked thread wakes some 50 µs late (the timer slack of Linux), so the last part
 * of a wait is spent spinning; but only as much of it as leaves most of the processor to others, which need it more
 * than the load needs those microseconds. For the same reason wake-ups may have a least distance: to wake costs more
 * than to begin an operation.
 */
final class Pace {

    /** By how much a parked thread may be late on a machine that has nothing else to do. */
    private static final long WAKE_UP_NANOS = 70_000;

    /** At most this part of the time is spent spinning. */
    private static final double SPINNING = 0.05;

    private final long origin;
    private final long spinNanos;
    private final long restNanos;
    /** When the last wait ended, after the origin. */
    private long woke = Long.MIN_VALUE / 2;

    /**
     * A pace.
     *
     * @param origin the reading of {@link System#nanoTime()} from which moments count
     * @param distanceNanos how far apart this thread's moments are
     * @param restNanos how far apart two ends of a wait are at least; 0 for no bound
     */
    Pace(long origin, double distanceNanos, long restNanos) {
        this.origin = origin;
        this.restNanos = restNanos;
        this.spinNanos = (long) Math.min(WAKE_UP_NANOS, SPINNING * distanceNanos);
    }

    long now() {
        return System.nanoTime() - origin;
    }

    /**
     * Waits until a moment, if it is not past, and until the least time since the last wait is over.
     *
     * @return the time now
     * @throws InterruptedException if the thread is interrupted
     */
    long await(long moment) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        long now = now();
        if (now >= moment) {
            return now;
        }
        long until = Math.max(moment, woke + restNanos);
        while (now < until) {
            long wait = until - now;
            if (wait > spinNanos) {
                LockSupport.parkNanos(wait - spinNanos);
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
            } else {
                Thread.onSpinWait();
            }
            now = now();
        }
        woke = now;
        return now;
    }
}
