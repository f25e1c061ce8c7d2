package io.dht4j.benchmarks.stable;

import io.dht4j.benchmarks.results.LoadLevel;
import io.dht4j.benchmarks.stable.Probe.Phase;
import io.dht4j.lab.internal.counters.StolenTime;
import io.dht4j.lab.internal.load.LoadDriver;
import io.dht4j.lab.internal.load.LoadResult;
import io.dht4j.lab.internal.load.LoadSpec;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Finds the highest stable rate: doubles the rate while it is stable, halves the distance to the first unstable one,
 * and confirms the result by a longer run. If the longer run fails, the search continues below with longer runs; if it
 * holds, above, since the first runs may have been disturbed.
 *
 * <p>Noise only makes a run worse: other work on the machine or a pause of the collector disturbs a stable run, but an
 * overloaded server never keeps up. So a rate that fails narrowly in a short run, or during a further ascent, is tried
 * again before it counts as unstable. A rate that holds once counts as stable, and the longer run confirms it. A run
 * that failed while other guests had the processors is inconclusive, and is repeated a few times.
 */
public final class StableLoadSearch {

    private static final int[] PARTS = {10, 50, 70, 90};
    private static final int WHOLE = 100;
    private static final double MEDIAN = 50;

    /**
     * A server that serves less than this share, half of it late, is beyond its limit. After a mere pause most
     * operations are in time.
     */
    private static final double HOPELESS_SHARE = 0.9;

    /** Attempts of longer runs on the way up: a spoiled one would end the search far below the limit. */
    private static final int TRIES_ABOVE = 2;

    /** Repetitions of a run that other guests disturbed; they may persist. */
    private static final int MOST_DISTURBED = 3;

    /** Allows a first step as small as the precision. */
    private static final double ROUNDING = 1.0001;

    /** The search ends below this part of the first rate. */
    private static final double LEAST = 1.0 / 1024;

    private final LoadDriver driver;
    private final StableLoadSpec search;
    private final Consumer<Probe> observer;
    private int runs;

    private StableLoadSearch(LoadDriver driver, StableLoadSpec search, Consumer<Probe> observer) {
        this.driver = driver;
        this.search = search;
        this.observer = observer;
    }

    /**
     * Searches. Blocks.
     *
     * @param driver runs the loads
     * @param search the search
     * @param observer called at the end of each run, on this thread
     * @return the stable load
     * @throws IOException from the driver
     * @throws InterruptedException if the thread is interrupted
     */
    public static StableLoad find(LoadDriver driver, StableLoadSpec search, Consumer<Probe> observer)
            throws IOException, InterruptedException {
        return new StableLoadSearch(driver, search, observer).find();
    }

    private StableLoad find() throws IOException, InterruptedException {
        double top = highest();
        Optional<Held> first = top == 0 ? Optional.empty() : confirm(top);
        Optional<Held> found = first.isPresent() ? Optional.of(upFrom(first.get())) : downFrom(top);
        if (found.isEmpty()) {
            return new StableLoad(0, false, List.of());
        }
        Held held = found.get();
        return new StableLoad(held.rate(), held.rate() >= search.greatest(), levels(held));
    }

    /** A rate confirmed by a longer run. */
    private record Held(double rate, LoadResult result) {}

    /** Searches above a confirmed rate: noise may have kept all short runs too low. */
    private Held upFrom(Held confirmed) throws IOException, InterruptedException {
        Held held = confirmed;
        for (double step = search.precision(); held.rate() < search.greatest(); step *= 2) {
            double higher = Math.min(held.rate() * (1 + step), search.greatest());
            Optional<Held> next = confirm(higher, TRIES_ABOVE);
            if (next.isEmpty()) {
                return between(held, higher);
            }
            held = next.get();
        }
        return held;
    }

    /** Searches below; steps grow with the error of the short runs. */
    private Optional<Held> downFrom(double top) throws IOException, InterruptedException {
        double unstable = top;
        for (double step = search.precision(); unstable / (1 + step) >= least(); step *= 2) {
            Optional<Held> held = confirm(unstable / (1 + step));
            if (held.isPresent()) {
                return Optional.of(between(held.get(), unstable));
            }
            unstable /= 1 + step;
        }
        return Optional.empty();
    }

