package io.dht4j.benchmarks.stable;

import io.dht4j.lab.internal.load.LoadResult;
import io.dht4j.lab.internal.load.LoadSpec;
import java.time.Duration;

/**
 * Describes the search for a stable load. A load is stable if at least {@link #SERVED_SHARE} of the offered operations
 * was served, none failed, and the 99th percentile of latency is below a bound.
 *
 * @param probe the load, with the first rate to try
 * @param greatest rate to try; at least the first
 * @param precision greatest distance of the greatest stable and the least unstable rate, as a part of the former: 0.001
 *     to 1
 * @param p99 the bound; above zero
 * @param confirmSeconds for which the found rate must hold; at least the length of a probe
 * @param levelSeconds length of the run at each part of it; above zero
 */
public record StableLoadSpec(
        LoadSpec probe, double greatest, double precision, Duration p99, double confirmSeconds, double levelSeconds) {

    /** The least share of served operations. */
    public static final double SERVED_SHARE = 0.99;

    private static final Duration P99 = Duration.ofMillis(50);
    private static final double GREATEST = 1_000_000;
    private static final double PRECISION = 0.05;
    private static final double CONFIRM = 3;
    private static final double PERCENTILE = 99;
    private static final double QUEUED_BOUNDS = 3;
    private static final int LEAST_IN_FLIGHT = 64;

    /** Validates the ranges. */
    public StableLoadSpec {
        require(greatest >= probe.perSecond() && greatest <= 1e9, "greatest rate", greatest, "the first rate to 1e9");
        require(precision >= 0.001 && precision <= 1, "precision", precision, "0.001 to 1");
        require(!p99.isNegative() && !p99.isZero(), "bound of the 99th percentile", p99, "more than nothing");
        require(
                confirmSeconds >= probe.seconds() && confirmSeconds <= 86_400,
                "confirmation",
                confirmSeconds,
                "as long as a probe to 86,400 seconds");
        require(levelSeconds > 0 && levelSeconds <= 86_400, "level", levelSeconds, "over 0 to 86,400 seconds");
    }

    /**
     * Describes a search with a bound of 50 ms, a precision of 5 %, a confirmation of three times a probe's length, and
     * levels of a probe's length.
     *
     * @param probe the first load to try
     */
    public static StableLoadSpec from(LoadSpec probe) {
        return new StableLoadSpec(
                probe,
                Math.max(GREATEST, probe.perSecond()),
                PRECISION,
                P99,
                CONFIRM * probe.seconds(),
                probe.seconds());
    }

    /**
     * Returns a copy with another greatest rate.
     *
     * @param perSecond at least the first rate
     */
    public StableLoadSpec upTo(double perSecond) {
        return new StableLoadSpec(probe, perSecond, precision, p99, confirmSeconds, levelSeconds);
    }

    /**
     * Returns a copy with another precision.
     *
     * @param part 0.001 to 1
     */
    public StableLoadSpec within(double part) {
        return new StableLoadSpec(probe, greatest, part, p99, confirmSeconds, levelSeconds);
    }

    /**
     * Returns a copy with another bound of the 99th percentile.
     *
     * @param bound above zero
     */
    public StableLoadSpec withP99(Duration bound) {
        return new StableLoadSpec(probe, greatest, precision, bound, confirmSeconds, levelSeconds);
    }

    /**
     * Returns a copy with other lengths of confirmation and levels.
     *
     * @param confirm seconds, at least the length of a probe
     * @param level seconds of each part of the load
     */
    public StableLoadSpec lasting(double confirm, double level) {
        return new StableLoadSpec(probe, greatest, precision, p99, confirm, level);
    }

    /**
     * Returns the bound on operations in flight: the arrivals of some times the latency bound (J. Little, <em>A Proof
     * for the Queuing Formula L = &lambda;W</em>, 1961), or the probe's own bound if that is less. With more in flight,
     * latencies exceed the bound anyway, and an overloaded server would work on the rest long after a run.
     *
     * @param perSecond the rate of the load
     */
    public int maxInFlight(double perSecond) {
        double inTime = perSecond * QUEUED_BOUNDS * p99.toNanos() / 1e9;
        return (int) Math.min(probe.maxInFlight(), Math.max(LEAST_IN_FLIGHT + probe.threads(), inTime));
    }

    /** Returns whether a load was stable. */
    public boolean holds(LoadResult result) {
        return result.servedShare() >= SERVED_SHARE
                && result.failed() == 0
                && result.latency().micros(PERCENTILE) * 1e3 < p99.toNanos();
    }

    private static void require(boolean holds, String what, Object value, String range) {
        if (!holds) {
            throw new IllegalArgumentException(
                    what + " of a search for the stable load: " + value + " is not " + range);
        }
    }
}
