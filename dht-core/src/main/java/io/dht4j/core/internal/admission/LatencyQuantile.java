package io.dht4j.core.internal.admission;

/**
 * Estimates a percentile of latencies without storing any. Each latency moves the estimate a little towards itself, up
 * and down in the proportion that keeps it where the given share of latencies is below. After Q. Ma, S. Muthukrishnan
 * and M. Sandler, <em>Frugal Streaming for Estimating Quantiles</em>, 2013; here the steps are fractions of the
 * estimate, so that it adapts at any scale.
 *
 * <p>Lock-free: of two concurrent updates one may be lost, which is harmless. Safe for use by any number of threads.
 */
public final class LatencyQuantile {

    private static final double STEP = 0.05;

    private final double up;
    private final double down;
    private volatile double estimate;

    /**
     * Creates an object without an estimate.
     *
     * @param percentile over 0 and under 100
     */
    public LatencyQuantile(double percentile) {
        double share = percentile / 100;
        this.up = 1 + STEP * share;
        this.down = 1 - STEP * (1 - share);
    }

    /**
     * Adds a latency.
     *
     * @param nanos 0 or more
     */
    public void add(long nanos) {
        double now = estimate;
        estimate = now == 0 ? Math.max(1, nanos) : Math.max(1, nanos > now ? now * up : now * down);
    }

    /**
     * Adds an operation that has lasted for some time and has not ended. Ignored if the estimate is longer.
     *
     * @param nanos 0 or more
     */
    public void addAtLeast(long nanos) {
        double now = estimate;
        if (now != 0 && nanos >= now) {
            estimate = now * up;
        }
    }

    /**
     * Returns the estimate.
     *
     * @return nanoseconds; 0 if there is no latency yet
     */
    public long nanos() {
        return (long) estimate;
    }
}
