package io.dht4j.benchmarks.report;

import io.dht4j.benchmarks.results.Doubts;
import io.dht4j.benchmarks.results.KeyFigure;
import io.dht4j.benchmarks.results.LoadLevel;
import io.dht4j.benchmarks.results.Machine;
import io.dht4j.benchmarks.results.Measurement;
import io.dht4j.benchmarks.results.Results;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Results in words and rounded figures, under the names that the templates use. */
record ReportView(
        String scenario,
        String question,
        List<String> answer,
        List<BarChart> keyCharts,
        boolean complete,
        boolean quick,
        String shortForm,
        String began,
        String took,
        String command,
        List<Entry> parameters,
        List<Entry> machine,
        List<GroupView> groups,
        boolean hasDoubts,
        List<Doubt> doubts,
        List<String> notes,
        List<Entry> links) {

    private static final DateTimeFormatter MINUTES =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm 'UTC'", Locale.ROOT).withZone(ZoneOffset.UTC);

    /** A name with its value. */
    record Entry(String name, String value) {}

    /** A reason to doubt figures, and which ones. */
    record Doubt(String why, String about) {}

    /** The view of a whole run. */
    static ReportView of(Results results) {
        List<GroupView> groups = new ArrayList<>();
        List<BarChart> keyCharts = new ArrayList<>();
        List<String> variants = variants(results);
        groups(results).forEach((name, measurements) -> {
            groups.add(GroupView.of("g" + groups.size(), name, results.keyFigure(), measurements, variants));
            keyChart(name, results.keyFigure(), measurements, variants).ifPresent(keyCharts::add);
        });
        List<Doubt> doubts = doubts(results);
        Machine machine = results.machine();
        return new ReportView(
                results.scenario(),
                results.question(),
                Answer.of(results).sentences(),
                keyCharts,
                results.complete(),
                results.quick(),
                Report.SHORT_FORM,
                MINUTES.format(results.began()),
                Figures.time(results.tookSeconds()),
                CommandText.of(results.command()),
                entries(results.parameters()),
                List.of(
                        new Entry("build", results.build()),
                        new Entry("processors", machine.processors() + " × " + machine.processor()),
                        new Entry("memory", Figures.gibibytes(machine.memoryBytes())),
                        new Entry("system", machine.system()),
                        new Entry("Java", machine.java())),
                groups,
                !doubts.isEmpty(),
                doubts,
                results.notes(),
                results.links().stream()
                        .map(link -> new Entry(link.title(), CommandText.link(link.path())))
                        .toList());
    }

    private static Optional<BarChart> keyChart(
            String name, KeyFigure key, List<Measurement> measurements, List<String> variants) {
        KeyGroup group = KeyGroup.of(key, name, measurements);
        if (!key.answersIn(measurements) || group.figures().isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(BarChart.of(group, variants));
    }

    /** The reasons of one kind, and the figures that they concern. */
    private record Reasons(Set<String> why, Set<String> about) {

        Doubt doubt() {
            return new Doubt(Doubts.text(List.copyOf(why)), String.join("; ", about));
        }
    }

    /** Returns each kind of reason once, with all the figures that it concerns. */
    private static List<Doubt> doubts(Results results) {
        Map<String, Reasons> kinds = new LinkedHashMap<>();
        for (Measurement m : results.measurements()) {
            String name = m.group() + ", " + m.variant();
            m.doubts().forEach(why -> add(why, name, kinds));
            for (LoadLevel level : m.levels()) {
                String part = GroupView.isAtGivenRate(m) ? name : name + " at " + level.percent() + " %";
                m.doubtsOf(level).forEach(why -> add(why, part, kinds));
            }
        }
        return kinds.values().stream().map(Reasons::doubt).toList();
    }

    private static void add(String why, String about, Map<String, Reasons> kinds) {
        Reasons reasons = kinds.computeIfAbsent(
                Doubts.kind(why), kind -> new Reasons(new LinkedHashSet<>(), new LinkedHashSet<>()));
        reasons.why().add(why);
        reasons.about().add(about);
    }

    /** Returns the names of the variants of all groups, in the order in which they appear. */
    static List<String> variants(Results results) {
        return results.measurements().stream()
                .map(Measurement::variant)
                .distinct()
                .toList();
    }

    /** Measurements by group, in the order in which the groups appear. */
    static Map<String, List<Measurement>> groups(Results results) {
        Map<String, List<Measurement>> groups = new LinkedHashMap<>();
        for (Measurement measurement : results.measurements()) {
            groups.computeIfAbsent(measurement.group(), name -> new ArrayList<>())
                    .add(measurement);
        }
        return groups;
    }

    private static List<Entry> entries(Map<String, String> map) {
        return map.entrySet().stream()
                .map(entry -> new Entry(entry.getKey(), entry.getValue()))
                .toList();
    }
}
