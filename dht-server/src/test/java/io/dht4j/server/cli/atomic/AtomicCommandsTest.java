package io.dht4j.server.cli.atomic;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.AtomicChange;
import io.dht4j.CallOptions;
import io.dht4j.Key;
import io.dht4j.RequestId;
import io.dht4j.Value;
import io.dht4j.server.ServerNode;
import io.dht4j.server.TestNodes;
import io.dht4j.server.cli.CommandLineRun;
import io.dht4j.server.config.ServerConfig;
import io.dht4j.server.config.Setting;
import io.dht4j.testkit.network.FreePorts;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code dht atomic} and {@code dht load --if-absent}, at a node that agrees on its nodes with itself. */
class AtomicCommandsTest {

    private static final byte[] BINARY = new byte[256];
    private static final AtomicInteger MAPS = new AtomicInteger();

    static {
        for (int i = 0; i < BINARY.length; i++) {
            BINARY[i] = (byte) i;
        }
    }

    @TempDir
    private static Path data;

    private static ServerNode node;

    @TempDir
    private Path directory;

    private final String map = "map of " + MAPS.incrementAndGet();

    @BeforeAll
    static void startNode() throws Exception {
        int port = FreePorts.find();
        node = ServerNode.start(ServerConfig.of(Map.of(
                Setting.ID,
                "n1",
                Setting.LISTEN,
                "127.0.0.1:" + port,
                Setting.DATA,
                data.resolve("data").toString(),
                Setting.BOOTSTRAP,
                "n1=127.0.0.1:" + port)));
    }

    @AfterAll
    static void stopNode() {
        node.close();
    }

    private CommandLineRun atomic(String... args) {
        return atomic(new byte[0], args);
    }

    private CommandLineRun atomic(byte[] input, String... args) {
        List<String> all = new ArrayList<>(List.of("atomic"));
        all.addAll(List.of(args));
        all.addAll(List.of("--map", map, "--node", node.url()));
        return CommandLineRun.withInput(input, all.toArray(String[]::new));
    }

    private Value read(String key) {
        return node.cluster()
                .execute(map, Key.of(key), AtomicChange.read(), CallOptions.defaults())
                .toCompletableFuture()
                .join()
                .current()
                .orElseThrow();
    }

