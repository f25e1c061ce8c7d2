package io.dht4j.benchmarks.compare;

import static io.dht4j.benchmarks.results.SampleResults.bare;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dht4j.benchmarks.results.Measurement;
import io.dht4j.benchmarks.results.SampleResults;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.transform.stream.StreamSource;
import javax.xml.validation.SchemaFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

class ComparisonFormatTest {

    private static final Double[] FAST = {200.0, 201.0, 202.0, 203.0};
    private static final Double[] SLOW = {100.0, 101.0, 102.0, 103.0};

    private static final Comparison COMPARISON = Comparison.of(
            SampleResults.with(List.of(
                    bare("PUT", "jdk", FAST),
                    bare("PUT", "one|nio <&\">", FAST),
                    bare("PUT", "few", 1.0),
                    bare("PUT", "gone", 1.0))),
            SampleResults.with(List.of(
                    bare("PUT", "jdk", SLOW),
                    bare("PUT", "one|nio <&\">", FAST),
                    doubted("few", "bell \u0007 & <tag>"))));

    @Test
    void junitIsValidAndHasACaseForEachFigure() throws Exception {
        String xml = ComparisonFormat.JUNIT.format(COMPARISON, 5);

        validate(xml);
        Element suite = (Element) parse(xml).getElementsByTagName("testsuite").item(0);
        assertThat(List.of("tests", "failures", "errors", "skipped"))
                .extracting(suite::getAttribute)
                .containsExactly("3", "1", "0", "1");
        assertThat(names(suite))
                .containsExactly("jdk: operations/s", "one|nio <&\">: operations/s", "few: operations/s");
        Element failure = (Element) suite.getElementsByTagName("failure").item(0);
        assertThat(((Element) failure.getParentNode()).getAttribute("name")).isEqualTo("jdk: operations/s");
        assertThat(failure.getAttribute("message"))
                .isEqualTo("PUT, jdk: 202 (200 to 203) -> 102 (100 to 103) operations/s, -49.6 %: WORSE beyond noise "
                        + "(p = 0.029)");
        Element skipped = (Element) suite.getElementsByTagName("skipped").item(0);
        assertThat(skipped.getAttribute("message")).contains("too few repetitions (1 and 1)");
        assertThat(suite.getElementsByTagName("system-out").item(0).getTextContent())
                .contains("bell ? & <tag>");
    }

    @Test
    void junitFailsOnlyBeyondTheTolerance() throws Exception {
        String xml = ComparisonFormat.JUNIT.format(COMPARISON, 50);

        validate(xml);
        assertThat(parse(xml).getElementsByTagName("failure").getLength()).isZero();
    }

    @Test
    void markdownIsATableWhoseCellsAreEscaped() throws Exception {
        String text = ComparisonFormat.MARKDOWN.format(COMPARISON, 5);

        assertThat(text.lines())
                .contains(
                        "**Of 3 figures: 1 worse, 1 within noise, 1 cannot tell. "
                                + "Too few repetitions cannot tell: use --repetitions 4 in both runs.**",
                        "| PUT | jdk | operations/s | 202 (200 to 203) | 102 (100 to 103) | -49.6 % | WORSE beyond "
                                + "noise (p = 0.029) |",
                        "- PUT, gone: only in A")
                .anyMatch(line -> line.startsWith("| PUT | one\\|nio &lt;&\"> | operations/s | "));
    }

    @Test
    void jsonHasEveryNumber() throws Exception {
        JsonNode json = new ObjectMapper().readTree(ComparisonFormat.JSON.format(COMPARISON, 5));

        assertThat(json.path("worse").booleanValue()).isTrue();
        assertThat(json.path("judged").booleanValue()).isTrue();
        assertThat(json.path("tolerancePercent").doubleValue()).isEqualTo(5);
        JsonNode figure = json.path("figures").path(0);
        assertThat(figure.path("before").path("median").doubleValue()).isEqualTo(201.5);
        assertThat(figure.path("after").path("values")).hasSize(SLOW.length);
        assertThat(figure.path("changePercent").doubleValue()).isBetween(-49.7, -49.5);
        assertThat(figure.path("outcome").textValue()).isEqualTo("worse");
        assertThat(figure.path("worse").booleanValue()).isTrue();
        assertThat(json.path("figures").path(2).path("outcome").textValue()).isEqualTo("cannot tell");
        assertThat(json.path("incomparable").path(0).textValue()).isEqualTo("PUT, gone: only in A");
    }

    @Test
    void jsonHasNoInfiniteNumber() throws Exception {
        Comparison fromNothing = Comparison.of(
                SampleResults.with(List.of(bare("PUT", "jdk", 0.0))),
                SampleResults.with(List.of(bare("PUT", "jdk", 1.0))));

        JsonNode json = new ObjectMapper().readTree(ComparisonFormat.JSON.format(fromNothing, 0));

        assertThat(json.path("figures").path(0).path("changePercent").isNull()).isTrue();
    }

    @Test
    void anUnknownFormatIsRefusedWithTheKnownOnes() {
        assertThatThrownBy(() -> ComparisonFormat.named("xml"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("must be one of text, junit, markdown, json, not 'xml'");
    }

    private static Measurement doubted(String variant, String doubt) {
        return new Measurement("PUT", variant, Measurement.PER_SECOND, true, List.of(2.0), Map.of(), List.of(doubt));
    }

    private static List<String> names(Element suite) {
        List<String> names = new ArrayList<>();
        NodeList cases = suite.getElementsByTagName("testcase");
        for (int i = 0; i < cases.getLength(); i++) {
            names.add(((Element) cases.item(i)).getAttribute("name"));
        }
        return names;
    }

    private static Document parse(String xml) throws Exception {
        return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new InputSource(new StringReader(xml)));
    }

    private static void validate(String xml) throws Exception {
        SchemaFactory.newInstance(XMLConstants.W3C_XML_SCHEMA_NS_URI)
                .newSchema(ComparisonFormatTest.class.getResource("junit.xsd"))
                .newValidator()
                .validate(new StreamSource(new StringReader(xml)));
    }
}
