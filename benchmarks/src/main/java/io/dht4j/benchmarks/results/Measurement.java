package io.dht4j.benchmarks.results;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * One variant measured in one respect: a bar of a chart with its range, and its explanation. Measurements of one group
 * are compared with each other.
 *
 * @param group for example {@code PUT}: one chart each
 * @param variant for example {@code vertx-h2}: the same names in every group
 * @param unit of the values, for example {@code operations/s}
 * @param moreIsBetter whether a larger value is better
 * @param values one for each repetition; the report shows median and range
 * @param settings that distinguish this variant from the others
 * @param ratios of the median to that of another measurement, by its name such as {@code of tcp}; empty if none is of
 *     interest
 * @param levels latency at parts of the stable load; empty without a load at a rate
 * @param costs by name, for each operation, one value for each repetition: {@code bytes allocated}, {@code CPU µs},
 *     {@code context switches}, {@code TCP segments}, {@code bytes on the wire}, {@code write calls}; empty if not
 *     measured
 * @param costRate operations per second that were offered while the costs were counted and the profiles taken; 0 if no
 *     rate was offered, as in a closed loop
 * @param profiles of the nodes at that rate; empty if not profiled
 * @param doubts reasons to doubt it, in words; empty if there are none
 */
public record Measurement(
        String group,
        String variant,
        String unit,
        boolean moreIsBetter,
        List<Double> values,
        Map<String, String> settings,
        Map<String, Double> ratios,
        List<LoadLevel> levels,
        Map<String, List<Double>> costs,
        double costRate,
        List<Profile> profiles,
        List<String> doubts) {

    /** The most common unit. */
    public static final String PER_SECOND = "operations/s";

    /** The unit of a load without a rate, whose costs do not compare. */
    public static final String CLOSED_LOOP = "operations/s in a closed loop";

    /** The begin of a doubt about the last run of a search for a stable load. */
    public static final String OF_THE_LIMIT = "where it was no longer stable: ";

    /** The begin of a doubt about a run at the stable load. */
    public static final String OF_THE_STABLE_LOAD = "at the stable load: ";

    /** The begin of a doubt about a run in which costs were counted. */
    public static final String OF_THE_COSTS = "while the costs were counted: ";

    /** The begin of a doubt about latencies that are the values. */
    public static final String OF_THE_LATENCY = "of the latency: ";

    /** The doubt about a stable load that may be higher. */
    public static final String AT_LEAST = "the search ended at its greatest rate: the truth may be higher";

    /**
     * Validates the values and keeps unmodifiable copies, settings, ratios and costs in their order.
     *
     * @throws IllegalArgumentException if group, variant or unit are blank, if values or a cost have no value, or an
     *     infinite one, or if the rate is negative or infinite
     */
    public Measurement {
        if (group.isBlank() || variant.isBlank() || unit.isBlank()) {
            throw new IllegalArgumentException("a measurement needs a group, a variant and a unit, not '" + group
                    + "', '" + variant + "' and '" + unit + "'");
        }
        requireFinite("values", group, variant, values);
        if (!(costRate >= 0 && Double.isFinite(costRate))) {
            throw new IllegalArgumentException(
                    "the rate of the costs of " + group + ", " + variant + " is " + costRate + ", not 0 or more");
        }
        costs.forEach((cost, each) -> requireFinite(cost, group, variant, each));
        ratios.forEach((other, each) -> requireFinite(other, group, variant, List.of(each)));
        values = List.copyOf(values);
        settings = Collections.unmodifiableMap(new LinkedHashMap<>(settings));
        levels = List.copyOf(levels);
        ratios = Collections.unmodifiableMap(new LinkedHashMap<>(ratios));
        Map<String, List<Double>> copies = new LinkedHashMap<>();
        costs.forEach((cost, each) -> copies.put(cost, List.copyOf(each)));
        costs = Collections.unmodifiableMap(copies);
        profiles = List.copyOf(profiles);
        doubts = List.copyOf(doubts);
    }

    /** Creates a measurement of no load at a rate. */
    public Measurement(
            String group,
            String variant,
            String unit,
            boolean moreIsBetter,
            List<Double> values,
            Map<String, String> settings,
            List<String> doubts) {
        this(group, variant, unit, moreIsBetter, values, settings, List.of(), Map.of(), List.of(), doubts);
    }

    /** Creates a measurement without ratios, whose costs, if any, were not counted at an offered rate. */
    public Measurement(
            String group,
            String variant,
            String unit,
            boolean moreIsBetter,
            List<Double> values,
            Map<String, String> settings,
            List<LoadLevel> levels,
            Map<String, List<Double>> costs,
            List<Profile> profiles,
            List<String> doubts) {
        this(group, variant, unit, moreIsBetter, values, settings, Map.of(), levels, costs, 0, profiles, doubts);
    }

    /**
     * Returns a copy whose costs were counted at another rate.
     *
     * @param perSecond offered operations per second; 0 for none
     */
    public Measurement countedAt(double perSecond) {
        return new Measurement(
                group,
                variant,
                unit,
                moreIsBetter,
                values,
                settings,
                ratios,
                levels,
                costs,
                perSecond,
                profiles,
                doubts);
    }

    private static void requireFinite(String what, String group, String variant, List<Double> values) {
        if (values.isEmpty() || !values.stream().allMatch(Double::isFinite)) {
            throw new IllegalArgumentException(what + " of " + group + ", " + variant + " are " + values
                    + "; one finite number or more is needed");
        }
    }

    /**
     * Returns the doubts about the costs: the measurement's own, without those about its rate or its latency.
     *
     * @return in words; empty if there are none
     */
    public List<String> doubtsOfCosts() {
        return doubts.stream()
                .filter(doubt -> !doubt.startsWith(OF_THE_LIMIT)
                        && !doubt.startsWith(OF_THE_STABLE_LOAD)
                        && !doubt.startsWith(OF_THE_LATENCY)
                        && !doubt.equals(AT_LEAST))
                .toList();
    }

    /**
     * Returns the doubts about a load that are not among the measurement's own.
     *
     * @param level one of the measurement's
     * @return in words; empty if there are none
     */
    public List<String> doubtsOf(LoadLevel level) {
        return others(level.result().conditions().allDoubts());
    }

    private List<String> others(List<String> ofLoad) {
        return ofLoad.stream()
                .filter(doubt -> !doubts.contains(doubt)
                        && !doubts.contains(OF_THE_COSTS + doubt)
                        && !doubts.contains(OF_THE_STABLE_LOAD + doubt)
                        && !doubts.contains(OF_THE_LATENCY + doubt))
                .toList();
    }

    /**
     * Returns the doubts about the values: the measurement's own, and those about every figure of the run at the full
     * load. Doubts about a smaller part concern that part only.
     *
     * @return in words; empty if there are none
     */
    public List<String> doubtsOfValues() {
        return Stream.concat(
                        doubts.stream(),
                        levels.stream()
                                .filter(level -> level.percent() == LoadLevel.ALL)
                                .flatMap(level ->
                                        others(level.result().conditions().doubts()).stream()))
                .distinct()
                .toList();
    }
}
