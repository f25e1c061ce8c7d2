package io.dht4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The alerts of the guide are about metrics and outcomes that there are. */
class AlertsTest {

    private static final Path DOCUMENTS = Checkout.root().resolve("docs");
    private static final Pattern METRIC = Pattern.compile("\\b(?:dht|jvm)_[a-z_]+");
    /** What Prometheus adds to the names of histograms and summaries. */
    private static final Pattern PART = Pattern.compile("_(?:bucket|count|sum)$");

    private static final Pattern OUTCOMES = Pattern.compile("outcome=~\"([^\"]+)\"");

    @Test
    void eachMetricIsInTheReference() throws IOException {
        String reference = read("reference/metrics.md");
        Set<String> unknown = new TreeSet<>();
        Matcher metric = METRIC.matcher(read("guide/alerts.md"));
        int found = 0;
        for (; metric.find(); found++) {
            String name = metric.group();
            String family = PART.matcher(name).replaceFirst("");
            if (!reference.contains("| `" + name + "` |") && !reference.contains("| `" + family + "` |")) {
                unknown.add(name);
            }
        }
        assertThat(unknown).isEmpty();
        assertThat(found).isGreaterThan(20);
    }

    @Test
    void eachOutcomeIsAnError() throws IOException {
        String errors = read("reference/errors.md");
        Matcher outcomes = OUTCOMES.matcher(read("guide/alerts.md"));
        assertThat(outcomes.find()).isTrue();
        for (String name : outcomes.group(1).split("\\\\\\|")) {
            assertThat(errors).contains("| `" + name + "` |");
        }
    }

    private static String read(String page) throws IOException {
        return Files.readString(DOCUMENTS.resolve(page));
    }
}
