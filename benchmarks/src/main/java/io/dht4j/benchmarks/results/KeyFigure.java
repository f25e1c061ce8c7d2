package io.dht4j.benchmarks.results;

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

    /** Returns the measurements' own values, in the direction that each of them names. */
    public static KeyFigure values() {
        return new KeyFigure("", true, "");
    }

    /**
     * Returns a cost of an operation; less is better.
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

    /**
     * Returns whether it is a cost in this group.
     *
     * @param group its measurements, one or more
     */
    public boolean isCostOf(List<Measurement> group) {
        return !cost.isEmpty() && isLoad(group);
    }

    /**
     * Returns whether it is meaningful for a group.
     *
     * @param group its measurements, one or more
     */
    public boolean answersIn(List<Measurement> group) {
        return group.get(0).group().startsWith(groups) && (others || isLoad(group));
    }

    private static boolean isLoad(List<Measurement> group) {
        return group.get(0).unit().equals(Measurement.PER_SECOND);
    }
}
