package io.dht4j.benchmarks.stable;

import io.dht4j.lab.internal.load.Conditions;
import io.dht4j.lab.internal.load.Latency;
import io.dht4j.lab.internal.load.LoadDriver;
import io.dht4j.lab.internal.load.LoadResult;
import io.dht4j.lab.internal.load.LoadSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.HdrHistogram.Histogram;

/** A queue with one server, computed by formulas without passing time. */
final class SimulatedServer implements LoadDriver {

    private static final double SERVICE_MILLIS = 0.5;
    private static final int SAMPLES = 1000;

    private final double perSecond;
    private final List<LoadSpec> runs = new ArrayList<>();
    private Predicate<LoadSpec> spoiled = spec -> false;
    private Predicate<LoadSpec> failing = spec -> false;
    private double stolenPercent;

    /**
     * A server.
     *
     * @param perSecond its capacity
     */
    SimulatedServer(double perSecond) {
        this.perSecond = perSecond;
    }

    /** Sets the runs with a pause of 300 ms. */
    SimulatedServer spoiling(Predicate<LoadSpec> which) {
        spoiled = which;
        return this;
    }

    /** Sets the percentage of stolen processor time in spoiled runs. */
    SimulatedServer stealing(double percent) {
        stolenPercent = percent;
        return this;
    }

    /** Sets the runs in which one operation fails. */
    SimulatedServer failing(Predicate<LoadSpec> which) {
        failing = which;
        return this;
    }

    /** Returns the rate at which the 99th percentile, ln 100 times the mean waiting time, reaches a bound. */
    double limit(double p99Millis) {
        return perSecond * (1 - SERVICE_MILLIS * Math.log(100) / p99Millis);
    }

    List<LoadSpec> runs() {
        return runs;
    }

    @Override
    public LoadResult run(LoadSpec spec) {
        runs.add(spec);
        long offered = Math.round(spec.perSecond() * spec.seconds());
        long served = Math.min(offered, Math.round(perSecond * spec.seconds()));
        long failed = failing.test(spec) ? 1 : 0;
        Histogram latency = new Histogram(3);
        double load = spec.perSecond() / perSecond;
        double mean = load < 1 ? SERVICE_MILLIS / (1 - load) : 1000;
        boolean paused = spoiled.test(spec);
        for (int i = 0; i < SAMPLES; i++) {
            double millis = paused && i >= 0.98 * SAMPLES ? 300 : -mean * Math.log(1 - (i + 0.5) / SAMPLES);
            latency.recordValue((long) (millis * 1e6));
        }
        return new LoadResult(
                spec,
                spec.seconds(),
                offered,
                served - failed,
                failed,
                offered - served,
                0,
                failed == 0 ? Map.of() : Map.of("HTTP 503", failed),
                Latency.of(latency),
                Map.of(),
                new Conditions(paused ? stolenPercent : 0, 0, 50, List.of(), List.of()));
    }
}
