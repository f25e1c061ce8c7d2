package io.dht4j.lab.internal.load.open;

import io.dht4j.lab.internal.load.LoadSpec;

/**
 * The intended times of operations, fixed before the first one begins. Operation {@code i} belongs to the thread
 * {@code i} modulo the number of threads.
 *
 * @param distanceNanos between two operations
 * @param uncounted number of first operations, which warm up
 * @param operations number of all operations, those included
 */
record Schedule(double distanceNanos, long uncounted, long operations) {

    private static final double NANOS = 1e9;

    /** Returns the schedule of a load, in which at least one operation counts. */
    static Schedule of(LoadSpec spec) {
        long uncounted = Math.round(spec.warmUpSeconds() * spec.perSecond());
        long counted = Math.max(1, Math.round(spec.seconds() * spec.perSecond()));
        return new Schedule(NANOS / spec.perSecond(), uncounted, uncounted + counted);
    }

    /** Returns the intended begin of an operation, in nanoseconds since the run began. */
    long intended(long operation) {
        return (long) (operation * distanceNanos);
    }

    boolean counts(long operation) {
        return operation >= uncounted;
    }

    long counted() {
        return operations - uncounted;
    }

    /** Returns the intended begin of the first counted operation. */
    long countingBegins() {
        return intended(uncounted);
    }
}
