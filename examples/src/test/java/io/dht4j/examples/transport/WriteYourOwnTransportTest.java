package io.dht4j.examples.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.examples.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WriteYourOwnTransportTest {

    /** Matches {@code <!-- quote: File.java tag -->} and the code that follows. */
    private static final Pattern QUOTE =
            Pattern.compile("<!-- quote: (\\S+) (\\S+) -->\n```java\n(.*?)\n```\n", Pattern.DOTALL);

    @ParameterizedTest
    @CsvSource({"write-a-transport, 3", "transport-example, 7"})
    void theGuideQuotesTheSourcesThatTheTestsRun(String page, int blocks) throws IOException {
        Path root = Checkout.root();
        String guide = Files.readString(root.resolve("docs/guide/" + page + ".md"));
        assertThat(guide.split("```java", -1)).hasSizeGreaterThan(blocks);
        assertThat(QUOTE.matcher(guide).results().count())
                .as("every block of code is a quotation")
                .isEqualTo(guide.split("```java", -1).length - 1);
        for (MatchResult quote : QUOTE.matcher(guide).results().toList()) {
            assertThat(quote.group(3))
                    .as("%s, %s", quote.group(1), quote.group(2))
                    .isEqualTo(tagged(source(root, quote.group(1)), quote.group(2)));
        }
    }

    private static String source(Path root, String file) throws IOException {
        String part = file.endsWith("Test.java") ? "test" : "main";
        return Files.readString(root.resolve(
                "examples/src/" + part + "/java/io/dht4j/examples/" + (file.contains("/") ? "" : "transport/") + file));
    }

    private static String tagged(String source, String tag) {
        String start = "// tag::" + tag + "[]\n";
        int from = source.indexOf(start);
        int to = source.indexOf("// end::" + tag + "[]");
        assertThat(from).as("tag %s is there", tag).isNotNegative();
        assertThat(to).as("tag %s ends", tag).isGreaterThan(from);
        return source.substring(from + start.length(), to).stripIndent().stripTrailing();
    }
}
