package io.dht4j.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.benchmarks.results.Measurement;
import io.dht4j.benchmarks.results.Profile;
import io.dht4j.benchmarks.results.Results;
import io.dht4j.benchmarks.results.SampleResults;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportTest {

    /** The title of the bars of a group's rates. */
    private static final String BARS = "<title>PUT, operations/s. More is better.</title>";

    @TempDir
    Path directory;

    @Test
    void textShowsEveryPartOfTheReport() throws Exception {
        Report.write(directory, SampleResults.everything());

        String text = Files.readString(directory.resolve(Report.TEXT));
        assertThat(text)
                .contains("# clients")
                .contains("Which HTTP client costs least between nodes?")
                .contains("./dht bench run clients --keys 1000 --variants 'jdk,one nio'")
                .contains("## PUT")
                .contains("| vertx-h2 |")
                .contains("| jdk (doubted) |")
                .contains("**CPU per put at 5,000/s: vertx 25.3 µs: cheapest, beyond noise; next vertx-h2 31.7 µs; ")
                .containsOnlyOnce("- **the hypervisor took 12 % of the processors' time**: PUT, jdk; GET, jdk")
                .contains("| one-nio (doubted) |")
                .contains("PUT, vertx-h2 at 10 %; PUT, one-nio at 100 %; GET, vertx-h2 at 10 %; ")
                .doesNotContainPattern("vertx-h2 \\(doubted\\).*connections = 64")
                .contains("transport client")
                .contains("bytes allocated")
                .contains("[cpu](./flames/PUT-jdk-cpu.html)")
                .contains("[vertx against jdk, PUT, cpu](./flames/vertx%20jdk.html)")
                .contains("The kernel forbids the profiler mode cpu")
                .contains("2 × A processor")
                .contains("Linux 6.1")
                .doesNotContain("Incomplete");
    }

    @Test
    void aPartOfTheStableLoadThatIsDoubtedSpoilsNoRate() {
        List<Measurement> all = SampleResults.everything().measurements();
        assertThat(all.stream().filter(m -> m.variant().equals("vertx-h2")))
                .isNotEmpty()
                .allSatisfy(m -> assertThat(m.doubtsOfValues()).isEmpty());
        assertThat(all.stream().filter(m -> m.variant().equals("one-nio")))
                .allSatisfy(m -> assertThat(m.doubtsOfValues()).containsExactly("the generator was 12 ms late"));
    }

    @Test
    void aMixHasTheLatencyOfEachKindOfItsOperations() throws Exception {
        Measurement mixed = SampleResults.mixed("b", "vertx", Map.of("update", 2_000, "get", 100), "a doubt");
        Report.write(directory, SampleResults.with(List.of(mixed, SampleResults.bare("b", "jdk", 1.0))));

        assertThat(Files.readString(directory.resolve(Report.TEXT)))
                .contains("| variant | load | get, p50 | get, p99 | update, p50 | update, p99 |")
                .contains("| vertx | 1,000/s | 100 µs | 198 µs | 2.00 ms | 3.96 ms |")
                .containsOnlyOnce("a doubt");
        assertThat(Files.readString(directory.resolve(Report.PAGE))).contains("<th class=\"n\">update, p99</th>");
    }

    @Test
    void layersHaveTheSameOrderInEveryMeasurement() throws Exception {
        Measurement one = profiled("GET", Map.of("kernel", 0.5, "public API", 0.5));
        Measurement other = profiled("PUT", Map.of("something new", 0.2, "store", 0.4, "codec", 0.4));
        Report.write(directory, SampleResults.with(List.of(one, other)));

        assertThat(Files.readString(directory.resolve(Report.TEXT)))
                .contains("| variant | public API | kernel |")
                .contains("| variant | codec | store | something new |");
        assertThat(Files.readString(directory.resolve(Report.PAGE)))
                .contains("\"layers\":[\"public API\",\"codec\",\"store\",\"kernel\",\"something new\"]");
    }

    private static Measurement profiled(String group, Map<String, Double> layers) {
        return new Measurement(
                group,
                "vertx",
                Measurement.PER_SECOND,
                true,
                List.of(1.0),
                Map.of(),
                List.of(),
                Map.of(),
                List.of(new Profile("cpu", 1, layers, "a.html", "a.collapsed")),
                List.of());
    }

    @Test
    void aGivenRateIsNoStableLoadAndNoResult() throws Exception {
        Report.write(directory, SampleResults.everything());
        assertThat(Files.readString(directory.resolve(Report.PAGE)))
                .contains(BARS, "its own stable load", ">load</th>");

        Report.write(directory, SampleResults.with(List.of(atGivenRate("vertx"), atGivenRate("jdk"))));
        assertThat(Files.readString(directory.resolve(Report.PAGE)))
                .contains("<title>CPU per put at 5,000/s, µs. Less is better.</title>")
                .contains("<title>bytes allocated per put at 5,000/s. Less is better.</title>")
                .contains("The line is that of the first repetition")
                .doesNotContain(BARS, "its own stable load", ">load</th>");
    }

    @Test
    void costsOfOneVariantHaveATableWithoutCharts() throws Exception {
        Report.write(directory, SampleResults.with(List.of(atGivenRate("vertx"))));

        assertThat(Files.readString(directory.resolve(Report.PAGE)))
                .contains("Costs of an operation", "<th class=\"n\">CPU µs</th>")
                .contains("<title>CPU per put at 5,000/s, µs. Less is better.</title>")
                .doesNotContain("<title>bytes allocated per put");
    }

    private static Measurement atGivenRate(String variant) {
        Measurement all = SampleResults.everything().measurements().get(0);
        return new Measurement(
                        all.group(),
                        variant,
                        all.unit(),
                        all.moreIsBetter(),
                        all.values(),
                        all.settings(),
                        all.levels().subList(4, 5),
                        all.costs(),
                        List.of(),
                        List.of())
                .countedAt(5_000);
    }

    @Test
    void doubtsThatDifferInNumbersStandOnce() throws Exception {
        Measurement first = SampleResults.costing(
                "PUT", "vertx", List.of(1.0), "the collector took 27.0 %", "the collector took 5 %");
        Measurement second = SampleResults.costing("PUT", "jdk", List.of(2.0), "the collector took 31 %");
        Report.write(directory, SampleResults.with(List.of(first, second)));

        assertThat(Files.readString(directory.resolve(Report.TEXT)))
                .contains("- **the collector took 27.0 % (and 2 more of this kind)**: PUT, vertx; PUT, jdk\n")
                .containsOnlyOnce("the collector took");
    }

    @Test
    void incompleteRunIsMarked() throws Exception {
        Results whole = SampleResults.with(List.of());
        Report.write(
                directory,
                new Results(
                        whole.schema(),
                        whole.scenario(),
                        whole.question(),
                        whole.keyFigure(),
                        "",
                        whole.command(),
                        whole.began(),
                        whole.tookSeconds(),
                        false,
                        true,
                        whole.parameters(),
                        whole.build(),
                        whole.machine(),
                        whole.measurements(),
                        whole.notes(),
                        whole.links()));

        assertThat(Files.readString(directory.resolve(Report.TEXT))).contains("Incomplete", "(quick)");
        assertThat(Files.readString(directory.resolve(Report.PAGE))).contains("Incomplete", "nothing was measured.");
    }

    @Test
    void namesCannotBreakOutOfThePageOrOfATable() throws Exception {
        Report.write(
                directory,
                SampleResults.with(List.of(SampleResults.bare("</script><b id=x>", "a|b <i>&\"</script><!--", 1.0))));

        assertThat(Files.readString(directory.resolve(Report.PAGE)))
                .doesNotContain("<b id=x>", "<i>&", "</script><!--")
                .contains("&lt;/script&gt;&lt;b id");
        assertThat(Files.readString(directory.resolve(Report.TEXT))).contains("a\\|b &lt;i>");
    }

    @Test
    void thePageNeedsNothingFromElsewhere() throws Exception {
        Report.write(directory, SampleResults.everything());

        String page = Files.readString(directory.resolve(Report.PAGE));
        assertThat(page)
                .contains("default-src 'none'")
                .doesNotContainPattern("<script[^>]*\\ssrc=")
                .doesNotContainPattern("<link\\s")
                .doesNotContainPattern("@import|url\\(")
                .doesNotContain("sourceMappingURL");
        assertThat(page.length()).isLessThan(600_000);
    }
}
