package io.dht4j.benchmarks.report;

import io.dht4j.benchmarks.profile.Layer;
import io.dht4j.benchmarks.results.KeyFigure;
import io.dht4j.benchmarks.results.LoadLevel;
import io.dht4j.benchmarks.results.Measurement;
import io.dht4j.benchmarks.results.Profile;
import io.dht4j.benchmarks.results.Spread;
import io.dht4j.lab.internal.load.LoadResult;
import io.dht4j.lab.internal.load.LoadSpec;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;

/** The tables and bars of a group, under the names that the templates use. */
record GroupView(
        String id,
        String name,
        String unit,
        String better,
        List<BarChart> bars,
        List<String> ratioNames,
        boolean hasSettings,
        List<Row> rows,
        boolean hasCurves,
        boolean atGivenRate,
        List<LatencyRow> latencies,
        List<TableView> kindLatencies,
        List<TableView> attributions,
        List<TableView> costs,
        List<BarChart> costCharts,
        List<FlameRow> flames) {

    private static final String NONE = "–";

    /** A variant's repetitions. */
    record Row(
            String variant,
            String median,
            String least,
            String greatest,
            int repetitions,
            String ofBest,
            List<String> ratios,
            String settings,
            boolean doubted) {}

    /** A variant at a part of its stable load. */
    record LatencyRow(
            String variant,
            String load,
            String offered,
            String served,
            String failed,
            List<String> percentiles,
            String stolen,
            String late,
            boolean doubted) {}

    /** A variant's files. */
    record FlameRow(String variant, List<FlameLink> files) {}

    /** A flame graph and the stacks that it is made of. */
    record FlameLink(String event, String samples, String flameGraph, String collapsed) {}

    /**
     * Returns the view of one group's measurements.
     *
     * @param variants of the whole run
     */
    static GroupView of(String id, String name, KeyFigure key, List<Measurement> measurements, List<String> variants) {
        Measurement first = measurements.get(0);
        boolean isAtGivenRate = measurements.stream().allMatch(GroupView::isAtGivenRate);
        return new GroupView(
                id,
                name,
                first.unit(),
                first.moreIsBetter() ? "More is better" : "Less is better",
                hasBars(key, measurements)
                        ? List.of(BarChart.of(KeyGroup.of(KeyFigure.values(), name, measurements), variants))
                        : List.of(),
                ratioNames(measurements),
                measurements.stream().anyMatch(m -> !m.settings().isEmpty()),
                rows(measurements),
                measurements.stream().anyMatch(GroupView::hasCurve),
                isAtGivenRate,
                measurements.stream()
                        .flatMap(m -> m.levels().stream().map(level -> latency(m, level, isAtGivenRate)))
                        .toList(),
                KindLatencies.of(measurements),
                events(measurements).stream()
                        .map(event -> attribution(event, measurements))
                        .toList(),
                costs(measurements),
                costCharts(name, measurements, variants),
                measurements.stream()
                        .filter(m -> !m.profiles().isEmpty())
                        .map(m -> new FlameRow(
                                m.variant(),
                                m.profiles().stream().map(GroupView::files).toList()))
                        .toList());
    }

    /** Returns whether no load of a variant is a part of a stable load that was searched for. */
    static boolean isAtGivenRate(Measurement m) {
        return m.levels().stream().allMatch(level -> level.percent() == LoadLevel.ALL);
    }

    /**
     * Returns whether the values have a chart here: those that answer have one above, and a given rate is no result.
     */
    private static boolean hasBars(KeyFigure key, List<Measurement> measurements) {
        boolean isAbove = key.answersIn(measurements) && !key.isCostOf(measurements);
        boolean isGiven = measurements.stream().allMatch(m -> !m.levels().isEmpty() && isAtGivenRate(m));
        return !isAbove && !isGiven;
    }

    /** Returns whether a variant was measured at several rates, which make a line of latency against throughput. */
    static boolean hasCurve(Measurement m) {
        return m.levels().stream().filter(level -> level.result().served() > 0).count() > 1;
    }

    /** Returns the recorded events, in their order of appearance. */
    static Set<String> events(List<Measurement> measurements) {
        return measurements.stream()
                .flatMap(m -> m.profiles().stream())
                .map(Profile::event)
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /** Returns the layers of an event, always in the same order. */
    static Set<String> layers(String event, List<Measurement> measurements) {
        return measurements.stream()
                .flatMap(m -> m.profiles().stream())
                .filter(profile -> profile.event().equals(event))
                .flatMap(profile -> profile.layers().keySet().stream())
                .collect(Collectors.toCollection(() -> new TreeSet<>(Layer.byLabel())));
    }

    /** Returns the measurements of a group by their median, best first. */
    static List<Measurement> bestFirst(List<Measurement> measurements) {
        Comparator<Measurement> ascending =
                Comparator.comparingDouble(m -> Spread.of(m.values()).median());
        return measurements.stream()
                .sorted(measurements.get(0).moreIsBetter() ? ascending.reversed() : ascending)
                .toList();
    }

    private static List<Row> rows(List<Measurement> measurements) {
        boolean moreIsBetter = measurements.get(0).moreIsBetter();
        List<Double> medians =
                measurements.stream().map(m -> Spread.of(m.values()).median()).toList();
        Spread all = Spread.of(medians);
        double best = moreIsBetter ? all.greatest() : all.least();
        List<Row> rows = new ArrayList<>();
        for (Measurement m : bestFirst(measurements)) {
            Spread spread = Spread.of(m.values());
            rows.add(new Row(
                    m.variant(),
                    Figures.of(spread.median()),
                    m.values().size() > 1 ? Figures.of(spread.least()) : NONE,
                    m.values().size() > 1 ? Figures.of(spread.greatest()) : NONE,
                    m.values().size(),
                    best > 0 ? Figures.ratio(spread.median() / best) : NONE,
                    ratioNames(measurements).stream()
                            .map(other -> m.ratios().containsKey(other)
                                    ? Figures.of(m.ratios().getOrDefault(other, 0.0))
                                    : NONE)
                            .toList(),
                    m.settings().entrySet().stream()
                            .map(entry -> entry.getKey() + " = " + entry.getValue())
                            .collect(Collectors.joining(", ")),
                    !m.doubtsOfValues().isEmpty()));
        }
        return rows;
    }

    private static LatencyRow latency(Measurement m, LoadLevel level, boolean isAtGivenRate) {
        LoadResult result = level.result();
        Histogram histogram = result.latency().decode();
        double stolen = result.conditions().stolenPercent();
        return new LatencyRow(
                m.variant(),
                load(level, isAtGivenRate),
                result.spec().closedLoop() ? NONE : Figures.of(result.spec().perSecond()),
                Figures.share(result.servedShare()),
                Figures.of(result.failed() + (double) result.notSent()),
                LatencyLine.SHOWN.stream()
                        .map(percentile -> LatencyLine.micros(histogram, percentile)
                                .map(Figures::micros)
                                .orElse(NONE))
                        .toList(),
                stolen < 0 ? NONE : Figures.percent(stolen / 100),
                Figures.micros(result.conditions().latenessP99Micros()),
                !result.conditions().trusted());
    }

    /** Returns the given rate, or the part of the stable load. */
    static String load(LoadLevel level, boolean isAtGivenRate) {
        LoadSpec spec = level.result().spec();
        if (spec.closedLoop()) {
            return "closed loop";
        }
        return isAtGivenRate ? Figures.of(spec.perSecond()) + "/s" : level.percent() + " %";
    }

    private static TableView attribution(String event, List<Measurement> measurements) {
        List<String> layers = List.copyOf(layers(event, measurements));
        List<TableView.TableRow> rows = new ArrayList<>();
        for (Measurement m : measurements) {
            m.profiles().stream()
                    .filter(profile -> profile.event().equals(event))
                    .forEach(profile -> rows.add(new TableView.TableRow(
                            m.variant(),
                            layers.stream()
                                    .map(layer ->
                                            Figures.percent(profile.layers().getOrDefault(layer, 0.0)))
                                    .toList())));
        }
        return new TableView(event, layers, rows);
    }

    private static List<String> ratioNames(List<Measurement> measurements) {
        return measurements.stream()
                .flatMap(m -> m.ratios().keySet().stream())
                .distinct()
                .toList();
    }

    /** Returns the names of the costs that a variant of the group has. */
    private static List<String> costNames(List<Measurement> measurements) {
        return measurements.stream()
                .flatMap(m -> m.costs().keySet().stream())
                .distinct()
                .toList();
    }

    /** Returns charts of the costs that several variants have: a single bar is no comparison. */
    private static List<BarChart> costCharts(String name, List<Measurement> measurements, List<String> variants) {
        return costNames(measurements).stream()
                .map(cost -> KeyGroup.ofCost(cost, name, measurements))
                .filter(group -> group.figures().size() > 1)
                .map(group -> BarChart.of(group, variants))
                .toList();
    }

    private static List<TableView> costs(List<Measurement> measurements) {
        List<String> names = costNames(measurements);
        if (names.isEmpty()) {
            return List.of();
        }
        List<TableView.TableRow> rows = measurements.stream()
                .filter(m -> !m.costs().isEmpty())
                .map(m -> new TableView.TableRow(m.variant(), cells(names, m.costs())))
                .toList();
        return List.of(new TableView("", names, rows));
    }

    private static List<String> cells(List<String> names, Map<String, List<Double>> values) {
        List<String> cells = new ArrayList<>();
        for (String name : names) {
            List<Double> repetitions = values.get(name);
            cells.add(
                    repetitions == null
                            ? NONE
                            : Figures.of(Spread.of(repetitions).median()));
        }
        return cells;
    }

    private static FlameLink files(Profile profile) {
        return new FlameLink(
                profile.event(),
                Figures.of((double) profile.samples()),
                CommandText.link(profile.flameGraph()),
                CommandText.link(profile.collapsed()));
    }
}
