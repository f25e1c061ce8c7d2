package io.dht4j.benchmarks.scenario.server;

import io.dht4j.benchmarks.scenario.Settings;
import io.dht4j.benchmarks.stable.StableLoadSpec;
import io.dht4j.lab.internal.load.LoadSpec;
import java.time.Duration;

/**
 * How rates rise, and which latency bounds them.
 *
 * @param first first rate, per second
 * @param greatest greatest rate
 * @param precision as a part of the rate
 * @param p99 the bound of the 99th percentile
 */
public record SearchPlan(double first, double greatest, double precision, Duration p99) {

    /**
     * Reads it.
     *
     * @throws IllegalArgumentException if a parameter is invalid
     */
    public static SearchPlan of(Settings settings) {
        double first = settings.decimal("first-rate", 1, 1_000_000);
        return new SearchPlan(
                first,
                settings.decimal("greatest-rate", first, 1_000_000),
                settings.decimal("precision", 0.001, 1),
                Duration.ofMillis(settings.number("p99", 1, 60_000)));
    }

    /** Returns a search that begins with a load. */
    public StableLoadSpec from(LoadSpec probe) {
        return StableLoadSpec.from(probe)
                .upTo(Math.max(probe.perSecond(), greatest))
                .within(precision)
                .withP99(p99);
    }
}
