package io.dht4j.benchmarks.report;

import com.samskivert.mustache.Escapers;
import com.samskivert.mustache.Mustache;
import com.samskivert.mustache.Template;
import io.dht4j.PrintableText;
import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Pattern;

/** Renders the report's page, text and picture from templates among the resources. */
final class Templates {

    private static final Pattern SOURCE_MAP = Pattern.compile("(?m)^//# sourceMappingURL=.*$");

    private Templates() {}

    /** Returns the text, as Markdown. */
    static String markdown(ReportView view) throws IOException {
        // A bar ends a table's cell, and a line break its row.
        Mustache.Escaper cells = Escapers.simple(new String[][] {{"|", "\\|"}, {"\n", " "}, {"<", "&lt;"}});
        return Mustache.compiler()
                .withEscaper(cells)
                .withLoader(Templates::partial)
                .compile(resource("report.md.mustache"))
                .execute(view);
    }

    /** Returns the picture, as SVG. */
    static String svg(ChartPicture picture) throws IOException {
        // XML has no control characters.
        Mustache.Escaper printable = raw -> Escapers.HTML.escape(PrintableText.of(raw));
        return markup("chart.svg.mustache", printable)
                .execute(Map.of("picture", picture, "style", resource("chart.css")));
    }

    /**
     * Returns the page, self-contained.
     *
     * @param data for the charts of the script, as JSON
     */
    static String html(ReportView view, String data) throws IOException {
        // Within a script element the parser recognizes only its end and comments.
        Map<String, Object> page = Map.of(
                "report", view,
                "style", resource("chart.css") + resource("report.css"),
                "library", chartJs(),
                "script", resource("report.js"),
                "data", data.replace("<", "\\u003c"));
        return markup("report.html.mustache", Escapers.HTML).execute(page);
    }

    private static Template markup(String name, Mustache.Escaper escaper) throws IOException {
        return Mustache.compiler()
                .withEscaper(escaper)
                .emptyStringIsFalse(true)
                .withLoader(Templates::partial)
                .compile(resource(name));
    }

    private static String chartJs() throws IOException {
        Properties versions = new Properties();
        versions.load(new StringReader(resource("versions.properties")));
        String path =
                "/META-INF/resources/webjars/chart.js/" + versions.getProperty("chartjs") + "/dist/chart.umd.min.js";
        return SOURCE_MAP.matcher(resource(path)).replaceAll("");
    }

    private static Reader partial(String name) throws IOException {
        return new StringReader(resource(name + ".mustache"));
    }

    private static String resource(String name) throws IOException {
        try (InputStream in = Templates.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IOException("the program is incomplete: its class path lacks " + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
