package io.dht4j.server.discovery;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Addresses of a name, found by the JVM's own resolver, which a process of its own reads from a file. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class AddressDiscoveryTest {

    @TempDir
    Path directory;

    private String find(String name, String... hosts) throws Exception {
        Path file =
                Files.write(directory.resolve("hosts"), String.join("\n", hosts).getBytes(UTF_8));
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-Djdk.net.hosts.file=" + file,
                        "-cp",
                        System.getProperty("java.class.path"),
                        FoundNodes.class.getName(),
                        name)
                .redirectErrorStream(true)
                .start();
        String out = new String(process.getInputStream().readAllBytes(), UTF_8);
        process.waitFor();
        return out;
    }

    @Test
    void eachAddressIsANodeNamedByTheFirstLabelOfItsOwnName() throws Exception {
        assertThat(find(
                                "dht.test",
                                "127.0.0.2 dht-0.dht.test dht.test",
                                "127.0.0.3 dht-1.dht.test dht.test",
                                "127.0.0.4 other.test")
                        .lines())
                .containsExactlyInAnyOrder("dht-0=127.0.0.2:7000", "dht-1=127.0.0.3:7000");
    }

    @Test
    void anUnknownNameIsNamed() throws Exception {
        assertThat(find("dht.test", "127.0.0.4 other.test")).contains("no address of dht.test is known");
    }

    /** Prints the nodes of a name. */
    static final class FoundNodes {

        private FoundNodes() {}

        public static void main(String[] args) {
            try {
                new AddressDiscovery(args[0], 7000)
                        .find()
                        .forEach(node -> System.out.println(node.id() + "=" + node.address()));
            } catch (IOException e) {
                System.out.println(e.getMessage());
            }
        }
    }
}
