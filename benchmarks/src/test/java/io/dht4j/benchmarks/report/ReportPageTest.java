package io.dht4j.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.dht4j.benchmarks.results.LoadLevel;
import io.dht4j.benchmarks.results.Measurement;
import io.dht4j.benchmarks.results.SampleResults;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Opens the page in a real browser. */
@Tag("full")
class ReportPageTest {

    /** The key figure, the rates and four costs for each group. */
    private static final int BARS = 2 * 6;

    /** Latency against throughput, latency by percentile and two profiles for each group. */
    private static final int CHARTS = 2 * 4;

    private static Chromium chromium;

    @TempDir
    Path directory;

    @BeforeAll
    static void find() {
        Optional<Chromium> found = Chromium.find();
        assumeTrue(found.isPresent(), "no Chromium on the PATH, so the page cannot be tried in a browser");
        chromium = found.orElseThrow();
    }

    @ParameterizedTest
    @CsvSource({"1200,false", "390,true"})
    void everyChartIsDrawnWithoutAnErrorAndFits(int width, boolean dark) throws Exception {
        drawEveryChart(width, dark);
    }

    @ParameterizedTest
    @Tag("full")
    @CsvSource({"1200,true", "390,false"})
    void everyChartIsDrawnInTheOtherColoursToo(int width, boolean dark) throws Exception {
        drawEveryChart(width, dark);
    }

    private void drawEveryChart(int width, boolean dark) throws Exception {
        Report.write(directory, SampleResults.everything());

        JsonNode page = chromium.open(directory.resolve(Report.PAGE), width, dark);

        assertThat(page.path("problems")).isEmpty();
        assertThat(page.path("width").intValue()).isEqualTo(width);
        assertThat(page.path("scrollWidth").intValue()).isLessThanOrEqualTo(width);
        assertThat(page.path("charts")).hasSize(CHARTS).allSatisfy(chart -> {
            assertThat(chart.path("colours").intValue()).isGreaterThanOrEqualTo(8);
            assertThat(chart.path("label").textValue()).contains("The table below holds the same figures");
        });
        assertThat(page.path("bars")).hasSize(BARS).allSatisfy(chart -> {
            assertThat(texts(chart.path("variants"))).hasSize(8);
            assertThat(texts(chart.path("cut"))).as("texts beyond the edge").isEmpty();
            assertThat(chart.path("colours").intValue()).isEqualTo(8);
            assertThat(chart.path("label").textValue()).contains("The table below holds the same figures");
        });
        assertThat(texts(page.path("whole")))
                .as("what stays on one line")
                .contains("25.3 µs", "vertx-h2", "grpc-stream");
        assertThat(page.path("broken").intValue()).isZero();
        assertThat(page.path("hatched").intValue())
                .as("doubted bars, of jdk and of one-nio's rate")
                .isPositive();
        assertThat(page.path("printed").path("background").textValue()).isEqualTo("rgb(255, 255, 255)");
        assertThat(page.path("printed").path("charts").intValue()).isEqualTo(CHARTS);
        assertThat(page.path("printed").path("widest").intValue())
                .as("the width of charts on paper, whatever that of the screen")
                .isBetween(600, 800);
        assertThat(page.path("tables").intValue()).isEqualTo(2 * 6 + 2);
        assertThat(page.path("dark").booleanValue()).isEqualTo(dark);
        assertThat(page.path("background").textValue()).isEqualTo(dark ? "rgb(20, 23, 27)" : "rgb(255, 255, 255)");
    }

    @Test
    void thePageOpensWithQuestionAnswerAndItsChartSorted() throws Exception {
        Report.write(directory, SampleResults.everything());

        JsonNode page = chromium.open(directory.resolve(Report.PAGE), 1200, false);

        String text = page.path("text").textValue();
        assertThat(text.lines().filter(line -> !line.isBlank()).limit(5))
                .containsExactly(
                        "clients",
                        "Which HTTP client costs least between nodes?",
                        "CPU per put at 5,000/s: vertx 25.3 µs: cheapest, beyond noise; next vertx-h2 31.7 µs; "
                                + "grpc-stream 47.4 µs: dearest; doubted and left out: jdk 37.9 µs.",
                        "CPU per get at 5,000/s: vertx-h2 19.7 µs, one-nio 21.5 µs: within noise; next "
                                + "grpc-stream 31.0 µs; jdk-h2 48.7 µs: dearest; doubted and left out: jdk 30.8 µs.",
                        "CPU per put at 5,000/s, µs. Less is better.");
        JsonNode first = page.path("bars").get(0);
        assertThat(first.path("label").textValue()).startsWith("CPU per put");
        assertThat(texts(first.path("variants")))
                .as("the variants of the first chart")
                .containsExactly(
                        "vertx", "vertx-h2", "jdk-h2", "vertx-pipelined", "jdk", "one-nio", "webclient", "grpc-stream");
        assertThat(text).containsOnlyOnce("the hypervisor took 12 %");
    }

    private static List<String> texts(JsonNode array) {
        List<String> texts = new ArrayList<>();
        array.forEach(text -> texts.add(text.textValue()));
        return texts;
    }

    @Test
    void latenciesBeyondTheStableLoadAreNotShownFirst() throws Exception {
        Measurement measured = SampleResults.everything().measurements().get(0);
        List<LoadLevel> levels = new ArrayList<>(measured.levels());
        levels.add(new LoadLevel(150, levels.get(0).result()));
        Report.write(
                directory,
                SampleResults.with(List.of(new Measurement(
                        measured.group(),
                        measured.variant(),
                        measured.unit(),
                        measured.moreIsBetter(),
                        measured.values(),
                        measured.settings(),
                        levels,
                        measured.costs(),
                        measured.profiles(),
                        measured.doubts()))));

        JsonNode page = chromium.open(directory.resolve(Report.PAGE), 1200, false);

        assertThat(page.path("problems")).isEmpty();
        assertThat(texts(page.path("loads"))).containsExactly("100");
    }

    @Test
    void textNamesParametersDoubtsNotesAndFiles() throws Exception {
        Report.write(directory, SampleResults.everything());

        JsonNode page = chromium.open(directory.resolve(Report.PAGE), 1200, false);

        assertThat(page.path("text").textValue())
                .contains("Which HTTP client costs least between nodes?")
                .contains("./dht bench run clients --keys 1000")
                .contains("the hypervisor took 12 %")
                .contains("The kernel forbids the profiler mode cpu")
                .contains("A processor")
                .contains("100 % of the stable load");
        assertThat(texts(page.path("links")))
                .contains("./flames/PUT-jdk-cpu.html", "./flames/vertx%20jdk.html", "results.json");
    }

    @Test
    void aPageWithoutMeasurementsOpens() throws Exception {
        Report.write(directory, SampleResults.with(List.of()));

        JsonNode page = chromium.open(directory.resolve(Report.PAGE), 1200, false);

        assertThat(page.path("problems")).isEmpty();
        assertThat(page.path("text").textValue()).contains("nothing was measured.");
    }
}
