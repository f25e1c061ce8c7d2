package io.dht4j.transport.http.clients;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.CRC32;
import one.nio.net.Socket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The native library of one-nio, loaded by a process of its own. */
@EnabledOnOs(value = OS.LINUX, architectures = "amd64")
class OneNioNativesTest {

    @TempDir
    Path directory;

    /** Runs in a process of its own: a JVM loads the library once. */
    static final class Loading {

        private Loading() {}

        public static void main(String[] args) throws IOException {
            OneNioSockets.load();
            System.out.println(Socket.USE_NATIVE_SOCKET + " " + System.getProperty("java.io.tmpdir"));
            Files.readAllLines(Path.of("/proc/self/maps")).stream()
                    .filter(line -> line.contains("libonenio"))
                    .map(line -> line.substring(line.indexOf('/')))
                    .distinct()
                    .forEach(System.out::println);
            Files.delete(Files.createTempFile("later", null));
            System.out.println("temporary files are made");
        }
    }

    /** By itself one-nio uses such a file if it has the right length, and replaces it otherwise. */
    @Test
    void fileThatOthersCanForeseeIsNotTouched() throws Exception {
        CRC32 sum = new CRC32();
        try (InputStream in = Socket.class.getResourceAsStream("/libonenio.so")) {
            sum.update(in.readAllBytes());
        }
        Path foreseen = directory.resolve("libonenio.%08x.so".formatted(sum.getValue()));
        Files.writeString(foreseen, "of another user");

        List<String> lines = load(directory);

        assertThat(lines).first().asString().endsWith(" " + directory);
        assertThat(lines).last().isEqualTo("temporary files are made");
        // None where the system lacks what the library needs.
        assertThat(lines.subList(1, lines.size() - 1)).allMatch(line -> line.startsWith(directory + "/dht4j-one-nio-"));
        assertThat(foreseen).hasBinaryContent("of another user".getBytes(UTF_8));
        assertThat(directory).isDirectoryNotContaining("glob:**/dht4j-*");
    }

    @Test
    void withoutADirectoryOfItsOwnThereAreTheSocketsOfTheJdk() throws Exception {
        Path file = Files.createFile(directory.resolve("file"));

        assertThat(load(file)).containsExactly("false " + file);
    }

    private List<String> load(Path temporary) throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-Djava.io.tmpdir=" + temporary,
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        Loading.class.getName())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String out = new String(process.getInputStream().readAllBytes(), UTF_8);
        process.waitFor();
        return out.lines().toList();
    }
}
