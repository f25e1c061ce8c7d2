package io.dht4j.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
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
@Tag("portable")
class ReportPageTest {

    private static final int CHARTS = 2 * 4; // bars, latency and two profiles for each group

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
        assertThat(page.path("tables").intValue()).isEqualTo(2 * 6 + 2);
        assertThat(page.path("dark").booleanValue()).isEqualTo(dark);
        assertThat(page.path("background").textValue()).isEqualTo(dark ? "rgb(20, 23, 27)" : "rgb(255, 255, 255)");
    }

    @Test
    void everythingIsToldInText() throws Exception {
        Report.write(directory, SampleResults.everything());

        JsonNode page = chromium.open(directory.resolve(Report.PAGE), 1200, false);

        assertThat(page.path("text").textValue())
                .contains("Which HTTP client costs least between nodes?")
                .contains("./dht bench run clients --keys 1000")
                .contains("the hypervisor took 12 %")
                .contains("The kernel forbids the profiler mode cpu")
                .contains("A processor")
                .contains("100 % of the stable load");
        List<String> links = new ArrayList<>();
        page.path("links").forEach(link -> links.add(link.textValue()));
        assertThat(links).contains("./flames/PUT-jdk-cpu.html", "./flames/vertx%20jdk.html", "results.json");
    }

    @Test
    void aPageWithoutMeasurementsOpens() throws Exception {
        Report.write(directory, SampleResults.with(List.of()));

        JsonNode page = chromium.open(directory.resolve(Report.PAGE), 1200, false);

        assertThat(page.path("problems")).isEmpty();
        assertThat(page.path("text").textValue()).contains("Nothing was measured.");
    }
}
