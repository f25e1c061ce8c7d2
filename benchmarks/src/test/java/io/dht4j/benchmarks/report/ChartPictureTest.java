package io.dht4j.benchmarks.report;

import static io.dht4j.benchmarks.results.SampleResults.bare;
import static io.dht4j.benchmarks.results.SampleResults.costing;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.dht4j.benchmarks.results.KeyFigure;
import io.dht4j.benchmarks.results.Measurement;
import io.dht4j.benchmarks.results.Results;
import io.dht4j.benchmarks.results.ResultsFile;
import io.dht4j.benchmarks.results.SampleResults;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

class ChartPictureTest {

    private static final int MOST_BYTES = 20_000;
    private static final int MOST_WIDTH = 800;

    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "async-one-repetition",
                "cancellation-one-repetition",
                "clients-one-repetition",
                "executors-one-repetition",
                "replication-one-repetition",
                "sharding-one-repetition",
                "transports-three-repetitions"
            })
    void recordedRunsHaveEachVariantWithItsMedian(String name) throws Exception {
        Results results = recorded(name);

        Element picture = picture(results);

        assertThat(Files.size(directory.resolve(Report.PICTURE))).isLessThan(MOST_BYTES);
        assertThat(Integer.parseInt(picture.getAttribute("width"))).isLessThanOrEqualTo(MOST_WIDTH);
        assertThat(texts(picture, "title")).containsExactly(results.scenario() + ": " + results.question());
        List<String> names = texts(picture, "text");
        List<KeyGroup> groups = answering(results);
        assertThat(groups).isNotEmpty();
        groups.forEach(group -> {
            assertThat(names).anyMatch(text -> text.startsWith(group.title()));
            assertThat(names)
                    .containsAll(group.figures().stream()
                            .map(ChartPictureTest::label)
                            .toList());
            assertThat(texts(picture, "desc").get(0)).contains(group.title());
        });
        assertThat(withClass(picture, "bar"))
                .hasSize(groups.stream()
                        .mapToInt(group -> group.figures().size())
                        .sum());
    }

    private static String label(KeyGroup.Figure figure) {
        String range = figure.values().size() == 1
                ? ""
                : " (" + Figures.of(figure.spread().least()) + "–"
                        + Figures.of(figure.spread().greatest()) + ")";
        return figure.variant() + " " + Figures.of(figure.spread().median()) + range
                + (figure.doubted() ? " doubted" : "");
    }

    @Test
    void barsRangesAndDotsHaveTheScaleOfTheAxis() throws Exception {
        Results results = recorded("transports-three-repetitions");

        List<Element> charts = elements(picture(results), "svg");

        List<KeyGroup> groups = answering(results);
        assertThat(charts).hasSize(3).hasSameSizeAs(groups);
        for (int i = 0; i < groups.size(); i++) {
            List<KeyGroup.Figure> figures = groups.get(i).figures();
            List<Element> bars = elements(charts.get(i), "g");
            double perPercent = greatestTick(charts.get(i)) / 100;
            assertThat(bars).hasSameSizeAs(figures);
            for (int j = 0; j < bars.size(); j++) {
                KeyGroup.Figure figure = figures.get(j);
                Element bar = withClass(bars.get(j), "bar").get(0);
                assertThat(percent(bar, "x1")).isZero();
                assertAt(percent(bar, "x2"), figure.spread().median(), perPercent);
                Element range = withClass(bars.get(j), "range").get(0);
                assertAt(percent(range, "x1"), figure.spread().least(), perPercent);
                assertAt(percent(range, "x2"), figure.spread().greatest(), perPercent);
                List<Element> dots = elements(bars.get(j), "circle");
                assertThat(dots).hasSize(3);
                for (int k = 0; k < 3; k++) {
                    assertAt(percent(dots.get(k), "cx"), figure.values().get(k), perPercent);
                }
            }
        }
    }

    private static double greatestTick(Element chart) {
        List<Element> ticks = withClass(chart, "tick");
        Element last = ticks.get(ticks.size() - 1);
        assertThat(percent(ticks.get(0), "x")).isZero();
        assertThat(ticks.get(0).getTextContent()).isEqualTo("0");
        assertThat(percent(last, "x")).isEqualTo(100);
        return Double.parseDouble(last.getTextContent().replace(",", ""));
    }

    private static void assertAt(double percent, double value, double perPercent) {
        assertThat(percent * perPercent).isCloseTo(value, within(0.006 * perPercent));
    }

    @Test
    void singleRepetitionHasADotAndNoRange() throws Exception {
        Element picture = picture(SampleResults.with(List.of(costing("PUT", "vertx", List.of(68.0)))));

        assertThat(withClass(picture, "range")).isEmpty();
        assertThat(elements(picture, "circle")).hasSize(1);
        assertThat(texts(picture, "text")).contains("CPU per put, µs. Less is better.", "vertx 68.0");
    }

    @Test
    void axesEndAtRoundFiguresAndIncludeZero() throws Exception {
        assertThat(ticks(1.0, 47.0)).containsExactly("0", "20", "40", "60");
        assertThat(ticks(20.0)).containsExactly("0", "10", "20", "30");
        assertThat(ticks(1_234_567.0)).containsExactly("0", "500,000", "1,000,000", "1,500,000");
        assertThat(ticks(0.0011)).containsExactly("0", "0.0005", "0.001", "0.0015");
        assertThat(ticks(0.0)).containsExactly("0", "1");
        assertThat(ticks(-0.3, 2.0)).containsExactly("-1", "0", "1", "2", "3");
    }

    private List<String> ticks(Double... costs) throws Exception {
        Element picture = picture(SampleResults.with(List.of(costing("PUT", "vertx", List.of(costs)))));
        return withClass(picture, "tick").stream().map(Element::getTextContent).toList();
    }

    @Test
    void textsCannotBreakOutOfThePicture() throws Exception {
        String group = "</text><script>&\"'";
        String variant = "]]><b>&amp;\u0007\uFFFE";
        Results rates = keyedByValues(bare(group, variant, 1.0));

        Element picture = picture(rates);

        assertThat(texts(picture, "text"))
                .contains(group + ", operations/s. More is better.", "]]><b>&amp;\\u0007\\ufffe 1.00");
        assertThat(elements(picture, "script")).isEmpty();
        assertThat(elements(picture, "b")).isEmpty();
    }

    @Test
    void doubtedBarsAreHatchedAndExplained() throws Exception {
        Element picture = picture(SampleResults.everything());

        List<Element> doubted = withClass(picture, "doubted");
        assertThat(doubted)
                .hasSize(2)
                .allSatisfy(
                        bar -> assertThat(bar.getParentNode().getTextContent()).contains("jdk", " doubted"));
        assertThat(texts(picture, "text")).last().asString().endsWith("Hatched: doubted.");
    }

    @Test
    void pictureNeedsNothingFromElsewhere() throws Exception {
        picture(SampleResults.everything());

        assertThat(Files.readString(directory.resolve(Report.PICTURE)))
                .contains("prefers-color-scheme: dark")
                .doesNotContainPattern("href|url\\(|@import|<script|<image|font-face");
        assertThat(Files.size(directory.resolve(Report.PICTURE))).isLessThan(MOST_BYTES);
    }

    @Test
    void everyColourOfABarIsDefined() throws Exception {
        Measurement[] many = IntStream.range(0, 2 * BarChart.COLOURS)
                .mapToObj(i -> bare("PUT", "v" + i, 1.0))
                .toArray(Measurement[]::new);

        Element picture = picture(keyedByValues(many));

        String style = texts(picture, "style").get(0);
        assertThat(elements(picture, "g")).hasSize(many.length).allSatisfy(bar -> {
            String name = bar.getAttribute("style").replace("color:var(", "").replace(")", "");
            assertThat(style.split(name + ":", -1)).as("light and dark").hasSize(3);
        });
    }

    @Test
    void incompleteAndEmptyRunsSaySo() throws Exception {
        Element empty = picture(SampleResults.with(List.of()));
        assertThat(texts(empty, "text")).containsExactly("No answer: nothing was measured.");
        assertThat(elements(empty, "svg")).isEmpty();

        Results all = SampleResults.with(List.of(costing("PUT", "vertx", List.of(68.0))));
        Element incomplete = picture(SampleResults.with(all.keyFigure(), false, all.measurements()));
        assertThat(texts(incomplete, "text")).last().asString().startsWith("Incomplete. Bar: median.");
    }

    private static Results recorded(String name) throws Exception {
        try (var in = ChartPictureTest.class.getResourceAsStream(name + ".json")) {
            return ResultsFile.parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    private static List<KeyGroup> answering(Results results) {
        List<KeyGroup> groups = new ArrayList<>();
        ReportView.groups(results).forEach((name, measurements) -> {
            if (results.keyFigure().answersIn(measurements)) {
                groups.add(KeyGroup.of(results.keyFigure(), name, measurements));
            }
        });
        return groups;
    }

    private static Results keyedByValues(Measurement... measurements) {
        return SampleResults.with(KeyFigure.values(), true, List.of(measurements));
    }

    private Element picture(Results results) throws Exception {
        Report.write(directory, results);
        byte[] svg = Files.readAllBytes(directory.resolve(Report.PICTURE));
        DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
        factory.setNamespaceAware(true);
        Element root = factory.newDocumentBuilder()
                .parse(new ByteArrayInputStream(svg))
                .getDocumentElement();
        assertThat(root.getNamespaceURI()).isEqualTo("http://www.w3.org/2000/svg");
        assertThat(root.getLocalName()).isEqualTo("svg");
        return root;
    }

    private static List<Element> elements(Element parent, String name) {
        NodeList nodes = parent.getElementsByTagNameNS("*", name);
        return IntStream.range(0, nodes.getLength())
                .mapToObj(nodes::item)
                .map(Element.class::cast)
                .toList();
    }

    private static List<String> texts(Element parent, String name) {
        return elements(parent, name).stream().map(Element::getTextContent).toList();
    }

    private static List<Element> withClass(Element parent, String name) {
        return elements(parent, "*").stream()
                .filter(element ->
                        Arrays.asList(element.getAttribute("class").split(" ")).contains(name))
                .toList();
    }

    private static double percent(Element element, String attribute) {
        return Double.parseDouble(element.getAttribute(attribute).replace("%", ""));
    }
}
