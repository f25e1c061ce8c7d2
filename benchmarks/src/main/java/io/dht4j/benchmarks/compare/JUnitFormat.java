package io.dht4j.benchmarks.compare;

import java.io.IOException;
import java.io.StringWriter;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/**
 * A comparison as the XML of JUnit reports: a test case for each figure, which fails if the figure is worse, and is
 * skipped if there are too few repetitions to decide.
 */
final class JUnitFormat {

    private static final DateTimeFormatter SECONDS =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss", Locale.ROOT).withZone(ZoneOffset.UTC);

    /** Characters that XML 1.0 has no escape for. */
    private static final Pattern NOT_XML =
            Pattern.compile("[^\\t\\n\\r\\x20-\\uD7FF\\uE000-\\uFFFD\\x{10000}-\\x{10FFFF}]");

    private final XMLStreamWriter xml;
    private final Comparison comparison;
    private final double tolerancePercent;

    private JUnitFormat(XMLStreamWriter xml, Comparison comparison, double tolerancePercent) {
        this.xml = xml;
        this.comparison = comparison;
        this.tolerancePercent = tolerancePercent;
    }

    static String of(Comparison comparison, double tolerancePercent) throws IOException {
        StringWriter out = new StringWriter();
        try {
            XMLStreamWriter xml = XMLOutputFactory.newDefaultFactory().createXMLStreamWriter(out);
            xml.writeStartDocument("UTF-8", "1.0");
            new JUnitFormat(xml, comparison, tolerancePercent).suites();
            xml.writeEndDocument();
            xml.close();
        } catch (XMLStreamException e) {
            throw new IOException("the comparison cannot be written as XML: " + e.getMessage(), e);
        }
        return out + "\n";
    }

    private void suites() throws XMLStreamException {
        List<ComparedFigure> figures = comparison.figures();
        line(0);
        xml.writeStartElement("testsuites");
        line(1);
        xml.writeStartElement("testsuite");
        attribute("name", "dht bench compare: " + comparison.b().scenario());
        attribute("package", "io.dht4j.bench");
        attribute("id", "0");
        attribute("timestamp", SECONDS.format(comparison.b().began()));
        attribute("hostname", "localhost");
        attribute("tests", String.valueOf(figures.size()));
        attribute(
                "failures",
                String.valueOf(figures.stream()
                        .filter(figure -> figure.isWorse(tolerancePercent))
                        .count()));
        attribute("errors", "0");
        attribute(
                "skipped",
                String.valueOf(figures.stream().filter(JUnitFormat::isSkipped).count()));
        attribute("time", "0");
        properties();
        for (ComparedFigure figure : figures) {
            testCase(figure);
        }
        text("system-out", TextFormats.text(comparison));
        text("system-err", "");
        line(1);
        xml.writeEndElement();
        line(0);
        xml.writeEndElement();
    }

    private static boolean isSkipped(ComparedFigure figure) {
        return figure.outcome() == ComparedFigure.Outcome.CANNOT_TELL;
    }

    private void properties() throws XMLStreamException {
        line(2);
        xml.writeStartElement("properties");
        property(
                "A",
                Comparison.name(comparison.a()) + ", build " + comparison.a().build());
        property(
                "B",
                Comparison.name(comparison.b()) + ", build " + comparison.b().build());
        property("tolerance", tolerancePercent + " %");
        line(2);
        xml.writeEndElement();
    }

    private void property(String name, String value) throws XMLStreamException {
        line(3);
        xml.writeEmptyElement("property");
        attribute("name", name);
        attribute("value", value);
    }

    private void testCase(ComparedFigure figure) throws XMLStreamException {
        String message = figure.title() + ": " + figure.change() + ": " + figure.verdict();
        line(2);
        xml.writeStartElement("testcase");
        attribute("classname", comparison.b().scenario() + "." + figure.group().replace('.', '_'));
        attribute("name", figure.variant() + ": " + figure.quantity());
        attribute("time", "0");
        if (figure.isWorse(tolerancePercent)) {
            line(3);
            xml.writeStartElement("failure");
            attribute("message", message);
            attribute("type", "worse");
            xml.writeCharacters(clean(String.join("\n", figure.remarks())));
            xml.writeEndElement();
        } else if (isSkipped(figure)) {
            line(3);
            xml.writeEmptyElement("skipped");
            attribute("message", message);
        }
        line(2);
        xml.writeEndElement();
    }

    private void text(String element, String text) throws XMLStreamException {
        line(2);
        xml.writeStartElement(element);
        xml.writeCharacters(clean(text));
        xml.writeEndElement();
    }

    private void attribute(String name, String value) throws XMLStreamException {
        xml.writeAttribute(name, clean(value));
    }

    private void line(int depth) throws XMLStreamException {
        xml.writeCharacters("\n" + "  ".repeat(depth));
    }

    private static String clean(String text) {
        return NOT_XML.matcher(text).replaceAll("?");
    }
}
