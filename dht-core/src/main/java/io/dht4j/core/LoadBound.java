package io.dht4j.core;

/**
 * The bound on the load of a node in a placement. With a factor of 1.1, no node has more than 1.1 times its fair share,
 * rounded up, of the first replicas of the partitions. The same holds for their first two replicas, three, and so on up
 * to eight. A node's fair share is proportional to its weight if the strategy supports weights, and at most all
 * partitions.
 *
 * <p>A smaller factor spreads the load more evenly; a larger one moves less data when nodes join and leave.
 *
 * @param factor {@value #MIN_FACTOR} to {@value #MAX_FACTOR}, or infinite for no bound
 */
public record LoadBound(double factor) {

    /** The smallest factor. */
    public static final double MIN_FACTOR = 1.05;

    /** The largest factor, except for the infinite one. */
    public static final double MAX_FACTOR = 10;

    /**
     * Checks the range.
     *
     * @throws IllegalArgumentException if the factor is out of range
     */
    public LoadBound {
        if (!(factor >= MIN_FACTOR && (factor <= MAX_FACTOR || factor == Double.POSITIVE_INFINITY))) {
            throw new IllegalArgumentException("load bound: factor must be " + MIN_FACTOR + " to " + MAX_FACTOR
                    + ", or infinite for no bound, not " + factor);
        }
    }

    /**
     * Returns the default bound.
     *
     * @return a bound with factor 1.1
     */
    public static LoadBound standard() {
        return new LoadBound(1.1);
    }

    /**
     * Returns the absence of a bound: the plain strategy.
     *
     * @return a bound with an infinite factor
     */
    public static LoadBound none() {
        return new LoadBound(Double.POSITIVE_INFINITY);
    }

    /**
     * Returns whether there is a bound.
     *
     * @return true if the factor is finite
     */
    public boolean isFinite() {
        return Double.isFinite(factor);
    }
}
