package io.dht4j.benchmarks.stable;

import io.dht4j.lab.internal.load.LoadDriver;
import io.dht4j.lab.internal.load.LoadResult;
import io.dht4j.lab.internal.load.LoadSpec;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Measures rising rates until two in sequence fail, and then rates between the last that held and the first that
 * failed, so that the line has its points where it bends. If the first rate fails, the sweep goes down from there. A
 * rate that fails is tried twice, since noise only makes a run worse.
 */
public final class RateSweep {

    /** Failing rates that the sweep shows beyond the knee. */
    private static final int BEYOND = 2;

    /** The sweep ends below this part of the first rate. */
    private static final double LEAST = 1.0 / 1024;

    /** Allows a last step as small as the precision. */
    private static final double ROUNDING = 1.0001;

    private final LoadDriver driver;
    private final StableLoadSpec spec;
    private final double step;
    private final List<LoadResult> points = new ArrayList<>();
    private int runs;

    private RateSweep(LoadDriver driver, StableLoadSpec spec, double step) {
        this.driver = driver;
        this.spec = spec;
        this.step = step;
    }

    /**
     * Measures. Blocks.
     *
     * @param driver runs the loads
     * @param spec the first rate, the greatest rate, the criterion of a stable rate, and the precision of the knee
     * @param step factor from one rate to the next, 1.01 to 10
     * @return one run for each rate, in the order in which they were measured
     * @throws IOException from the driver
     * @throws InterruptedException if the thread is interrupted
     */
    public static List<LoadResult> run(LoadDriver driver, StableLoadSpec spec, double step)
            throws IOException, InterruptedException {
        if (!(step >= 1.01 && step <= 10)) {
            throw new IllegalArgumentException("step of a sweep: " + step + " is not 1.01 to 10");
        }
        return new RateSweep(driver, spec, step).points();
    }

    private List<LoadResult> points() throws IOException, InterruptedException {
        double first = spec.probe().perSecond();
        double held = 0;
        double failed = Double.POSITIVE_INFINITY;
        int failures = 0;
        for (double rate = first; failures < BEYOND; rate = Math.min(rate * step, spec.greatest())) {
            if (holds(rate)) {
                held = failures == 0 ? rate : held;
            } else {
                failed = Math.min(failed, rate);
                failures++;
            }
            if (rate >= spec.greatest()) {
                break;
            }
        }
        if (held == 0) {
            for (double rate = first / step; held == 0 && rate >= first * LEAST; rate /= step) {
                if (holds(rate)) {
                    held = rate;
                } else {
                    failed = rate;
                }
            }
        }
        refine(held, failed);
        return points;
    }

    private void refine(double atLeast, double failed) throws IOException, InterruptedException {
        double held = atLeast;
        double above = failed;
        while (held > 0 && Double.isFinite(above) && above - held > ROUNDING * spec.precision() * held) {
            double middle = (held + above) / 2;
            if (holds(middle)) {
                held = middle;
            } else {
                above = middle;
            }
        }
    }

    /** Measures a rate and keeps the run that held, or the last one. */
    private boolean holds(double rate) throws IOException, InterruptedException {
        LoadResult result = run(rate);
        if (!spec.holds(result)) {
            result = run(rate);
        }
        points.add(result);
        return spec.holds(result);
    }

    private LoadResult run(double rate) throws IOException, InterruptedException {
        LoadSpec probe = spec.probe();
        // Other keys each time, since the last run's keys are the fastest to read.
        return driver.run(probe.at(rate).withMaxInFlight(spec.maxInFlight(rate)).withSeed(probe.seed() + runs++));
    }
}
