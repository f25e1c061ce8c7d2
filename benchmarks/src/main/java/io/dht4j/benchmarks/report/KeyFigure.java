package io.dht4j.benchmarks.report;

import io.dht4j.lab.internal.counters.Cost;
import java.util.List;

/**
 * The figure that answers a scenario's question: a cost of an operation, or the measurements' own values.
 *
 * @param cost name among {@link Measurement#costs()}; empty for the values
 * @param others whether the values answer in groups that are not loads, and so have no costs
 * @param groups the beginning of the names of the groups that answer; empty for all
 */
public record KeyFigure(String cost, boolean others, String groups) {

    private static final String MICROS = " µs";

    /** Returns the measurements' own values, in the direction that each of them names. */
    public static KeyFigure values() {
        return new KeyFigure("", true, "");
    }

    /**
     * Returns a cost of an operation, of which less is better.
     *
     * @param cost of the loads
     */
    public static KeyFigure cost(Cost cost) {
        return new KeyFigure(cost.label(), false, "");
    }

    /** Returns this cost, and the values of groups that are not loads. */
    public KeyFigure orValues() {
        return new KeyFigure(cost, true, groups);
    }

    /**
     * Returns this figure in some groups alone.
     *
     * @param beginning of their names
     */
    public KeyFigure in(String beginning) {
        return new KeyFigure(cost, others, beginning);
    }

    /** Returns whether it is a cost in this group. */
    boolean isCostOf(List<Measurement> group) {
        return !cost.isEmpty() && isLoad(group);
    }

    /** Returns whether it says something about this group. */
    boolean answersIn(List<Measurement> group) {
        return group.get(0).group().startsWith(groups) && (others || isLoad(group));
    }

    private static boolean isLoad(List<Measurement> group) {
        return group.get(0).unit().equals(Measurement.PER_SECOND);
    }

    /** Returns the name of a cost without its unit. */
    static String nameOf(String cost) {
        return cost.endsWith(MICROS) ? cost.substring(0, cost.length() - MICROS.length()) : cost;
    }

    /** Returns the unit of a cost with a blank before it; empty for a count. */
    static String unitOf(String cost) {
        return cost.endsWith(MICROS) ? MICROS : "";
    }
}
