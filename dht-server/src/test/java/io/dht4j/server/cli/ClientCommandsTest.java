package io.dht4j.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.server.ServerNode;
import io.dht4j.server.ServerProcess;
import io.dht4j.server.TestNodes;
import io.dht4j.server.config.Setting;
import io.dht4j.testkit.network.FreePorts;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands for one key or a range of keys. */
class ClientCommandsTest extends NodeCommands {

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

    @Test
    void tooLargeValueIsRefusedWithItsSizeAndOption() throws Exception {
        try (ServerNode small = TestNodes.start(1, FreePorts.find(1), Map.of(Setting.MAX_VALUE_BYTES, "5"))) {
            CommandLineRun refused = CommandLineRun.of("put", "k", "123456", "--node", small.url());

            assertThat(refused.exitCode()).isEqualTo(1);
            assertThat(refused.err())
                    .contains("at most 5 bytes on this node, this one has 6; --max-value-bytes of ./dht server")
                    .hasLineCount(1);
        }
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

        assertThat(read("k").orElseThrow().expiresAt()).isPresent();
    }

    @Test
    void refusalOfTheNodeIsAFailureWithItsReason() {
        CommandLineRun refused = run("put", "k", "v", "--ack", "2", "--from", "2");

        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.err())
                .contains("POLICY_INVALID")
                .contains("HTTP 400")
                .hasLineCount(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"real-time", "linearizable"})
    void orderingIsSentToTheNode(String ordering) {
        assertThat(run("put", "k", "v", "--ordering", ordering).exitCode()).isZero();
        assertThat(run("get", "k", "--ordering", ordering).out()).isEqualTo("v");
        assertThat(run("delete", "k", "--ordering", ordering).exitCode()).isZero();
        assertThat(read("k")).isEmpty();
    }

    @Test
    void unknownOrderingIsWrongUsage() {
        CommandLineRun refused = run("put", "k", "v", "--ordering", "strict");

        assertThat(refused.exitCode()).isEqualTo(2);
        assertThat(refused.err()).contains("real-time or linearizable, not \"strict\"");
    }

    @Test
    void acknowledgementsMayBeGivenWithoutReplicas() {
        assertThat(run("put", "k", "v", "--ack", "1").exitCode()).isZero();
        assertThat(run("get", "k", "--from", "1").out()).isEqualTo("v");
        assertThat(run("get", "k", "--ack", "2").err()).contains("POLICY_INVALID");
    }

    @ParameterizedTest
    @ValueSource(strings = {"get k", "dump"})
    void missingDirectoryIsNamed(String command) {
        run("put", "k", "v");
        List<String> args = new ArrayList<>(List.of(command.split(" ")));
        args.addAll(List.of("--out", directory.resolve("none/out.tsv").toString()));

        CommandLineRun run = run(args.toArray(String[]::new));

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err())
                .contains("there is no directory " + directory.resolve("none"))
                .hasLineCount(1);
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
    void portWithoutHttpIsReportedAndItsBytesAreNotShown() throws Exception {
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
    void repairRunsAndShowsItsProgress() {
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
}
