package io.dht4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.server.log.ShellWords;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Messages of the libraries name calls as remedies, since an application has no command line. The server has a command
 * for each of them.
 */
class LibraryWordsTest {

    private static final Path ROOT = Checkout.root();

    private static final List<String> LIBRARIES = List.of(
            "dht-api",
            "dht-core",
            "dht-datasketches",
            "dht-micrometer",
            "dht-opentelemetry",
            "dht-spring-boot-starter",
            "dht-store",
            "dht-topology-microraft",
            "dht-transport-common",
            "dht-transport-grpc",
            "dht-transport-grpc-api",
            "dht-transport-http",
            "dht-transport-http-clients",
            "dht-transport-tcp");

    private static final Pattern COMMENT = Pattern.compile("(?m)^\\s*(?:/?\\*|//).*$");
    private static final Pattern LITERAL = Pattern.compile("\"((?:[^\"\\\\\\n]|\\\\.)*)\"");
    private static final Pattern CONTINUATION = Pattern.compile("(?<!\\\\)\"\\s*\\+\\s*\"");
    private static final Pattern SHELL = Pattern.compile("\\./dht\\b|(?<![-\\w])--(?!dht4j\\.)[a-z]");

    /** What remedies name. {@code Remedies} builds its texts of parts, and each has a test in the server. */
    private static final Pattern REMEDY = Pattern.compile(
            "\\bmembership\\(\\)|\\bMembership\\.(?:join|bootstrap)\\b"
                    + "|\\bMembership(?:Status|Change)\\.|\\b(?:acceptDataLoss|Rebuild\\.begin)\\b|another (?:NodeId|Transport)\\b");

    private record Text(Path file, String text) {}

    @Test
    void librariesNameNoCommands() throws IOException {
        assertThat(texts().stream()
                        .filter(literal -> SHELL.matcher(literal.text()).find()))
                .isEmpty();
    }

    @Test
    void theServerHasACommandForEachRemedy() throws IOException {
        List<Text> remedies = texts().stream()
                .filter(literal -> !literal.file().endsWith("Remedies.java"))
                .filter(literal -> REMEDY.matcher(literal.text()).find())
                .toList();
        assertThat(remedies).hasSizeGreaterThan(20);
        assertThat(remedies)
                .allSatisfy(literal -> assertThat(ShellWords.of(literal.text())).doesNotContainPattern(REMEDY));
    }

    /** Returns the literals of all libraries, those that {@code +} joins as one. */
    private static List<Text> texts() throws IOException {
        List<Text> texts = new ArrayList<>();
        for (String library : LIBRARIES) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(library).resolve("src/main/java"))) {
                for (Path file :
                        files.filter(path -> path.toString().endsWith(".java")).toList()) {
                    String source = COMMENT.matcher(Files.readString(file)).replaceAll("");
                    LITERAL.matcher(CONTINUATION.matcher(source).replaceAll(""))
                            .results()
                            .map(literal -> literal.group(1))
                            // What follows is only known at run time: a node and its address, as remedies have it.
                            .map(text -> new Text(file, text.endsWith(" ") ? text + "n1=h:1" : text))
                            .forEach(texts::add);
                }
            }
        }
        return texts;
    }
}
