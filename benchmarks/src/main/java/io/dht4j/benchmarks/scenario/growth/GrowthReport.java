package io.dht4j.benchmarks.scenario.growth;

import io.dht4j.benchmarks.report.Figures;
import io.dht4j.benchmarks.results.Measurement;
import io.dht4j.benchmarks.results.Spread;
import io.dht4j.benchmarks.scenario.RunContext;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Writes the figures of a growth into a report. Confined to one thread. */
final class GrowthReport {

    /** The beginning of the names of the groups with latencies, which answer the question beside the conclusion. */
    static final String TAIL = "p99 of a ";

    private static final String MICROS = "µs";

    private final RunContext context;
    private final Map<String, String> shown;
    private final Map<Phase, Set<String>> doubts = new EnumMap<>(Phase.class);
    private final Set<String> ofRows = new LinkedHashSet<>();

    GrowthReport(RunContext context, Map<String, String> shown) {
        this.context = context;
        this.shown = shown;
    }

    /** Adds a reason to doubt the latencies of a phase. */
    void doubt(Phase phase, String why) {
        doubts.computeIfAbsent(phase, none -> new LinkedHashSet<>()).add(why);
    }

    /** Adds a reason to doubt the number of entries of the nodes. */
    void doubtRows(String why) {
        ofRows.add(why);
    }

    void write(GrowthFigures growth) {
        new TreeMap<>(growth.tails()).forEach(this::tails);
        add("failed calls", "all windows", "of " + growth.offered(), (double) growth.failed(), List.of());
        add("lost keys", "read at the end", "of " + growth.keys(), (double) growth.lost(), List.of());
        for (GrowthFigures.Rows node : growth.rows()) {
            add("rows", node.node(), "of the weighted share", growth.part(node), List.copyOf(ofRows));
        }
        add("moved entries", "the moves", "of those that had to move", growth.movedRatio(), List.of());
        add("duration of the moves", "measured", "s", growth.seconds(), List.of());
        add("duration of the moves", "by the set rate alone", "s", growth.secondsAtRate(), List.of());
        context.note(String.format(
                Locale.ROOT,
                "The moves took %s MB in %s s, %s KiB/s of the set %s KiB/s. What had to move is what the fourth node "
                        + "holds at the end. Of a pair one window is of the moves, and one undisturbed, before and "
                        + "after them in turn.",
                Figures.of(growth.movedBytes() / 1e6),
                Figures.of(growth.seconds()),
                Figures.of(growth.movedBytes() / growth.seconds() / 1024),
                Figures.of(growth.bytesPerSecond() / 1024.0)));
        context.conclude(growth.conclusion(isDoubted()));
    }

    /** Returns whether there are doubts about the latencies that are compared. */
    private boolean isDoubted() {
        return Stream.of(Phase.BEFORE, Phase.MOVES, Phase.AFTER)
                .anyMatch(phase -> !doubts.getOrDefault(phase, Set.of()).isEmpty());
    }

    private void tails(String kind, GrowthFigures.Tails tails) {
        String group = TAIL + kind;
        windows(group, "undisturbed", tails.undisturbed(), Map.of(), Phase.BEFORE, Phase.AFTER);
        windows(group, "during the moves", tails.moves(), ratio(tails.moves(), tails), Phase.MOVES);
        windows(group, "while former owners drop entries", tails.drops(), ratio(tails.drops(), tails), Phase.DROPS);
        if (!tails.moves().isEmpty()) {
            Spread pairs = Spread.of(tails.pairs());
            context.note(String.format(
                    Locale.ROOT,
                    "%s: the ratio of the medians is %s; the ratios of the %d pairs of windows are %s to %s, and "
                            + "their median is %s.",
                    group,
                    Figures.of(tails.ratio()),
                    tails.pairs().size(),
                    Figures.of(pairs.least()),
                    Figures.of(pairs.greatest()),
                    Figures.of(pairs.median())));
        }
    }

    private static Map<String, Double> ratio(List<Double> values, GrowthFigures.Tails tails) {
        return values.isEmpty()
                ? Map.of()
                : Map.of(
                        "of undisturbed",
                        Spread.of(values).median()
                                / Spread.of(tails.undisturbed()).median());
    }

    private void windows(
            String group, String variant, List<Double> micros, Map<String, Double> ratios, Phase... phases) {
        if (micros.isEmpty()) {
            context.note(group + ": no whole window was " + variant + "; use a smaller --move-rate or more --keys.");
            return;
        }
        Set<String> own = new LinkedHashSet<>();
        for (Phase phase : phases) {
            own.addAll(doubts.getOrDefault(phase, Set.of()));
        }
        context.add(new Measurement(
                group,
                variant,
                MICROS,
                false,
                micros,
                shown,
                ratios,
                List.of(),
                Map.of(),
                0,
                List.of(),
                List.copyOf(own)));
    }

    private void add(String group, String variant, String unit, double value, List<String> doubted) {
        context.add(new Measurement(group, variant, unit, false, List.of(value), shown, doubted));
    }
}
