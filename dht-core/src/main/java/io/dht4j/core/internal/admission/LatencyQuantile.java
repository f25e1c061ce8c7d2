package io.dht4j.core.internal.admission;

/**
 * Follows a percentile of latencies without keeping any: each one moves the estimate a little towards itself, up and
 * down in the proportion that holds it where the given share of them is below. After Q. Ma, S. Muthukrishnan and M.
 * Sandler, <em>Frugal Streaming for Estimating Quantiles</em>, 2013; the steps are parts of the estimate here, so that
 * it follows whatever its scale.
 *
 * <p>Without locks: of two that come at the same time one may be lost, which does no harm. Safe for use by any number
 * of threads.
 */
public final class LatencyQuantile {

    private static final double STEP = 0.05;

    private final double up;
    private final double down;
    private volatile double estimate;

    /**
     * Without an estimate.
     *
     * @param percentile over 0 and under 100
     */
    public LatencyQuantile(double percentile) {
        double share = percentile / 100;
        this.up = 1 + STEP * share;
        this.down = 1 - STEP * (1 - share);
    }

    /**
     * Takes a latency into account.
     *
     * @param nanos 0 or more
     */
    public void add(long nanos) {
        double now = estimate;
        estimate = now == 0 ? Math.max(1, nanos) : Math.max(1, nanos > now ? now * up : now * down);
    }

    /**
     * Takes into account that something had lasted for so long and had not ended. If the estimate is longer than that,
     * it tells nothing.
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
     * The estimate.
     *
     * @return nanoseconds; 0 if nothing has come yet
     */
    public long nanos() {
        return (long) estimate;
    }
}
