package io.dht4j.benchmarks.compare;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** A form in which a comparison is written. */
public enum ComparisonFormat {
    /** For people, at a terminal. */
    TEXT,
    /** JUnit's XML, which continuous integration servers show: a test case for each figure. */
    JUNIT,
    /** A Markdown table, for a comment on a change. */
    MARKDOWN,
    /** JSON, with every number. */
    JSON;

    /** Returns the names of all, as on the command line. */
    public static List<String> names() {
        return Arrays.stream(values())
                .map(format -> format.name().toLowerCase(Locale.ROOT))
                .toList();
    }

    /**
     * Returns the format of a name.
     *
     * @throws IllegalArgumentException if there is none; the message lists the names
     */
    public static ComparisonFormat named(String name) {
        if (!names().contains(name)) {
            throw new IllegalArgumentException("must be one of " + String.join(", ", names()) + ", not '" + name + "'");
        }
        return valueOf(name.toUpperCase(Locale.ROOT));
    }

    /**
     * Returns the comparison in this form.
     *
     * @param comparison to write
     * @param tolerancePercent how much worse a figure may be, 0 or more
     * @return lines, the last one ended
     * @throws IOException if the text cannot be made
     */
    public String format(Comparison comparison, double tolerancePercent) throws IOException {
        return switch (this) {
            case TEXT -> TextFormats.text(comparison);
            case JUNIT -> JUnitFormat.of(comparison, tolerancePercent);
            case MARKDOWN -> TextFormats.markdown(comparison);
            case JSON -> JsonFormat.of(comparison, tolerancePercent);
        };
    }
}
