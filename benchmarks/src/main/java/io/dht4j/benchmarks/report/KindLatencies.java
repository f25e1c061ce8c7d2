package io.dht4j.benchmarks.report;

import io.dht4j.benchmarks.results.LoadLevel;
import io.dht4j.benchmarks.results.Measurement;
import io.dht4j.lab.internal.load.Latency;
import io.dht4j.lab.workload.OperationKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.HdrHistogram.Histogram;

/** The latency of each kind of operation of a mix, since the percentiles of a mix are those of its slowest kind. */
final class KindLatencies {

    private static final String NONE = "–";
    private static final List<Double> SHOWN = List.of(50.0, 99.0);

    private KindLatencies() {}

    /** Returns the table of a group's loads; empty if each has one kind. */
    static List<TableView> of(List<Measurement> measurements) {
        List<String> kinds = Arrays.stream(OperationKind.values())
                .map(OperationKind::label)
                .filter(kind -> measurements.stream()
                        .flatMap(m -> m.levels().stream())
                        .anyMatch(level -> level.result().latencyByKind().containsKey(kind)))
                .toList();
        if (kinds.isEmpty()) {
            return List.of();
        }
        List<String> columns = new ArrayList<>(List.of("load"));
        kinds.forEach(kind -> SHOWN.forEach(percentile -> columns.add(kind + ", p" + Math.round(percentile))));
        boolean isAtGivenRate = measurements.stream().allMatch(GroupView::isAtGivenRate);
        List<TableView.TableRow> rows = measurements.stream()
                .flatMap(m -> m.levels().stream()
                        .map(level -> new TableView.TableRow(m.variant(), cells(level, isAtGivenRate, kinds))))
                .toList();
        return List.of(new TableView("", columns, rows));
    }

    private static List<String> cells(LoadLevel level, boolean isAtGivenRate, List<String> kinds) {
        List<String> cells = new ArrayList<>(List.of(GroupView.load(level, isAtGivenRate)));
        for (String kind : kinds) {
            Latency latency = level.result().latencyByKind().get(kind);
            Histogram histogram = latency == null ? Latency.emptyHistogram() : latency.decode();
            SHOWN.forEach(percentile -> cells.add(LatencyLine.micros(histogram, percentile)
                    .map(Figures::micros)
                    .orElse(NONE)));
        }
        return cells;
    }
}