    private static void assertDone(CommandLineRun run, String out) {
        assertThat(run.err()).isEmpty();
        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).isEqualTo(out);
    }

    private static void assertConditionFailed(CommandLineRun run, String message) {
        assertThat(run.exitCode()).isEqualTo(4);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).isEqualTo(message + System.lineSeparator());
    }

    @Test
    void valueIsSetOnlyWhereNothingIs() {
        assertDone(atomic("put", "ключ", "wörld", "--if-absent"), "");
        assertConditionFailed(
                atomic("put", "ключ", "other", "--if-absent"),
                "dht atomic put: nothing done: key ключ of map " + map + " is there already, with version "
                        + read("ключ").version());
        assertDone(atomic("get", "ключ"), "wörld");
    }

    @Test
    void valueIsReplacedAndDeletedAtItsVersionOnly() {
        String first = atomic("put", "k", "one", "--show-version").out().strip();
        assertThat(first).isEqualTo(read("k").version().toString());
        assertDone(atomic("get", "k", "--show-version"), first + System.lineSeparator() + "one");

        assertDone(atomic("put", "k", "two", "--if-version", first), "");
        String second = read("k").version().toString();
        String failed = "nothing done: key k of map " + map + " has version " + second + ", not " + first;
        assertConditionFailed(atomic("put", "k", "three", "--if-version", first), "dht atomic put: " + failed);
        assertConditionFailed(atomic("delete", "k", "--if-version", first), "dht atomic delete: " + failed);
        assertDone(atomic("get", "k"), "two");

        assertDone(atomic("delete", "k", "--if-version", second), "");
        assertConditionFailed(
                atomic("put", "k", "four", "--if-version", second),
                "dht atomic put: nothing done: key k of map " + map + " holds nothing");
    }

    @Test
    void absentKeyIsAFailureAndLeavesTheFileAlone() {
        Path out = directory.resolve("out");
        CommandLineRun got = atomic("get", "none", "--out", out.toString(), "--show-version");
        assertThat(got.exitCode()).isEqualTo(1);
        assertThat(got.out()).isEmpty();
        assertThat(got.err()).isEqualTo("dht atomic get: not found: key none of map " + map + System.lineSeparator());
        assertThat(out).doesNotExist();
        assertDone(atomic("delete", "none"), "");
    }

    @Test
    void counterIsShownAsText() {
        assertDone(atomic("add", "c"), "1" + System.lineSeparator());
        assertDone(atomic("add", "c", "--delta", "-5"), "-4" + System.lineSeparator());
        assertDone(atomic("add", "c", "--delta=0"), "-4" + System.lineSeparator());
        assertDone(atomic("get", "c"), "-4");
        assertThat(atomic("add", "c", "--delta", Long.toString(Long.MIN_VALUE)).err())
                .contains("COUNTER_OVERFLOW")
                .hasLineCount(1);
        CommandLineRun put = atomic("put", "c", "value");
        assertThat(put.exitCode()).isEqualTo(1);
        assertThat(put.err())
                .contains("key c of map " + map + " holds a counter: remove it before a value is put there")
                .hasLineCount(1);
        assertDone(atomic("delete", "c"), "");
        assertDone(atomic("put", "c", "value"), "");
    }

    @Test
    void sameRequestIdIsExecutedOnce() {
        String id = RequestId.next().toString();
        for (int i = 0; i < 3; i++) {
            assertDone(atomic("add", "c", "--delta", "7", "--request-id", id), "7" + System.lineSeparator());
        }
        assertThat(atomic("add", "c", "--delta", "8", "--request-id", id).err())
                .contains("REQUEST_ID_REUSED")
                .hasLineCount(1);

        String put = RequestId.next().toString();
        assertDone(atomic("put", "k", "mine", "--if-absent", "--request-id", put), "");
        assertDone(atomic("put", "k", "mine", "--if-absent", "--request-id", put), "");
        String delete = RequestId.next().toString();
        assertDone(atomic("delete", "k", "--request-id", delete), "");
        assertDone(atomic("put", "k", "another's"), "");
        assertDone(atomic("delete", "k", "--request-id", delete), "");
        assertDone(atomic("get", "k"), "another's");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-", "--file=-"})
    void bytesFromStandardInputComeBackIntoAFile(String source) throws Exception {
        assertDone(atomic(BINARY, "put", "AP8=", source, "--key-base64"), "");
        assertThat(atomic("get", "AP8=", "--key-base64").outBytes()).isEqualTo(BINARY);
        Path out = directory.resolve("out");
        String version = atomic("get", "AP8=", "--key-base64", "--out", out.toString(), "--show-version")
                .out();
        assertThat(version).matches("[0-9]+\\R");
        assertThat(out).hasBinaryContent(BINARY);
    }

    @Test
    void timeToLiveIsPassedOn() {
        assertDone(atomic("put", "k", "v", "--ttl", "3600000"), "");
        assertThat(read("k").expiresAt()).isPresent();
    }

    @Test
    void valueOverTheLimitIsRefusedBeforeItIsSent() throws Exception {
        Path file = Files.write(directory.resolve("large"), new byte[65_537]);
        CommandLineRun refused = atomic("put", "k", "--file", file.toString());
        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.err())
                .isEqualTo("dht atomic put: " + file + " has more than 65536 bytes, the most that the value of an "
                        + "atomic key may have" + System.lineSeparator());
        assertDone(atomic(new byte[65_536], "put", "k", "-"), "");
    }

    @Test
    void fixedListOfNodesIsRefusedInTheWordsOfTheShell() throws Exception {
        try (ServerNode fixed = TestNodes.start(1, FreePorts.find(1), Map.of())) {
            for (String command : List.of("get k", "put k v", "add k", "delete k")) {
                CommandLineRun refused =
                        CommandLineRun.of(("atomic " + command + " --map m --node " + fixed.url()).split(" "));
                assertThat(refused.exitCode()).isEqualTo(1);
                assertThat(refused.err())
                        .contains("restart all nodes with --bootstrap in place of --peers (BAD_REQUEST, HTTP 400 from ")
                        .hasLineCount(1);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 256})
    void nameOfAMapHasALength(int length) {
        CommandLineRun refused =
                CommandLineRun.of("atomic", "add", "c", "--map", "m".repeat(length), "--node", node.url());
        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.err())
                .contains("the name of a map has 1 to 255 bytes in UTF-8, not " + length)
                .hasLineCount(1);
    }

    private CommandLineRun load(String lines) {
        return CommandLineRun.withInput(
                lines.getBytes(StandardCharsets.UTF_8),
                "load",
                "-",
                "--format=tsv",
                "--if-absent",
                "--map",
                map,
                "--node",
                node.url());
    }

    @Test
    void loadLeavesWhatIsThere() {
        atomic("add", "counter");
        CommandLineRun loaded = load("a\t1\nb\t2\na\t3\ncounter\t4\n");
        assertThat(loaded.err()).isEmpty();
        assertThat(loaded.exitCode()).isZero();
        assertThat(loaded.out()).startsWith("set 2 entries in ").contains("left 2 as they were: there already");
        assertDone(atomic("get", "a"), "1");
        assertDone(atomic("get", "counter"), "1");
        assertThat(node.cluster().get(Key.of("a")).toCompletableFuture().join()).isEmpty();

        assertThat(load("a\t5\nc\t6\n").out()).startsWith("set 1 entry in ").contains("left 1 as they were");
        assertDone(atomic("get", "a"), "1");
    }

    @Test
    void loadNamesTheLineOfAValueOverTheLimit() {
        CommandLineRun loaded = load("a\t1\nb\t" + "x".repeat(65_537) + "\n");
        assertThat(loaded.exitCode()).isEqualTo(1);
        assertThat(loaded.err())
                .contains("standard input line 2: the value of an atomic key has at most 65536 bytes, this one has")
                .hasLineCount(1);
    }
}
