package io.dht4j.benchmarks.stable;

import io.dht4j.benchmarks.load.LoadResult;
import io.dht4j.benchmarks.load.LoadSpec;
import java.time.Duration;

/**
 * What counts as stable, and how it is looked for. A load is stable if at least {@link #SERVED_SHARE} of what was
 * offered was served, nothing failed, and the 99th percentile of latency is below a bound.
 *
 * @param probe the load that is tried, as to everything but its rate; its rate is the first to be tried
 * @param greatest no rate above this one is tried; at least the first
 * @param precision how far apart the greatest stable rate and the least unstable one may stay, as a part of the former:
 *     0.001 to 1
 * @param p99 the bound; longer than nothing
 * @param confirmSeconds how long the rate that was found must hold; at least as long as a probe
 * @param levelSeconds how long each part of it is measured; longer than nothing
 */
public record StableSearch(
        LoadSpec probe, double greatest, double precision, Duration p99, double confirmSeconds, double levelSeconds) {

    /** At least so much of what was offered must be served. */
    public static final double SERVED_SHARE = 0.99;

    private static final Duration P99 = Duration.ofMillis(50);
    private static final double GREATEST = 1_000_000;
    private static final double PRECISION = 0.05;
    private static final double CONFIRM = 3;
    private static final double PERCENTILE = 99;
    private static final double QUEUED_BOUNDS = 3;
    private static final int LEAST_IN_FLIGHT = 64;

    /** Checks the ranges. */
    public StableSearch {
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
     * A search with a bound of 50 ms, a precision of 5 %, and a confirmation of three times the length of a probe; each
     * part of the load is measured as long as a probe.
     *
     * @param probe the first load to try
     */
    public static StableSearch from(LoadSpec probe) {
        return new StableSearch(
                probe,
                Math.max(GREATEST, probe.perSecond()),
                PRECISION,
                P99,
                CONFIRM * probe.seconds(),
                probe.seconds());
    }

    /**
     * The same search up to another rate.
     *
     * @param perSecond at least the first rate
     */
    public StableSearch upTo(double perSecond) {
        return new StableSearch(probe, perSecond, precision, p99, confirmSeconds, levelSeconds);
    }

    /**
     * The same search to another precision.
     *
     * @param part 0.001 to 1
     */
    public StableSearch within(double part) {
        return new StableSearch(probe, greatest, part, p99, confirmSeconds, levelSeconds);
    }

    /**
     * The same search with another bound of the 99th percentile.
     *
     * @param bound longer than nothing
     */
    public StableSearch withP99(Duration bound) {
        return new StableSearch(probe, greatest, precision, bound, confirmSeconds, levelSeconds);
    }

    /**
     * The same search with other lengths of what follows the probes.
     *
     * @param confirm seconds, at least as long as a probe
     * @param level seconds of each part of the load
     */
    public StableSearch lasting(double confirm, double level) {
        return new StableSearch(probe, greatest, precision, p99, confirm, level);
    }

    /**
     * How much of a load may be under way: what comes in some times the bound of latency (J. Little, <em>A Proof for
     * the Queuing Formula L = &lambda;W</em>, 1961), or the probe's own bound if that is less. With more under way,
     * latencies are beyond the bound anyway; and a server that is overloaded would only work off the rest for long
     * after a run has ended.
     *
     * @param perSecond the rate of the load
     */
    public int maxInFlight(double perSecond) {
        double inTime = perSecond * QUEUED_BOUNDS * p99.toNanos() / 1e9;
        return (int) Math.min(probe.maxInFlight(), Math.max(LEAST_IN_FLIGHT + probe.threads(), inTime));
    }

    /** Whether a load was stable. */
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
