package io.dht4j.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.dht4j.CallOptions;
import io.dht4j.server.ServerProcess;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands whose standard output cannot be written: a full disk, a pipe whose reader has closed it. */
class StandardOutputTest extends NodeCommands {

    private static final int ENDLESS = 50_000;
    private static final String FULL = "No space left on device";
    private static final Path FULL_DEVICE = Path.of("/dev/full");

    /** Fails like a file on a full disk, or like a pipe. */
    private static final class Unwritable extends OutputStream {

        private final String reason;
        private int writes;

        Unwritable(String reason) {
            this.reason = reason;
        }

        @Override
        public void write(int octet) throws IOException {
            writes++;
            throw new IOException(reason);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            write(0);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"scan", "scan --format tsv", "dump", "dump --format tsv"})
    void readingEndsAtTheFirstFailedWrite(String command) throws Exception {
        byte[] line = ("{\"key\":\"k\",\"value\":\"" + "v".repeat(1_000) + "\"}\n").getBytes(StandardCharsets.UTF_8);
        CompletableFuture<Integer> sent = new CompletableFuture<>();
        HttpServer endless = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        endless.createContext("/", exchange -> {
            exchange.sendResponseHeaders(200, 0);
            int lines = 0;
            try (OutputStream body = exchange.getResponseBody()) {
                while (lines < ENDLESS) {
                    body.write(line);
                    lines++;
                }
            } catch (IOException closed) {
                assertThat(lines).isLessThan(ENDLESS);
            } finally {
                sent.complete(lines);
            }
        });
        endless.start();
        try {
            Unwritable pipe = new Unwritable("Broken pipe");
            String url = "http://127.0.0.1:" + endless.getAddress().getPort();

            CommandLineRun run = CommandLineRun.writingTo(pipe, (command + " --node " + url).split(" "));

            assertThat(run.exitCode()).isEqualTo(141);
            assertThat(run.err()).isEmpty();
            assertThat(pipe.writes).isEqualTo(1);
            assertThat(sent.get(30, TimeUnit.SECONDS)).isLessThan(ENDLESS);
        } finally {
            endless.stop(0);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "get key",
                "scan",
                "dump",
                "status",
                "hot-keys",
                "load FILE",
                "snapshot --out DIRECTORY",
                "--help",
                "--version",
                "help scan",
                "scan --help"
            })
    void fullDiskIsOneLineAndAFailure(String command) throws Exception {
        put("key", BINARY, CallOptions.defaults());
        Path file = Files.writeString(directory.resolve("file.tsv"), "key2\tvalue\n");
        List<String> words = new ArrayList<>(List.of(command.replace("FILE", file.toString())
                .replace("DIRECTORY", directory.resolve("snapshot").toString())
                .split(" ")));
        if (!command.contains("help") && !command.contains("version")) {
            words.addAll(List.of("--node", node.url()));
        }

        CommandLineRun run = CommandLineRun.writingTo(new Unwritable(FULL), words.toArray(String[]::new));

        assertThat(run.exitCode()).as(run.err()).isEqualTo(1);
        assertThat(run.err()).isEqualTo("dht: standard output cannot be written: " + FULL + "\n");
    }

    @Test
    void commandThatPrintsNothingNeedsNoOutput() {
        CommandLineRun run =
                CommandLineRun.writingTo(new Unwritable(FULL), "put", "key", "value", "--node", node.url());

        assertThat(run.exitCode()).as(run.err()).isZero();
    }

    static boolean hasFullDevice() {
        return Files.isWritable(FULL_DEVICE) && Files.isExecutable(Path.of("/bin/bash"));
    }

    @Test
    @EnabledIf("hasFullDevice")
    void processesEndWithTheCodesOfOtherTools() throws Exception {
        put("key", new byte[1 << 20], CallOptions.defaults());
        String get = ServerProcess.commandLine("get", "key", "--node", node.url()).stream()
                .map(word -> "'" + word + "'")
                .collect(Collectors.joining(" "));
        Process shell = new ProcessBuilder(
                        "/bin/bash",
                        "-c",
                        get + " > /dev/full; echo $?; " + get + " | head -c 1 > /dev/null; echo ${PIPESTATUS[0]}")
                .redirectErrorStream(true)
                .start();

        String text = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(text).isEqualTo("dht: standard output cannot be written: " + FULL + "\n1\n141\n");
    }
}
