package io.dht4j.benchmarks.compare;

import io.dht4j.benchmarks.report.Answer;
import io.dht4j.benchmarks.results.Doubts;
import io.dht4j.benchmarks.results.Measurement;
import io.dht4j.benchmarks.results.Results;
import io.dht4j.lab.internal.counters.Cost;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The changes from one run to another: the values of each measurement, and its processor time and allocation per
 * operation.
 */
public final class Comparison {

    /** The costs that are compared, as {@code RunContext.compare} does. */
    private static final List<Cost> COSTS = List.of(Cost.CPU_MICROS, Cost.BYTES_ALLOCATED);

    private final Results a;
    private final Results b;
    private final List<ComparedFigure> figures = new ArrayList<>();
    private final List<String> incomparable = new ArrayList<>();

    private record Key(String group, String variant) {

        String title() {
            return group + ", " + variant;
        }
    }

    private Comparison(Results a, Results b) {
        this.a = a;
        this.b = b;
    }

    /**
     * Compares two runs.
     *
     * @param a the earlier one
     * @param b the later one
     */
    public static Comparison of(Results a, Results b) {
        Comparison comparison = new Comparison(a, b);
        comparison.compare();
        return comparison;
    }

    private void compare() {
        Map<Key, Measurement> after = byKey(b);
        byKey(a).forEach((key, old) -> {
            Measurement now = after.remove(key);
            if (now == null) {
                incomparable.add(key.title() + ": only in A");
            } else if (!old.unit().equals(now.unit()) || old.moreIsBetter() != now.moreIsBetter()) {
                incomparable.add(key.title() + ": not comparable, " + old.unit() + " in A and " + now.unit() + " in B");
            } else {
                compare(old, now);
            }
        });
        after.keySet().forEach(key -> incomparable.add(key.title() + ": only in B"));
    }

    private static Map<Key, Measurement> byKey(Results results) {
        Map<Key, Measurement> map = new LinkedHashMap<>();
        results.measurements().forEach(m -> map.put(new Key(m.group(), m.variant()), m));
        return map;
    }

    private void compare(Measurement old, Measurement now) {
        List<String> remarks = remarks(old.doubtsOfValues(), now.doubtsOfValues());
        if (!old.settings().equals(now.settings())) {
            remarks.add("settings: " + old.settings() + " -> " + now.settings());
        }
        figures.add(new ComparedFigure(
                now.group(),
                now.variant(),
                ComparedFigure.VALUE,
                now.unit(),
                now.moreIsBetter(),
                old.values(),
                now.values(),
                remarks));
        for (Cost cost : COSTS) {
            List<Double> before = old.costs().get(cost.label());
            List<Double> after = now.costs().get(cost.label());
            if (before != null && after != null) {
                figures.add(new ComparedFigure(
                        now.group(),
                        now.variant(),
                        cost.label(),
                        "",
                        false,
                        before,
                        after,
                        remarks(old.doubtsOfCosts(), now.doubtsOfCosts())));
            }
        }
    }

    private static List<String> remarks(List<String> before, List<String> after) {
        List<String> remarks = new ArrayList<>();
        Doubts.byKind(before).forEach(doubt -> remarks.add("doubt in A: " + doubt));
        Doubts.byKind(after).forEach(doubt -> remarks.add("doubt in B: " + doubt));
        return remarks;
    }

    Results a() {
        return a;
    }

    Results b() {
        return b;
    }

    /** Returns what both runs have, in the order of the first. */
    List<ComparedFigure> figures() {
        return List.copyOf(figures);
    }

    /** Returns what cannot be compared, and why, in words. */
    List<String> incomparable() {
        return List.copyOf(incomparable);
    }

    /** Returns the time and subject of a run, in words. */
    static String name(Results results) {
        return results.scenario() + (results.quick() ? ", quick" : "") + ", " + began(results)
                + (results.complete() ? "" : ", INCOMPLETE");
    }

    static Instant began(Results results) {
        return results.began().truncatedTo(ChronoUnit.SECONDS);
    }

    /** Returns whether both runs have a comparable measurement. */
    public boolean hasCommon() {
        return !figures.isEmpty();
    }

    /** Returns whether a figure has enough repetitions to be judged. */
    public boolean isJudged() {
        return figures.stream().anyMatch(figure -> figure.outcome() != ComparedFigure.Outcome.CANNOT_TELL);
    }

    /**
     * Returns the worse figures in one line: the worst one, and the number of others.
     *
     * @param tolerancePercent how much worse a figure may be, 0 or more
     * @return empty if no figure is worse by more than the noise of the repetitions and by more than the tolerance
     */
    public Optional<String> worse(double tolerancePercent) {
        List<ComparedFigure> worse = figures.stream()
                .filter(figure -> figure.isWorse(tolerancePercent))
                .toList();
        return worse.stream()
                .max(Comparator.comparingDouble(ComparedFigure::worsePercent))
                .map(worst -> "worse by more than " + percent(tolerancePercent) + " and the noise: " + worst.title()
                        + ": " + worst.change()
                        + worst.chance()
                        + (worse.size() == 1 ? "" : "; and " + (worse.size() - 1) + " more"));
    }

    private static String percent(double percent) {
        return percent == Math.rint(percent)
                ? String.format(Locale.ROOT, "%.0f %%", percent)
                : String.format(Locale.ROOT, "%s %%", percent);
    }

    /** Returns the number of figures of each outcome, in words. */
    String summary() {
        List<String> counts = new ArrayList<>();
        for (ComparedFigure.Outcome outcome : ComparedFigure.Outcome.values()) {
            long count = figures.stream()
                    .filter(figure -> figure.outcome() == outcome)
                    .count();
            if (count > 0) {
                counts.add(count + " " + outcome.label());
            }
        }
        boolean isAdvised = figures.stream().anyMatch(figure -> figure.outcome() == ComparedFigure.Outcome.CANNOT_TELL);
        return "Of " + figures.size() + " figures: " + String.join(", ", counts) + "."
                + (isAdvised ? " Too few repetitions cannot tell: " + Answer.ADVICE + " in both runs." : "");
    }
}
