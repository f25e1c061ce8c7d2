package io.dht4j.benchmarks.report;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * One variant measured at one thing: a bar of a chart with its range, and what explains it. Measurements with the same
 * group are compared with each other.
 *
 * @param group what is compared, for example {@code PUT}: a chart each
 * @param variant who is compared, for example {@code vertx-h2}: the same names in every group
 * @param unit of the values, for example {@code operations/s}
 * @param moreIsBetter whether a larger value is the better one
 * @param values one for each repetition; the report shows median and range
 * @param settings what distinguishes this variant from the others
 * @param levels latency at parts of the stable load; empty if no load at a rate was run
 * @param costs by name, for each operation: {@code bytes allocated}, {@code CPU µs}, {@code context switches},
 *     {@code TCP segments}, {@code bytes on the wire}, {@code write calls}; empty if not measured
 * @param profiles what the nodes did at the stable load; empty if not profiled
 * @param doubts why not to trust it, in words; empty if nothing speaks against it
 */
public record Measurement(
        String group,
        String variant,
        String unit,
        boolean moreIsBetter,
        List<Double> values,
        Map<String, String> settings,
        List<Level> levels,
        Map<String, Double> costs,
        List<Profile> profiles,
        List<String> doubts) {

    /** The unit of most. */
    public static final String PER_SECOND = "operations/s";

    /**
     * Checks the values and keeps unmodifiable copies, settings and costs in their order.
     *
     * @throws IllegalArgumentException if group, variant or unit are blank, or if there is no value, or one that is not
     *     finite
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
     * Why not to trust the values: the measurement's own doubts, and those of the run of all of the stable load. A
     * doubt of a smaller part is one of that part only.
     *
     * @return in words; empty if nothing speaks against them
     */
    public List<String> doubtsOfValues() {
        return Stream.concat(
                        doubts.stream(),
                        levels.stream()
                                .filter(level -> level.percent() == Level.ALL)
                                .flatMap(level -> level.result().conditions().doubts().stream()))
                .distinct()
                .toList();
    }
}
