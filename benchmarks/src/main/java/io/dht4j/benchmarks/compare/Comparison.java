package io.dht4j.benchmarks.compare;

import io.dht4j.benchmarks.report.Figures;
import io.dht4j.benchmarks.report.Machine;
import io.dht4j.benchmarks.report.Measurement;
import io.dht4j.benchmarks.report.Results;
import io.dht4j.benchmarks.report.Spread;
import io.dht4j.lab.internal.verdict.Verdict;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/**
 * The changes from one run to another.
 *
 * @param lines for people
 * @param hasCommon whether both runs have a comparable measurement
 * @param isJudged whether a comparable measurement has enough repetitions
 * @param isWorse whether a measurement is worse by more than the noise of the repetitions
 */
public record Comparison(List<String> lines, boolean hasCommon, boolean isJudged, boolean isWorse) {

    private static final String ABSENT = "(none)";

    /** Keeps an unmodifiable copy. */
    public Comparison {
        lines = List.copyOf(lines);
    }

    private record Key(String group, String variant) {}

    /** The result for a measurement. */
    private enum Finding {
        WORSE,
        NOT_WORSE,
        NOT_JUDGED
    }

    /**
     * Compares two runs.
     *
     * @param a the earlier one
     * @param b the later one
     */
    public static Comparison of(Results a, Results b) {
        List<String> lines = new ArrayList<>();
        lines.add("A: " + name(a));
        lines.add("B: " + name(b));
        lines.add("");
        circumstances(a, b, lines);
        lines.add("");
        Set<Finding> findings = measurements(a, b, lines);
        lines.add("");
        lines.add(String.format(
                Locale.ROOT,
                "\"Beyond noise\": the repetitions come out so by chance in less than %.0f of 100 cases, by the "
                        + "Mann-Whitney U test.",
                100 * Verdict.LIKELY));
        lines.add("Repetitions of one run share their hour: repeat both runs, in turns, before you believe a small "
                + "difference.");
        boolean isWorse = findings.contains(Finding.WORSE);
        return new Comparison(lines, !findings.isEmpty(), isWorse || findings.contains(Finding.NOT_WORSE), isWorse);
    }

    private static String name(Results results) {
        return results.scenario() + (results.quick() ? ", quick" : "") + ", "
                + results.began().truncatedTo(ChronoUnit.SECONDS) + (results.complete() ? "" : ", INCOMPLETE");
    }

    private static void circumstances(Results a, Results b, List<String> lines) {
        List<String> changes = new ArrayList<>();
        change("scenario", a.scenario(), b.scenario(), changes);
        change("form", a.quick() ? "quick" : "full", b.quick() ? "quick" : "full", changes);
        TreeSet<String> names = new TreeSet<>(a.parameters().keySet());
        names.addAll(b.parameters().keySet());
        for (String name : names) {
            change(
                    "--" + name,
                    a.parameters().getOrDefault(name, ABSENT),
                    b.parameters().getOrDefault(name, ABSENT),
                    changes);
        }
        if (a.build().equals(Results.UNKNOWN_BUILD) && b.build().equals(Results.UNKNOWN_BUILD)) {
            changes.add("  build: not known of either");
        }
        change("build", a.build(), b.build(), changes);
        Machine before = a.machine();
        Machine after = b.machine();
        change("processors", before.processors() + "", after.processors() + "", changes);
        change("processor", before.processor(), after.processor(), changes);
        change("memory", before.memoryBytes() + " bytes", after.memoryBytes() + " bytes", changes);
        change("system", before.system(), after.system(), changes);
        change("Java", before.java(), after.java(), changes);
        if (changes.isEmpty()) {
            lines.add("Same build, same parameters, same kind of machine.");
        } else {
            lines.add("Not the same, so the figures may differ for these reasons:");
            lines.addAll(changes);
        }
    }

    private static void change(String what, String a, String b, List<String> changes) {
        if (!Objects.equals(a, b)) {
            changes.add("  " + what + ": " + a + " -> " + b);
        }
    }

    private static Set<Finding> measurements(Results a, Results b, List<String> lines) {
        Map<Key, Measurement> before = byKey(a);
        Map<Key, Measurement> after = byKey(b);
        Set<Finding> findings = EnumSet.noneOf(Finding.class);
        for (Map.Entry<Key, Measurement> entry : before.entrySet()) {
            String title = entry.getKey().group() + ", " + entry.getKey().variant();
            Measurement old = entry.getValue();
            Measurement now = after.remove(entry.getKey());
            if (now == null) {
                lines.add(title + ": only in A");
            } else if (!old.unit().equals(now.unit()) || old.moreIsBetter() != now.moreIsBetter()) {
                lines.add(title + ": not comparable, " + old.unit() + " in A and " + now.unit() + " in B");
            } else {
                findings.add(compare(title, old, now, lines));
            }
        }
        after.keySet().forEach(key -> lines.add(key.group() + ", " + key.variant() + ": only in B"));
        return findings;
    }

    private static Map<Key, Measurement> byKey(Results results) {
        Map<Key, Measurement> map = new LinkedHashMap<>();
        results.measurements().forEach(m -> map.put(new Key(m.group(), m.variant()), m));
        return map;
    }

    private static Finding compare(String title, Measurement old, Measurement now, List<String> lines) {
        Spread a = Spread.of(old.values());
        Spread b = Spread.of(now.values());
        Verdict.Judged judged = Verdict.of(old.values(), now.values());
        boolean differs = judged.verdict() == Verdict.GREATER || judged.verdict() == Verdict.SMALLER;
        boolean isBetter = (judged.verdict() == Verdict.GREATER) == now.moreIsBetter();
        String verdict = switch (judged.verdict()) {
            case GREATER, SMALLER -> (isBetter ? "BETTER" : "WORSE") + " beyond noise" + chance(judged);
            case WITHIN_NOISE -> "within noise" + chance(judged);
            case CANNOT_TELL ->
                "cannot tell: too few repetitions (" + old.values().size() + " and "
                        + now.values().size() + ")";
        };
        lines.add(String.format(
                "%s: %s -> %s %s, %s: %s",
                title, text(a), text(b), now.unit(), change(a.median(), b.median()), verdict));
        old.doubtsOfValues().forEach(doubt -> lines.add("    doubt in A: " + doubt));
        now.doubtsOfValues().forEach(doubt -> lines.add("    doubt in B: " + doubt));
        if (!old.settings().equals(now.settings())) {
            lines.add("    settings: " + old.settings() + " -> " + now.settings());
        }
        if (judged.verdict() == Verdict.CANNOT_TELL) {
            return Finding.NOT_JUDGED;
        }
        return differs && !isBetter ? Finding.WORSE : Finding.NOT_WORSE;
    }

    private static String chance(Verdict.Judged judged) {
        return String.format(Locale.ROOT, " (p = %.3f)", judged.probability());
    }

    private static String text(Spread spread) {
        return spread.least() == spread.greatest()
                ? Figures.of(spread.median())
                : Figures.of(spread.median()) + " (" + Figures.of(spread.least()) + " to "
                        + Figures.of(spread.greatest()) + ")";
    }

    private static String change(double a, double b) {
        return a == 0 ? "from nothing" : String.format(Locale.ROOT, "%+.1f %%", 100 * (b / a - 1));
    }
}
