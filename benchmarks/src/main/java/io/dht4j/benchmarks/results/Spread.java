package io.dht4j.benchmarks.results;

import java.util.List;

/**
 * Median and range of a measurement's repetitions.
 *
 * @param median the middle one, or the mean of the two in the middle
 * @param least the smallest
 * @param greatest the largest
 */
public record Spread(double median, double least, double greatest) {

    /**
     * Returns the spread of some values.
     *
     * @param values one or more
     */
    public static Spread of(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        int middle = sorted.size() / 2;
        double median = sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
        return new Spread(median, sorted.get(0), sorted.get(sorted.size() - 1));
    }
}
