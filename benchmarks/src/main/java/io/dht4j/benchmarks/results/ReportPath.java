package io.dht4j.benchmarks.results;

import io.dht4j.PrintableText;
import java.util.List;
import java.util.regex.Pattern;

/** The path of a file of a report, which pages link: it must not lead elsewhere. */
final class ReportPath {

    private static final int LONGEST_QUOTE = 100;
    private static final Pattern SCHEME = Pattern.compile("\\p{Alpha}[\\p{Alnum}+.-]*:.*", Pattern.DOTALL);

    private ReportPath() {}

    /**
     * Returns a path that is relative to the report's directory and within it.
     *
     * @param name of the field
     * @throws IllegalArgumentException if the path is absolute, has a scheme or leaves the directory
     */
    static String require(String name, String path) {
        boolean isWithin = !path.isEmpty()
                && !path.startsWith("/")
                && path.indexOf('\\') < 0
                && path.chars().noneMatch(Character::isISOControl)
                && !SCHEME.matcher(path).matches()
                && !List.of(path.split("/")).contains("..");
        if (!isWithin) {
            throw new IllegalArgumentException(
                    name + " must be a path within the report's directory, relative to it and without a scheme, not '"
                            + PrintableText.of(path, LONGEST_QUOTE) + "'");
        }
        return path;
    }
}
