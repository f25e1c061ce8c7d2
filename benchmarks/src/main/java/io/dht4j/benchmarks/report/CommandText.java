package io.dht4j.benchmarks.report;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Escapes text for a shell or a browser. */
final class CommandText {

    private static final Pattern PLAIN = Pattern.compile("[\\w./:=,@%+-]+");

    private CommandText() {}

    /** Returns words for a shell, in quotes where needed. */
    static String of(List<String> words) {
        return words.stream()
                .map(word -> PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'")
                .collect(Collectors.joining(" "));
    }

    /**
     * Returns a path for a link.
     *
     * @param path relative, with slashes
     * @return percent-encoded, without scheme or host
     */
    static String link(String path) {
        try {
            return new URI(null, null, "./" + path, null).toASCIIString();
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException("not a path to a file: " + path, e);
        }
    }
}
