package io.dht4j.lab.internal.load.open;

import java.util.concurrent.locks.LockSupport;

/**
 * Waits for moments. Confined to one thread. A parked thread wakes some 50 µs late (the timer slack of Linux), so the
 * last part of a wait is spun. The spun part is bounded, since other threads need the processor more. Wake-ups may have
 * a least distance, since waking costs more than beginning an operation.
 */
final class Pacer {

    /** The greatest lateness of a parked thread on an idle machine. */
    private static final long WAKE_UP_NANOS = 70_000;

    /** The greatest part of the time that is spun. */
    private static final double SPINNING = 0.05;

    private final long origin;
    private final long spinNanos;
    private final long restNanos;
    /** The end of the last wait, relative to the origin. */
    private long woke = Long.MIN_VALUE / 2;

    /**
     * Creates a pace.
     *
     * @param origin the reading of {@link System#nanoTime()} from which moments count
     * @param distanceNanos between this thread's moments
     * @param restNanos least time between the ends of two waits; 0 for none
     */
    Pacer(long origin, double distanceNanos, long restNanos) {
        this.origin = origin;
        this.restNanos = restNanos;
        this.spinNanos = (long) Math.min(WAKE_UP_NANOS, SPINNING * distanceNanos);
    }

    long now() {
        return System.nanoTime() - origin;
    }

    /**
     * Waits until a moment, and until the least time since the last wait has passed.
     *
     * @return the current time
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
