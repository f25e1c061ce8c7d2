package io.dht4j.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A text in the format of Prometheus, version 0.0.4. */
final class Exposition {

    private static final Pattern TYPE =
            Pattern.compile("# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|histogram|summary|untyped)");
    private static final Pattern HELP = Pattern.compile("# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)");
    private static final Pattern SAMPLE =
            Pattern.compile("([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\\{(.*)})? (NaN|[+-]Inf|[-+0-9.eE]+)");
    private static final Pattern LABEL =
            Pattern.compile("([a-zA-Z_][a-zA-Z0-9_]*)=\"((?:[^\"\\\\\\n]|\\\\[\\\\\"n])*)\",?");

    /** A value of one series. */
    record Sample(String name, Map<String, String> labels, double value) {}

    /** The type of each metric by its name. */
    final Map<String, String> types = new HashMap<>();

    final List<Sample> samples = new ArrayList<>();

    /** Parses a text; an assertion fails at a line that is not of the format. */
    static Exposition of(String text) {
        Exposition parsed = new Exposition();
        assertThat(text).endsWith("\n").doesNotContain("\r");
        text.lines().forEach(parsed::add);
        return parsed;
    }

    private void add(String line) {
        Matcher type = TYPE.matcher(line);
        Matcher sample = SAMPLE.matcher(line);
        if (type.matches()) {
            assertThat(types.put(type.group(1), type.group(2)))
                    .as("one type of %s", type.group(1))
                    .isNull();
        } else if (sample.matches()) {
            samples.add(new Sample(
                    sample.group(1),
                    sample.group(2) == null ? Map.of() : labels(sample.group(2)),
                    Double.parseDouble(sample.group(3).replace("Inf", "Infinity"))));
        } else {
            assertThat(line).matches(HELP);
        }
    }

    private static Map<String, String> labels(String text) {
        Map<String, String> labels = new HashMap<>();
        Matcher label = LABEL.matcher(text);
        int end = 0;
        while (label.find() && label.start() == end) {
            assertThat(labels.put(label.group(1), label.group(2)))
                    .as("one %s", label.group(1))
                    .isNull();
            end = label.end();
        }
        assertThat(end).as("the labels %s", text).isEqualTo(text.length());
        return labels;
    }

    /** Returns the names of the labels of a metric, those of its buckets and quantiles aside. */
    Set<String> labelsOf(String metric) {
        Set<String> names = new TreeSet<>();
        samples.stream()
                .filter(sample -> sample.name().equals(metric)
                        || List.of("_bucket", "_sum", "_count").stream()
                                .anyMatch(part -> sample.name().equals(metric + part)))
                .forEach(sample -> names.addAll(sample.labels().keySet()));
        names.removeAll(Set.of("le", "quantile"));
        return names;
    }

    /** Returns the value of the one series with some labels. */
    double value(String name, Map<String, String> labels) {
        List<Sample> found = samples.stream()
                .filter(sample ->
                        sample.name().equals(name) && sample.labels().entrySet().containsAll(labels.entrySet()))
                .toList();
        assertThat(found).as("%s %s", name, labels).hasSize(1);
        return found.get(0).value();
    }
}
