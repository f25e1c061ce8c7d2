package io.dht4j.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.Key;
import io.dht4j.Value;
import io.dht4j.server.ServerNode;
import io.dht4j.server.ServerProcess;
import io.dht4j.server.Setting;
import io.dht4j.server.TestNodes;
import io.dht4j.testkit.network.FreePorts;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClientCommandsTest {

    /** Everything that a careless client would change. */
    private static final byte[] BINARY = new byte[512];

    static {
        for (int i = 0; i < BINARY.length; i++) {
            BINARY[i] = (byte) i;
        }
    }

    @TempDir
    private Path directory;

    private ServerNode node;

    @BeforeEach
    void startNode() throws Exception {
        node = TestNodes.start(1, FreePorts.find(1), Map.of());
    }

    @AfterEach
    void stopNode() {
        node.close();
    }

    @Test
    void aValueFromTheArgumentComesBack() {
        assertThat(run("put", "grüße", "hallo wörld").exitCode()).isZero();

        CommandLineRun got = run("get", "grüße");

        assertThat(got.exitCode()).isZero();
        assertThat(got.out()).isEqualTo("hallo wörld");
        assertThat(got.err()).isEmpty();
    }

    @Test
    @EnabledOnOs({OS.LINUX, OS.MAC})
    void aDeviceWithoutEndIsNoValue() {
        CommandLineRun refused = run("put", "k", "--file", "/dev/zero");

        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.err()).contains("/dev/zero has more than ").hasLineCount(1);
    }

    /** In a process of its own with a real shell, since a command in this process has no standard output. */
    @Test
    @EnabledOnOs({OS.LINUX, OS.MAC})
    void whatAShellHasOpenIsWrittenAndNotReplaced() throws Exception {
        run("put", "k", "value\n");
        Path file = directory.resolve("file");
        Path link = Files.createSymbolicLink(directory.resolve("link"), Path.of("/dev/stdout"));
        Path script = Files.writeString(directory.resolve("script"), """
                file=$1 link=$2
                shift 2
                "$@" --out /dev/stdout | cat
                "$@" --out "$link" | cat
                "$@" --out >(cat > "$file.substituted"; echo done > "$file.fifo") && read -r end < "$file.fifo"
                { echo first; "$@" --out /dev/fd/1; echo last; } > "$file"
                { echo first >&3; "$@" --out /dev/fd/3; } 3> "$file.3"
                """);
        assertThat(new ProcessBuilder("mkfifo", file + ".fifo").start().waitFor())
                .isZero();
        List<String> command = new ArrayList<>(List.of("bash", script.toString(), file.toString(), link.toString()));
        command.addAll(ServerProcess.commandLine("get", "k", "--node", node.url()));
        Path out = directory.resolve("out");

        Process shell = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();

        assertThat(shell.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(out).hasContent("value\nvalue\n");
        assertThat(directory.resolve("file.substituted")).hasContent("value\n");
        assertThat(file).hasContent("first\nvalue\nlast\n");
        assertThat(directory.resolve("file.3")).hasContent("first\nvalue\n");
        assertThat(link).isSymbolicLink();
    }

    @Test
    void anArgumentThatBeginsWithAnAtSignIsWrittenAsItIs() throws Exception {
        Path file = Files.writeString(directory.resolve("alice"), "content of the file");

        assertThat(run("put", "@handle", "@" + file).exitCode()).isZero();

        assertThat(run("get", "@handle").out()).isEqualTo("@" + file);
    }

    @Test
    void ofLinesWithOneKeyTheLastOneCounts() throws Exception {
        Path file = directory.resolve("doubled.tsv");
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i <= 1_000; i++) {
            lines.append("key").append(i % 3).append('\t').append(i).append('\n');
        }
        Files.writeString(file, lines);

        CommandLineRun loaded = run("load", file.toString(), "--parallel", "1000");

        assertThat(loaded.exitCode()).as(loaded.err()).isZero();
        assertThat(loaded.out()).startsWith("loaded 1,001 entries");
        assertThat(List.of(value("key0"), value("key1"), value("key2"))).containsExactly("999", "1000", "998");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-", "--file=-"})
    void bytesFromStandardInputComeBack(String source) {
        List<String> args = new ArrayList<>(List.of("put", "k", source, "--node", node.url()));
        assertThat(CommandLineRun.withInput(BINARY, args.toArray(String[]::new)).exitCode())
                .isZero();

        assertThat(run("get", "k").outBytes()).isEqualTo(BINARY);
    }

    @Test
    void bytesFromAFileComeBackIntoAFile() throws Exception {
        Path in = directory.resolve("in");
        Path out = directory.resolve("out");
        Files.write(in, BINARY);

        assertThat(run("put", "k", "--file", in.toString()).exitCode()).isZero();
        CommandLineRun got = run("get", "k", "--out", out.toString());

        assertThat(got.exitCode()).isZero();
        assertThat(got.outBytes()).isEmpty();
        assertThat(Files.readAllBytes(out)).isEqualTo(BINARY);
    }

    @Test
    void anAbsentKeyIsAFailureAndLeavesTheFileAlone() {
        Path out = directory.resolve("out");

        CommandLineRun got = run("get", "nothing here", "--out", out.toString());

        assertThat(got.exitCode()).isEqualTo(1);
        assertThat(got.outBytes()).isEmpty();
        assertThat(got.err()).isEqualTo("dht get: not found: nothing here" + System.lineSeparator());
        assertThat(out).doesNotExist();
    }

    @Test
    void aDeletedKeyIsAbsentAndDeletingItAgainIsNoFailure() {
        run("put", "k", "v");

        assertThat(run("delete", "k").exitCode()).isZero();
        assertThat(run("delete", "k").exitCode()).isZero();
        assertThat(run("get", "k").exitCode()).isEqualTo(1);
    }

    @Test
    void aKeyMayBeGivenInBase64() {
        String key = Base64.getEncoder().encodeToString("a\n\0b".getBytes(StandardCharsets.UTF_8));

        assertThat(run("put", key, "v", "--key-base64").exitCode()).isZero();

        assertThat(value("a\n\0b")).isEqualTo("v");
    }

    @Test
    void theTimeToLiveIsPassedOn() {
        assertThat(run("put", "k", "v", "--ttl", "3600000").exitCode()).isZero();

        assertThat(read("k").orElseThrow().expiresAtMillis()).isPresent();
    }

    @Test
    void whatTheNodeRefusesIsAFailureWithItsReason() {
        CommandLineRun refused = run("put", "k", "v", "--ack", "2", "--from", "2");

        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.err())
                .contains("POLICY_INVALID")
                .contains("HTTP 400")
                .hasLineCount(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"real-time", "linearizable"})
    void theOrderOfOperationsIsAskedFor(String ordering) {
        assertThat(run("put", "k", "v", "--ordering", ordering).exitCode()).isZero();
        assertThat(run("get", "k", "--ordering", ordering).out()).isEqualTo("v");
        assertThat(run("delete", "k", "--ordering", ordering).exitCode()).isZero();
        assertThat(read("k")).isEmpty();
    }

    @Test
    void anOrderThatThereIsNotIsWrongUsage() {
        CommandLineRun refused = run("put", "k", "v", "--ordering", "strict");

        assertThat(refused.exitCode()).isEqualTo(2);
        assertThat(refused.err()).contains("real-time or linearizable, not \"strict\"");
    }

    @Test
    void acknowledgementsMayBeAskedForWithoutSayingOfHowMany() {
        assertThat(run("put", "k", "v", "--ack", "1").exitCode()).isZero();
        assertThat(run("get", "k", "--from", "1").out()).isEqualTo("v");
        assertThat(run("get", "k", "--ack", "2").err()).contains("POLICY_INVALID");
    }

    @ParameterizedTest
    @ValueSource(strings = {"get k", "dump"})
    void aDirectoryThatIsMissingIsWhatTheMessageSays(String command) {
        run("put", "k", "v");
        List<String> args = new ArrayList<>(List.of(command.split(" ")));
        args.addAll(List.of("--out", directory.resolve("none/out.tsv").toString()));

        CommandLineRun run = run(args.toArray(String[]::new));

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err())
                .contains("there is no directory " + directory.resolve("none"))
                .hasLineCount(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"backup.csv", "backup"})
    void aDumpWhoseNameDoesNotTellTheFormatIsRefusedUnlessTheFormatIsGiven(String name) {
        Path file = directory.resolve(name);

        CommandLineRun refused = run("dump", "--out", file.toString());

        assertThat(refused.exitCode()).isEqualTo(2);
        assertThat(refused.err()).contains("--format", file.toString(), ".tsv", ".tab", ".ndjson", ".jsonl");
        assertThat(directory).isEmptyDirectory();
        assertThat(run("dump", "--out", file.toString(), "--format", "ndjson").exitCode())
                .isZero();
        assertThat(file).exists();
    }

    @Test
    void aDumpDoesNotTakeThePlaceOfADirectory() {
        CommandLineRun run = run("dump", "--out", directory.toString());

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).contains(directory + " is a directory").hasLineCount(1);
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void theNextNodeIsTriedWhenOneDoesNotAnswer() {
        CommandLineRun put = CommandLineRun.of("put", "k", "v", "--node", "http://127.0.0.1:1," + node.url());

        assertThat(put.exitCode()).isZero();
        assertThat(value("k")).isEqualTo("v");
    }

    @Test
    void aScanShowsARangeInOrder() {
        for (String key : List.of("a", "b", "b/1", "b\t2", "c")) {
            run("put", key, "value of\n" + key);
        }

        assertThat(run("scan", "--start", "b", "--end", "c").out())
                .isEqualTo("b\tvalue of\\nb\nb\\t2\tvalue of\\nb\\t2\nb/1\tvalue of\\nb/1\n");
        assertThat(run("scan", "--prefix", "b", "--limit", "1").out()).isEqualTo("b\tvalue of\\nb\n");
        assertThat(run("scan", "--scope", "node", "--start", "c").out()).startsWith("c\t");
        assertThat(run("scan", "--start", "x").out()).isEmpty();
        assertThat(run("scan", "--start", "a", "--limit", "1", "--format", "ndjson")
                        .out())
                .startsWith("{\"key\":\"a\"")
                .contains("\"version\"");
    }

    @Test
    void statusShowsWhatTheNodeSays() {
        run("put", "k", "v");

        assertThat(run("status").out())
                .containsPattern("id +n1")
                .containsPattern("store +memory")
                .containsPattern("entries +1, with what is deleted or expired and not yet purged")
                .containsPattern("uptime +\\d+ s")
                .containsPattern("nodes +n1  127\\.0\\.0\\.1:\\d+  weight 1  this node")
                .containsPattern("overload +none")
                .containsPattern("store_problems +none")
                .containsPattern("refill +none")
                .doesNotContain("{");
        assertThat(run("status", "--json").out()).contains("\"id\":\"n1\"");
    }

    @Test
    void aPortThatSpeaksNoHttpIsToldAndWhatItSendsIsNotShown() throws Exception {
        List<Integer> ports = FreePorts.find(2);
        String grpc = "127.0.0.1:" + ports.get(1);
        try (ServerNode both = TestNodes.start(1, ports.subList(0, 1), Map.of(Setting.GRPC_LISTEN, grpc))) {
            CommandLineRun got = CommandLineRun.of("get", "k", "--node", "http://" + grpc);

            assertThat(got.exitCode()).isEqualTo(1);
            assertThat(got.err())
                    .isEqualTo("dht get: http://" + grpc + ": it does not speak HTTP/1.1; is this a gRPC port?"
                            + System.lineSeparator());
            CommandLineRun secret =
                    CommandLineRun.of("get", "k", "--node", both.url().replace("http:", "https:"));
            assertThat(secret.exitCode()).isEqualTo(1);
            assertThat(secret.err())
                    .contains("it does not speak TLS; is this a plaintext port?")
                    .hasLineCount(1);
        }
    }

    @Test
    void statusSaysWhoDoesNotAnswer() throws Exception {
        List<Integer> ports = FreePorts.find(3);
        try (ServerNode first = TestNodes.start(1, ports, Map.of());
                ServerNode second = TestNodes.start(2, ports, Map.of())) {
            CommandLineRun.of("put", "k", "v", "--node", first.url());

            CommandLineRun status = CommandLineRun.of("status", "--node", first.url());

            assertThat(status.out().lines())
                    .anyMatch(line -> line.endsWith("n1  127.0.0.1:" + ports.get(0) + "  weight 1  this node"))
                    .anyMatch(line -> line.endsWith("n2  127.0.0.1:" + ports.get(1) + "  weight 1  up"))
                    .anyMatch(line -> line.endsWith("n3  127.0.0.1:" + ports.get(2)
                            + "  weight 1  does not answer: look whether it runs, and whether this node can reach it"));
            assertThat(second.url()).isNotEmpty();
        }
    }

    @Test
    void statusTellsInWordsWhatIsNotAsItShouldBe() throws Exception {
        try (ScriptedNode scripted = new ScriptedNode("{\"id\":\"n1\",\"nodes\":[],"
                + "\"overload\":{\"calls_refused\":3,\"work_dropped\":0,\"retries\":12},"
                + "\"store_problems\":["
                + "{\"kind\":\"DAMAGED_DATA\",\"since_ms\":1767225600000,\"message\":\"page 7\"},"
                + "{\"kind\":\"WRITES_REFUSED\",\"since_ms\":1767225600000,\"message\":\"the disk is full\"}],"
                + "\"clock_problem\":{\"ahead_ms\":-120000,\"of\":[\"n2\",\"n3\"]},\"hint_bytes_dropped\":512,"
                + "\"refill\":{\"partitions\":512,\"entries\":90,\"waits_for\":[\"n2\",\"n3\"]},"
                + "\"of_later\":{\"a\":1},\"entries\":-1,\"uptime_ms\":273845000}")) {
            assertThat(CommandLineRun.of("status", "--node", scripted.url())
                            .out()
                            .lines())
                    .containsExactly(
                            "id                  n1",
                            "overload            calls refused: 3, retries: 12",
                            "store_problems      DAMAGED_DATA since 2026-01-01T00:00:00Z: page 7. Reads that "
                                    + "meet it fail here, "
                                    + "and other replicas answer them.",
                            "                    WRITES_REFUSED since 2026-01-01T00:00:00Z: the disk is full. Restart "
                                    + "the server where it does not go on by itself.",
                            "clock_problem       this node's clock is 2 min 0 s behind n2, n3: set it right. "
                                    + "Until then the "
                                    + "node takes no writes; it goes on by itself.",
                            "hint_bytes_dropped  512: repair brings it to the nodes that missed it; ./dht repair "
                                    + "does so at once",
                            "refill              512 partitions to go, not read before that; 90 entries received, "
                                    + "counted once per replica that sent it; waits for n2, n3: start them, or, "
                                    + "if what they "
                                    + "held is lost for good, restart this node with --refill-without",
                            "of_later            {\"a\":1}",
                            "entries             not known: the store cannot tell",
                            "uptime              3 d 4 h");
        }
    }

    @Test
    void repairRepairsAndShowsHowFarItIs() {
        run("put", "k", "v");

        assertThat(run("repair", "--status").out())
                .containsPattern("rounds +0")
                .contains("no partition with all its other replicas since");
        assertThat(run("repair", "--partition", "0,3").out())
                .containsPattern("rounds +1")
                .containsPattern("running +false")
                .contains("2 partitions with all other replicas since this node was started, the longest ago at 2");
        assertThat(run("repair", "--json").out()).contains("\"rounds\":2");
    }

    @ParameterizedTest
    @ValueSource(strings = {"tsv", "ndjson"})
    void aDumpLoadsIntoAnotherCluster(String format) throws Exception {
        Path dump = directory.resolve("dump." + format);
        for (int i = 0; i < 300; i++) {
            put("key \t\n\r\\\0 ü" + i, BINARY, CallOptions.defaults());
        }
        put("empty", new byte[0], CallOptions.defaults());

        CommandLineRun dumped = run("dump", "--out", dump.toString());
        assertThat(dumped.exitCode()).as(dumped.err()).isZero();
        assertThat(directory).isDirectoryNotContaining("glob:**.part");

        try (ServerNode other = TestNodes.start(1, FreePorts.find(1), Map.of())) {
            CommandLineRun loaded = CommandLineRun.of("load", dump.toString(), "--node", other.url());
            assertThat(loaded.exitCode()).as(loaded.err()).isZero();
            assertThat(loaded.out()).contains("301 entries");
            CommandLineRun again = CommandLineRun.of("dump", "--format", "tsv", "--node", other.url());
            assertThat(again.outBytes())
                    .isEqualTo(run("dump", "--format", "tsv").outBytes());
        }
    }

    @Test
    void aDumpInNdjsonKeepsWhenEntriesExpire() throws Exception {
        Path dump = directory.resolve("dump.ndjson");
        put("soon", new byte[1], CallOptions.defaults().withTimeToLive(Duration.ofHours(1)));
        run("dump", "--out", dump.toString());

        try (ServerNode other = TestNodes.start(1, FreePorts.find(1), Map.of())) {
            CommandLineRun.of("load", dump.toString(), "--node", other.url());

            OptionalLong expires = other.cluster()
                    .get(Key.of("soon"))
                    .toCompletableFuture()
                    .join()
                    .orElseThrow()
                    .expiresAtMillis();
            assertThat(Duration.ofMillis(expires.orElseThrow() - System.currentTimeMillis()))
                    .isBetween(Duration.ofMinutes(50), Duration.ofHours(1));
        }
    }

    @Test
    void entriesWhoseTimeIsOverAreLeftOut() {
        String lines = "{\"key\":\"old\",\"value\":\"v\",\"expires_at\":1}\n{\"key\":\"new\",\"value\":\"v\"}\n";

        CommandLineRun loaded = CommandLineRun.withInput(
                lines.getBytes(StandardCharsets.UTF_8), "load", "-", "--format", "ndjson", "--node", node.url());

        assertThat(loaded.out()).contains("loaded 1 entry in ").contains("left out 1");
        assertThat(read("old")).isEmpty();
        assertThat(value("new")).isEqualTo("v");
    }

    @Test
    void aMalformedLineEndsTheLoadAndIsNamed() throws Exception {
        Path file = directory.resolve("data.tsv");
        Files.writeString(file, "a\t1\nb\t2\nno tabulator\nd\t4\n");

        CommandLineRun loaded = run("load", file.toString());

        assertThat(loaded.exitCode()).isEqualTo(1);
        assertThat(loaded.err()).contains("line 3").contains("tabulator").hasLineCount(1);
        assertThat(value("b")).isEqualTo("2");
        assertThat(read("d")).isEmpty();
    }

    @Test
    void aLineThatTheClusterRefusesIsNamed() throws Exception {
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        lines.writeBytes("a\t1\n".getBytes(StandardCharsets.UTF_8));
        lines.writeBytes(new byte[] {(byte) 0xFF, '\t', 'x', '\n'});
        Path file = directory.resolve("data.tsv");
        Files.write(file, lines.toByteArray());

        CommandLineRun loaded = run("load", file.toString());

        assertThat(loaded.exitCode()).isEqualTo(1);
        assertThat(loaded.err()).contains("line 2").contains("KEY_INVALID").hasLineCount(1);
    }

    @Test
    void aDumpThatFailsLeavesNoFile() {
        Path file = directory.resolve("dump.tsv");

        CommandLineRun dumped = CommandLineRun.of("dump", "--out", file.toString(), "--node", "http://127.0.0.1:1");

        assertThat(dumped.exitCode()).isEqualTo(1);
        assertThat(directory).isEmptyDirectory();
    }

    private CommandLineRun run(String... args) {
        List<String> all = new ArrayList<>(List.of(args));
        all.add("--node");
        all.add(node.url());
        return CommandLineRun.of(all.toArray(String[]::new));
    }

    private void put(String key, byte[] value, CallOptions options) {
        node.cluster().put(Key.of(key), value, options).toCompletableFuture().join();
    }

    private Optional<Value> read(String key) {
        return node.cluster().get(Key.of(key)).toCompletableFuture().join();
    }

    private String value(String key) {
        return read(key).orElseThrow().text();
    }
}
