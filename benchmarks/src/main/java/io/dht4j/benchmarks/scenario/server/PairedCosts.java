package io.dht4j.benchmarks.scenario.server;

import io.dht4j.benchmarks.results.Measurement;
import io.dht4j.benchmarks.results.PairedRatios;
import io.dht4j.benchmarks.results.Spread;
import io.dht4j.benchmarks.scenario.RunContext;
import io.dht4j.lab.internal.counters.Cost;
import io.dht4j.lab.internal.load.Operation;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A cost of a variant as a part of that of another one, by the ratios of the pairs that were counted alternately.
 *
 * @param operation the operation of the cost
 * @param what the cost, for people
 * @param variant the variant
 * @param base the other one
 * @param ratios of the pairs
 */
public record PairedCosts(
        Operation operation, String what, ServerVariant variant, ServerVariant base, PairedRatios ratios) {

    /**
     * Takes the pairs of a comparison that has run.
     *
     * @param comparison of both variants
     * @param operation one of its plan
     * @param cost the counted cost
     * @param variant the variant
     * @param base the other one
     * @return empty if the cost was not counted as often for both
     */
    public static Optional<PairedCosts> of(
            ServerComparison comparison, Operation operation, Cost cost, ServerVariant variant, ServerVariant base) {
        List<Double> of = comparison.costs(variant, operation, cost);
        List<Double> to = comparison.costs(base, operation, cost);
        if (of.isEmpty() || of.size() != to.size()) {
            return Optional.empty();
        }
        String what = cost == Cost.CPU_MICROS ? "processor time" : cost.label();
        return Optional.of(new PairedCosts(operation, what, variant, base, PairedRatios.of(of, to)));
    }

    /** Adds the ratios to the results of a run. */
    public void addTo(RunContext context) {
        context.add(new Measurement(
                what + " of a " + operationName() + ", in pairs",
                variant.name(),
                "of " + base.name(),
                false,
                ratios.values(),
                variant.shown(),
                List.of()));
    }

    /** Returns the operation in lower case. */
    public String operationName() {
        return operation.name().toLowerCase(Locale.ROOT);
    }

    /** Returns the difference of the median of the ratios from one, such as 0.02 for a variant that costs 2 % more. */
    public double difference() {
        return ratios.ofMedian().median() - 1;
    }

    /**
     * Returns the difference for people, with its range.
     *
     * @param wanted the target of the difference; empty for none
     */
    public String shown(String wanted) {
        Spread median = ratios.ofMedian();
        return String.format(
                Locale.ROOT,
                "%+.1f %% %s (%+.1f to %+.1f %%, 95 %% range of the median of %d pairs%s)",
                100 * (median.median() - 1),
                what,
                100 * (median.least() - 1),
                100 * (median.greatest() - 1),
                ratios.values().size(),
                wanted.isEmpty() ? "" : ", wanted " + wanted);
    }
}
