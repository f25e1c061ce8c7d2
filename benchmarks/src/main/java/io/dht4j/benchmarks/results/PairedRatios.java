package io.dht4j.benchmarks.results;

import java.util.ArrayList;
import java.util.List;

/**
 * The ratios of two measurements that were repeated in turns, so that slow changes of the machine cancel out.
 * Immutable.
 *
 * @param values the ratio of each pair, in their order
 */
public record PairedRatios(List<Double> values) {

    private static final double NORMAL_95 = 1.96;

    /** Keeps an unmodifiable copy. */
    public PairedRatios {
        values = List.copyOf(values);
        if (values.isEmpty()) {
            throw new IllegalArgumentException("there is no pair");
        }
    }

    /**
     * Returns the ratios of some pairs.
     *
     * @param of one value of each pair
     * @param to the other ones, as many
     * @throws IllegalArgumentException if there is none, or their numbers differ
     */
    public static PairedRatios of(List<Double> of, List<Double> to) {
        if (of.size() != to.size()) {
            throw new IllegalArgumentException(of.size() + " and " + to.size() + " values are no pairs");
        }
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < of.size(); i++) {
            ratios.add(of.get(i) / to.get(i));
        }
        return new PairedRatios(ratios);
    }

    /** Returns the median and the range of all. */
    public Spread spread() {
        return Spread.of(values);
    }

    /**
     * Returns the median and the range that contains the true one with a probability of 95 %: the ranks that enclose it
     * by the normal approximation of the binomial distribution (Conover, <em>Practical Nonparametric Statistics</em>).
     */
    public Spread ofMedian() {
        List<Double> sorted = values.stream().sorted().toList();
        double spread = NORMAL_95 * Math.sqrt(sorted.size());
        int low = Math.max(0, (int) Math.floor((sorted.size() - spread) / 2) - 1);
        int high = Math.min(sorted.size() - 1, (int) Math.ceil((sorted.size() + spread) / 2));
        return new Spread(spread().median(), sorted.get(low), sorted.get(high));
    }
}
