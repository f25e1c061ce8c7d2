package io.dht4j.benchmarks.load;

/**
 * When operations are to begin: fixed before the first one does. Operation {@code i} belongs to the thread {@code i}
 * modulo the number of threads.
 *
 * @param distanceNanos between two operations
 * @param uncounted how many come first and warm up
 * @param operations how many there are, with those
 */
record Schedule(double distanceNanos, long uncounted, long operations) {

    private static final double NANOS = 1e9;

    /** The schedule of a load. At least one operation counts. */
    static Schedule of(LoadSpec spec) {
        long uncounted = Math.round(spec.warmUpSeconds() * spec.perSecond());
        long counted = Math.max(1, Math.round(spec.seconds() * spec.perSecond()));
        return new Schedule(NANOS / spec.perSecond(), uncounted, uncounted + counted);
    }

    /** When an operation is to begin, in nanoseconds since the run began. */
    long intended(long operation) {
        return (long) (operation * distanceNanos);
    }

    boolean counts(long operation) {
        return operation >= uncounted;
    }

    long counted() {
        return operations - uncounted;
    }

    /** When the first operation that counts is to begin. */
    long countingBegins() {
        return intended(uncounted);
    }
}
