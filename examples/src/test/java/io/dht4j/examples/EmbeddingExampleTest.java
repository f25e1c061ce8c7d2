package io.dht4j.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.Topology;
import io.dht4j.Value;
import io.dht4j.examples.server.ServerNode;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddingExampleTest {

    @Test
    void a_node_in_a_few_lines_joins_two_others(@TempDir Path directory) throws Exception {
        List<Integer> ports = TestNodes.freePorts(3);
        Topology topology = Topology.of(
                Node.of("n1", "127.0.0.1:" + ports.get(0)),
                Node.of("n2", "127.0.0.1:" + ports.get(1)),
                Node.of("n3", "127.0.0.1:" + ports.get(2)));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (ServerNode second = TestNodes.start(2, ports, Map.of());
                ServerNode third = TestNodes.start(3, ports, Map.of())) {
            EmbeddingExample.run(
                    "n1",
                    topology,
                    ports.get(0),
                    directory.resolve("n1"),
                    new PrintStream(out, true, StandardCharsets.UTF_8));

            assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("hello" + System.lineSeparator());
            for (ServerNode other : List.of(second, third)) {
                Optional<Value> greeting = other.cluster()
                        .get(Key.of("greeting"))
                        .toCompletableFuture()
                        .join();
                assertThat(greeting.map(Value::text)).as("still there").contains("hello");
            }
        }
    }

    @Test
    void the_readme_shows_the_example_as_it_is() throws Exception {
        Path root = root();
        String source =
                Files.readString(root.resolve("examples/src/main/java/io/dht4j/examples/EmbeddingExample.java"));
        String readme = Files.readString(root.resolve("README.md"));

        String code = between(source, "// tag::embed[]\n", "// end::embed[]");
        String quoted = between(readme, "<!-- tag::embed[] -->\n", "<!-- end::embed[] -->");

        assertThat(quoted).isEqualTo("```java\n" + code.stripIndent().stripTrailing() + "\n```\n");
    }

    private static String between(String text, String start, String end) {
        int from = text.indexOf(start);
        int to = text.indexOf(end);
        assertThat(from).as("\"%s\" is there", start).isNotNegative();
        assertThat(to).as("\"%s\" follows", end).isGreaterThan(from);
        return text.substring(from + start.length(), to);
    }

    /** The checkout: the nearest directory upwards that has a README. */
    private static Path root() {
        Path directory = Path.of("").toAbsolutePath();
        while (!Files.exists(directory.resolve("README.md"))) {
            directory = directory.getParent();
        }
        return directory;
    }
}
