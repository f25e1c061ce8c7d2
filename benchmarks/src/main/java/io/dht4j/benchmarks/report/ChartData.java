package io.dht4j.benchmarks.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.dht4j.benchmarks.profile.Layer;
import io.dht4j.benchmarks.results.LoadLevel;
import io.dht4j.benchmarks.results.Measurement;
import io.dht4j.benchmarks.results.Results;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/** The data that the page's script draws: latencies and profiles. */
final class ChartData {

    private record Page(List<String> variants, List<String> layers, List<Group> groups) {}

    private record Group(
            String id, String name, List<Curve> curves, List<Latencies> latencies, List<Attribution> attributions) {}

    /** Latency against throughput of one variant, by rising rates. */
    private record Curve(String variant, List<Point> points) {}

    /** A run: the served rate per second, two percentiles in µs, and whether it is the stable load itself. */
    private record Point(double offered, double served, double p50, double p99, boolean knee) {}

    private record Latencies(int percent, List<Line> lines) {}

    private record Line(String variant, double perSecond, List<double[]> points) {}

    private record Attribution(String event, List<String> layers, List<Shares> rows) {}

    private record Shares(String variant, List<Double> percents) {}

    private ChartData() {}

    /** Returns the data as JSON, for {@code report.js}. */
    static String of(Results results) throws JsonProcessingException {
        List<Group> groups = new ArrayList<>();
        ReportView.groups(results)
                .forEach((name, measurements) -> groups.add(group("g" + groups.size(), name, measurements)));
        return new JsonMapper().writeValueAsString(new Page(ReportView.variants(results), layers(results), groups));
    }

    /** Returns all layers of the page, each with one colour. */
    private static List<String> layers(Results results) {
        return results.measurements().stream()
                .flatMap(m -> m.profiles().stream())
                .flatMap(profile -> profile.layers().keySet().stream())
                .distinct()
                .sorted(Layer.byLabel())
                .toList();
    }

    private static Group group(String id, String name, List<Measurement> measurements) {
        return new Group(
                id,
                name,
                curves(measurements),
                latencies(measurements),
                GroupView.events(measurements).stream()
                        .map(event -> attribution(event, measurements))
                        .toList());
    }

    /** Returns the lines of the variants that have several points with latencies. */
    private static List<Curve> curves(List<Measurement> measurements) {
        return measurements.stream()
                .filter(GroupView::hasCurve)
                .map(m -> new Curve(
                        m.variant(),
                        m.levels().stream()
                                .filter(level -> level.result().served() > 0)
                                .sorted(Comparator.comparingDouble(
                                        level -> level.result().spec().perSecond()))
                                .map(ChartData::point)
                                .toList()))
                .toList();
    }

    private static Point point(LoadLevel level) {
        Histogram latency = level.result().latency().decode();
        return new Point(
                level.result().spec().perSecond(),
                level.result().servedPerSecond(),
                latency.getValueAtPercentile(50) / 1e3,
                latency.getValueAtPercentile(99) / 1e3,
                level.percent() == LoadLevel.ALL);
    }

    /** Returns the distributions at the parts of the load that every variant with a load has. */
    private static List<Latencies> latencies(List<Measurement> measurements) {
        Map<Integer, List<Line>> byPercent = new TreeMap<>();
        for (Measurement m : measurements) {
            for (LoadLevel level : m.levels()) {
                byPercent
                        .computeIfAbsent(level.percent(), percent -> new ArrayList<>())
                        .add(new Line(
                                m.variant(),
                                level.result().spec().perSecond(),
                                LatencyLine.points(level.result().latency().decode())));
            }
        }
        long loads = measurements.stream().filter(m -> !m.levels().isEmpty()).count();
        return byPercent.entrySet().stream()
                .filter(entry ->
                        entry.getKey() == LoadLevel.ALL || entry.getValue().size() == loads)
                .map(entry -> new Latencies(entry.getKey(), entry.getValue()))
                .toList();
    }

    private static Attribution attribution(String event, List<Measurement> measurements) {
        Set<String> layers = GroupView.layers(event, measurements);
        List<Shares> rows = new ArrayList<>();
        for (Measurement m : measurements) {
            m.profiles().stream()
                    .filter(profile -> profile.event().equals(event))
                    .forEach(profile -> rows.add(new Shares(
                            m.variant(),
                            layers.stream()
                                    .map(layer -> 100 * profile.layers().getOrDefault(layer, 0.0))
                                    .toList())));
        }
        return new Attribution(event, List.copyOf(layers), rows);
    }
}
