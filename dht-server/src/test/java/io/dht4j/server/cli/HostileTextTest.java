package io.dht4j.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import io.dht4j.server.ServerNode;
import io.dht4j.server.TestNodes;
import io.dht4j.testkit.network.FreePorts;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nobody else moves the cursor of the user's terminal, or writes lines of a log. */
class HostileTextTest {

    private static final String HOSTILE = "a\u001b[2J\rb\nc\u2028d\u202ee\u009b31m";
    private static final String SHOWN = "a\\u001b[2J\\rb\\nc\\u2028d\\u202ee\\u009b31m";
    /** As JSON of another server's may have it: only what JSON forbids is escaped. */
    private static final String IN_JSON = "a\\u001b[2J\\rb\\nc\u2028d\u202ee\u009b31m";

    private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{C}\\p{Zl}\\p{Zp}&&[^\n]]");

    private static void assertPrintable(String text) {
        assertThat(UNPRINTABLE
                        .matcher(text.replace(System.lineSeparator(), "\n"))
                        .find())
                .as(text)
                .isFalse();
    }

    @Test
    void whatAServerSaysOfItselfIsEscaped() throws Exception {
        String status = "{\"id\":\"X\",\"nodes\":[{\"id\":\"X\",\"address\":\"X\",\"weight\":1}],"
                + "\"X\":\"X\",\"suspected\":[\"X\"],"
                + "\"refill\":{\"partitions\":1,\"entries\":1,\"waits_for\":[\"X\"]},\"overload\":{\"X\":1},"
                + "\"clock_problem\":{\"ahead_ms\":1,\"of\":[\"X\"]},"
                + "\"store_problems\":[{\"kind\":\"X\",\"since_ms\":1,\"message\":\"X\"}]}";
        try (ScriptedNode node = new ScriptedNode(status.replace("X", IN_JSON))) {
            for (String command : List.of("status", "status --json", "repair --status", "repair --status --json")) {
                CommandLineRun run = CommandLineRun.of((command + " --node " + node.url()).split(" "));

                assertThat(run.exitCode()).as(run.err()).isZero();
                assertThat(run.out()).containsIgnoringCase(SHOWN);
                assertPrintable(run.out());
            }
        }
    }

    @Test
    void anErrorOfAServerIsOneLine() throws Exception {
        try (ScriptedNode node =
                new ScriptedNode(400, "{\"name\":\"X\",\"detail\":\"X\",\"title\":\"X\"}".replace("X", IN_JSON))) {
            for (String command : List.of(
                    "get k", "put k v", "atomic add --map m k", "scan", "status", "repair", "snapshot --out x")) {
                CommandLineRun run = CommandLineRun.of((command + " --node " + node.url()).split(" "));

                assertThat(run.exitCode()).isEqualTo(1);
                assertThat(run.err()).contains(SHOWN).hasLineCount(1);
                assertPrintable(run.err());
            }
        }
    }

    @Test
    void wrongArgumentsAreShownInOneLine() {
        for (List<String> args : List.of(
                List.of(HOSTILE),
                List.of("--" + HOSTILE),
                List.of("get", "k", HOSTILE),
                List.of("get", "k", "--" + HOSTILE),
                List.of("get", "k", "--ack", HOSTILE),
                List.of("get", "k", "--node", HOSTILE),
                List.of("scan", "--scope", HOSTILE),
                List.of("scan", "--start", "b" + HOSTILE, "--end", "a" + HOSTILE),
                List.of("server", "--id", HOSTILE),
                List.of("server", "--store", HOSTILE),
                List.of("server", "--peers", "n1=" + HOSTILE),
                List.of("server", "--timeout", HOSTILE))) {
            CommandLineRun run = CommandLineRun.of(args.toArray(String[]::new));

            assertThat(run.exitCode()).isEqualTo(2);
            assertThat(run.err().lines().findFirst().orElseThrow()).contains("\\u001b[2J\\rb\\nc\\u2028d");
            assertPrintable(run.err());
        }
    }

    @Test
    void linesOfFilesAreShownInOneLine(@TempDir Path directory) throws Exception {
        Path settings = Files.writeString(directory.resolve("node.properties"), "x\\u001b[2J = 1\n");
        CommandLineRun server = CommandLineRun.of("server", "--config", settings.toString());
        assertThat(server.err()).contains("unknown name \"x\\u001b[2J\"");
        assertPrintable(server.err());

        Path snapshot = Files.createDirectory(directory.resolve("snapshot"));
        Files.writeString(snapshot.resolve("manifest.json"), "{\"format\":\"" + IN_JSON + "\"}");
        CommandLineRun restore = CommandLineRun.of("restore", "--check", "--in", snapshot.toString());
        assertThat(restore.err()).contains(SHOWN).hasLineCount(1);
        assertPrintable(restore.err());

        CommandLineRun load =
                CommandLineRun.of("load", directory.resolve("no\u001b[2Jne.tsv").toString());
        assertThat(load.err()).contains("no\\u001b[2Jne.tsv").hasLineCount(1);
    }

    @Test
    void keysAndValuesAreEscapedOnATerminalAndRawInAPipe() throws Exception {
        try (ServerNode node = TestNodes.start(1, FreePorts.find(1), Map.of())) {
            String url = node.url();
            CommandLineRun.of("put", HOSTILE, HOSTILE, "--node", url);
            CommandLineRun.of("put", "bytes", Base64.getEncoder().encodeToString(new byte[] {1}), "--node", url);

            assertThat(CommandLineRun.of("get", HOSTILE, "--node", url).out()).isEqualTo(HOSTILE);
            assertThat(CommandLineRun.of("scan", "--format", "ndjson", "--prefix", "a", "--node", url)
                            .out())
                    .contains("\u202e");
            CommandLineRun got = CommandLineRun.onTerminal("get", HOSTILE, "--node", url);
            assertThat(got.out()).isEqualTo(SHOWN.replace("\\n", "\n") + System.lineSeparator());
            for (String format : List.of("tsv", "ndjson")) {
                for (String command : List.of("scan", "dump")) {
                    CommandLineRun run = CommandLineRun.onTerminal(command, "--format", format, "--node", url);

                    assertThat(run.out()).contains("\\u202e", "bytes").hasLineCount(2);
                    assertPrintable(run.out().replace("\t", ""));
                }
            }
            CommandLineRun absent = CommandLineRun.of("get", "not " + HOSTILE, "--node", url);
            assertThat(absent.err()).isEqualTo("dht get: not found: not " + SHOWN + System.lineSeparator());
        }
    }

    @Test
    void bytesThatAreNoTextDoNotGoToATerminal(@TempDir Path directory) throws Exception {
        try (ServerNode node = TestNodes.start(1, FreePorts.find(1), Map.of())) {
            Path file = Files.write(directory.resolve("bytes"), new byte[] {(byte) 0xFF, 0x1B});
            CommandLineRun.of("put", "k", "--file", file.toString(), "--node", node.url());

            CommandLineRun run = CommandLineRun.onTerminal("get", "k", "--node", node.url());

            assertThat(run.exitCode()).isEqualTo(1);
            assertThat(run.outBytes()).isEmpty();
            assertThat(run.err()).contains("2 bytes, is not text", "--out FILE").hasLineCount(1);
            assertThat(CommandLineRun.of("get", "k", "--node", node.url()).outBytes())
                    .containsExactly(0xFF, 0x1B);
        }
    }

    @Test
    void anEventOfTheLogIsOneLineAndItsStackTraceIsPrintable() throws Exception {
        LoggerContext context = new LoggerContext();
        JoranConfigurator configurator = new JoranConfigurator();
        configurator.setContext(context);
        configurator.doConfigure(Dht.class.getResource("/logback.xml"));
        try {
            ch.qos.logback.classic.Logger root = context.getLogger(ch.qos.logback.classic.Logger.ROOT_LOGGER_NAME);
            ConsoleAppender<ILoggingEvent> appender = (ConsoleAppender<ILoggingEvent>) root.getAppender("STDERR");
            Exception thrown = new IllegalStateException(HOSTILE, new Exception(HOSTILE));

            String plain =
                    encoded(appender, new LoggingEvent("", root, Level.WARN, "x {}", null, new Object[] {HOSTILE}));
            String traced = encoded(appender, new LoggingEvent("", root, Level.WARN, "x", thrown, new Object[0]));

            assertThat(plain).endsWith("x " + SHOWN + System.lineSeparator()).hasLineCount(1);
            assertThat(traced)
                    .contains("IllegalStateException: a\\u001b[2J", "\tat ")
                    .doesNotContain("\u202e");
            assertPrintable(traced.replace("\t", ""));
        } finally {
            context.stop();
        }
    }

    private static String encoded(ConsoleAppender<ILoggingEvent> appender, LoggingEvent event) {
        return new String(appender.getEncoder().encode(event), StandardCharsets.UTF_8);
    }
}
