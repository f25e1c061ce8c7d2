package io.dht4j.benchmarks.report;

import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Results in words and rounded figures, under the names that the templates use. */
record ReportView(
        String scenario,
        String question,
        boolean complete,
        boolean quick,
        String began,
        String took,
        String command,
        List<Entry> parameters,
        List<Entry> machine,
        List<GroupView> groups,
        boolean hasDoubts,
        int doubted,
        List<String> notes,
        List<Entry> links) {

    private static final DateTimeFormatter MINUTES =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm 'UTC'", Locale.ROOT).withZone(ZoneOffset.UTC);

    /** A name with its value. */
    record Entry(String name, String value) {}

    /** The view of a whole run. */
    static ReportView of(Results results) {
        List<GroupView> groups = new ArrayList<>();
        groups(results)
                .forEach((name, measurements) -> groups.add(GroupView.of("g" + groups.size(), name, measurements)));
        int doubted = groups.stream().mapToInt(group -> group.doubts().size()).sum();
        Machine machine = results.machine();
        return new ReportView(
                results.scenario(),
                results.question(),
                results.complete(),
                results.quick(),
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
                doubted > 0,
                doubted,
                results.notes(),
                results.links().stream()
                        .map(link -> new Entry(link.title(), CommandText.link(link.path())))
                        .toList());
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
