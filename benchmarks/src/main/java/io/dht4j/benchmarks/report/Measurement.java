package io.dht4j.benchmarks.report;

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
 * @param levels latency at parts of the stable load; empty without a load at a rate
 * @param costs by name, for each operation: {@code bytes allocated}, {@code CPU µs}, {@code context switches},
 *     {@code TCP segments}, {@code bytes on the wire}, {@code write calls}; empty if not measured
 * @param profiles of the nodes at the stable load; empty if not profiled
 * @param doubts reasons to doubt it, in words; empty if there are none
 */
public record Measurement(
        String group,
        String variant,
        String unit,
        boolean moreIsBetter,
        List<Double> values,
        Map<String, String> settings,
        List<LoadLevel> levels,
        Map<String, Double> costs,
        List<Profile> profiles,
        List<String> doubts) {

    /** The most common unit. */
    public static final String PER_SECOND = "operations/s";

    /**
     * Validates the values and keeps unmodifiable copies, settings and costs in their order.
     *
     * @throws IllegalArgumentException if group, variant or unit are blank, if there is no value, or an infinite one
     */
    public Measurement {
        if (group.isBlank() || variant.isBlank() || unit.isBlank()) {
            throw new IllegalArgumentException("a measurement needs a group, a variant and a unit, not '" + group
                    + "', '" + variant + "' and '" + unit + "'");
        }
        if (values.isEmpty() || !values.stream().allMatch(Double::isFinite)) {
            throw new IllegalArgumentException(
                    "values of " + group + ", " + variant + " are " + values + "; one finite number or more is needed");
        }
        values = List.copyOf(values);
        settings = Collections.unmodifiableMap(new LinkedHashMap<>(settings));
        levels = List.copyOf(levels);
        costs = Collections.unmodifiableMap(new LinkedHashMap<>(costs));
        profiles = List.copyOf(profiles);
        doubts = List.copyOf(doubts);
    }

    /**
     * Returns the doubts about the values: the measurement's own, and those of the run at the full stable load. Doubts
     * about a smaller part concern that part only.
     *
     * @return in words; empty if there are none
     */
    public List<String> doubtsOfValues() {
        return Stream.concat(
                        doubts.stream(),
                        levels.stream()
                                .filter(level -> level.percent() == LoadLevel.ALL)
                                .flatMap(level -> level.result().conditions().doubts().stream()))
                .distinct()
                .toList();
    }
}