    private Held between(Held stable, double tooHigh) throws IOException, InterruptedException {
        Held held = stable;
        double unstable = tooHigh;
        while (unstable - held.rate() > ROUNDING * search.precision() * held.rate()) {
            double middle = (held.rate() + unstable) / 2;
            Optional<Held> next = confirm(middle);
            if (next.isPresent()) {
                held = next.get();
            } else {
                unstable = middle;
            }
        }
        return held;
    }

    private double least() {
        return search.probe().perSecond() * LEAST;
    }

    /** Searches by short runs, and returns 0 if no rate was stable. */
    private double highest() throws IOException, InterruptedException {
        double stable = 0;
        double rate = search.probe().perSecond();
        double unstable = Double.POSITIVE_INFINITY;
        while (stable == 0 || Double.isInfinite(unstable)) {
            if (holds(rate)) {
                stable = rate;
                if (rate >= search.greatest()) {
                    return rate;
                }
                rate = Math.min(2 * rate, search.greatest());
            } else {
                unstable = rate;
                rate /= 2;
                if (stable == 0 && rate < least()) {
                    return 0;
                }
            }
        }
        while (unstable - stable > search.precision() * stable) {
            double middle = (stable + unstable) / 2;
            if (holds(middle)) {
                stable = middle;
            } else {
                unstable = middle;
            }
        }
        return stable;
    }

    private boolean holds(double rate) throws IOException, InterruptedException {
        Probe first = run(Phase.SEARCH, rate, search.probe().seconds());
        return first.stable()
                || (!isHopeless(first.result())
                        && run(Phase.SEARCH, rate, search.probe().seconds()).stable());
    }

    private boolean isHopeless(LoadResult result) {
        return result.servedShare() < HOPELESS_SHARE
                && result.latency().micros(MEDIAN) * 1e3 >= search.p99().toNanos();
    }

    /** Returns whether a run failed while other guests had the processors, and so is inconclusive. */
    private boolean isDisturbed(Probe probe) {
        return !probe.stable() && probe.result().conditions().stolenPercent() > StolenTime.MUCH_PERCENT;
    }

    private Optional<Held> confirm(double rate) throws IOException, InterruptedException {
        return confirm(rate, 1);
    }

    private Optional<Held> confirm(double rate, int tries) throws IOException, InterruptedException {
        for (int i = 0; i < tries; i++) {
            Probe probe = run(Phase.CONFIRM, rate, search.confirmSeconds());
            if (probe.stable()) {
                return Optional.of(new Held(rate, probe.result()));
            }
            if (isHopeless(probe.result())) {
                break;
            }
        }
        return Optional.empty();
    }

    private List<LoadLevel> levels(Held whole) throws IOException, InterruptedException {
        List<LoadLevel> levels = new ArrayList<>();
        for (int percent : PARTS) {
            double part = whole.rate() * percent / WHOLE;
            levels.add(new LoadLevel(
                    percent, run(Phase.LEVEL, part, search.levelSeconds()).result()));
        }
        levels.add(new LoadLevel(WHOLE, whole.result()));
        return levels;
    }

    private Probe run(Phase phase, double rate, double seconds) throws IOException, InterruptedException {
        Probe probe = runOnce(phase, rate, seconds);
        for (int again = 0; again < MOST_DISTURBED && isDisturbed(probe); again++) {
            probe = runOnce(phase, rate, seconds);
        }
        return probe;
    }

    private Probe runOnce(Phase phase, double rate, double seconds) throws IOException, InterruptedException {
        LoadSpec first = search.probe();
        // Other keys each time, since the last run's keys are the fastest to read.
        LoadSpec spec = first.at(rate)
                .lasting(first.warmUpSeconds(), seconds)
                .withMaxInFlight(search.maxInFlight(rate))
                .withSeed(first.seed() + runs);
        runs++;
        LoadResult result = driver.run(spec);
        Probe probe = new Probe(phase, result, search.holds(result));
        observer.accept(probe);
        return probe;
    }
}
