package io.dht4j.benchmarks.report;

import com.samskivert.mustache.Escapers;
import com.samskivert.mustache.Mustache;
import com.samskivert.mustache.Template;
import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Pattern;

/** Renders the report's page and text from templates among the resources. */
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

    /**
     * Returns the page, self-contained.
     *
     * @param data for the charts, as JSON
     */
    static String html(ReportView view, String data) throws IOException {
        Template template = Mustache.compiler()
                .escapeHTML(true)
                .emptyStringIsFalse(true)
                .withLoader(Templates::partial)
                .compile(resource("report.html.mustache"));
        // Within a script element the parser recognizes only its end and comments.
        Map<String, Object> page = Map.of(
                "report", view,
                "style", resource("report.css"),
                "library", chartJs(),
                "script", resource("report.js"),
                "data", data.replace("<", "\\u003c"));
        return template.execute(page);
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
