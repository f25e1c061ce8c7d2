package io.dht4j.benchmarks.report;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Text that a program reads again: a shell, a browser. */
final class CommandText {

    private static final Pattern PLAIN = Pattern.compile("[\\w./:=,@%+-]+");

    private CommandText() {}

    /** Words for a shell, in quotes where they need them. */
    static String of(List<String> words) {
        return words.stream()
                .map(word -> PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'")
                .collect(Collectors.joining(" "));
    }

    /**
     * A file for a link.
     *
     * @param path relative, with slashes
     * @return percent-encoded, and never a scheme or another host
     */
    static String link(String path) {
        try {
            return new URI(null, null, "./" + path, null).toASCIIString();
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException("not a path to a file: " + path, e);
        }
    }
}
