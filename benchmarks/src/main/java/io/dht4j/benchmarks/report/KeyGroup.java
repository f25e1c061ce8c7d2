package io.dht4j.benchmarks.report;

import io.dht4j.benchmarks.results.KeyFigure;
import io.dht4j.benchmarks.results.Measurement;
import io.dht4j.benchmarks.results.Spread;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * The key figure of one group, best variant first.
 *
 * @param title the subject of the comparison, such as "CPU per put"
 * @param unit behind a figure, with the blank before it if it needs one
 * @param moreIsBetter whether a larger figure is better
 * @param isCost whether it is a cost
 * @param figures of the variants that have one
 */
record KeyGroup(String title, String unit, boolean moreIsBetter, boolean isCost, List<Figure> figures) {

    private static final String MICROS = " µs";

    /**
     * A variant's repetitions of the figure.
     *
     * @param beside further text of the answer about it, with the blank before it
     */
    record Figure(String variant, List<Double> values, String beside, boolean doubted) {

        Spread spread() {
            return Spread.of(values);
        }
    }

    /** Returns the key figure of a group, in the group's words. */
    static KeyGroup of(KeyFigure key, String group, List<Measurement> measurements) {
        return key.isCostOf(measurements) ? ofCost(key.cost(), group, measurements) : ofValues(group, measurements);
    }

    /** Returns a cost of a group's variants. */
    static KeyGroup ofCost(String cost, String group, List<Measurement> measurements) {
        List<Figure> figures = measurements.stream()
                .filter(m -> m.costs().containsKey(cost))
                .map(m -> new Figure(
                        m.variant(),
                        Objects.requireNonNull(m.costs().get(cost)),
                        "",
                        !m.doubtsOfCosts().isEmpty()))
                .sorted(bestFirst(false))
                .toList();
        return new KeyGroup(costPer(cost, group) + atRate(measurements), unitOf(cost), false, true, figures);
    }

    /** Returns for example " at 2,400/s", the rate that was offered to all while costs were counted; empty for none. */
    private static String atRate(List<Measurement> measurements) {
        return measurements.stream()
                .mapToDouble(Measurement::costRate)
                .filter(rate -> rate > 0)
                .mapToObj(rate -> " at " + Figures.of(rate) + "/s")
                .findFirst()
                .orElse("");
    }

    private static KeyGroup ofValues(String group, List<Measurement> measurements) {
        Measurement first = measurements.get(0);
        List<Figure> figures = measurements.stream()
                .map(m -> new Figure(
                        m.variant(),
                        m.values(),
                        firstRatio(m),
                        !m.doubtsOfValues().isEmpty()))
                .sorted(bestFirst(first.moreIsBetter()))
                .toList();
        String unit = first.unit().equals(Measurement.PER_SECOND) ? "/s" : " " + first.unit();
        return new KeyGroup(group, unit, first.moreIsBetter(), false, figures);
    }

    private static String firstRatio(Measurement m) {
        return m.ratios().entrySet().stream()
                .findFirst()
                .map(ratio -> " (" + Figures.of(ratio.getValue()) + " " + ratio.getKey() + ")")
                .orElse("");
    }

    private static Comparator<Figure> bestFirst(boolean moreIsBetter) {
        Comparator<Figure> ascending =
                Comparator.comparingDouble(figure -> figure.spread().median());
        return moreIsBetter ? ascending.reversed() : ascending;
    }

    /** Returns for example "CPU per put, 100 bytes" for the group "PUT, 100 bytes". */
    static String costPer(String cost, String group) {
        int end = group.indexOf(',') < 0 ? group.length() : group.indexOf(',');
        String head = group.substring(0, end);
        String name = nameOf(cost);
        return head.matches("[A-Z]+")
                ? name + " per " + head.toLowerCase(Locale.ROOT) + group.substring(end)
                : name + " per operation, " + group;
    }

    private static String nameOf(String cost) {
        return cost.endsWith(MICROS) ? cost.substring(0, cost.length() - MICROS.length()) : cost;
    }

    /** Returns the unit of a cost with a blank before it; empty for a count. */
    private static String unitOf(String cost) {
        return cost.endsWith(MICROS) ? MICROS : "";
    }
}
