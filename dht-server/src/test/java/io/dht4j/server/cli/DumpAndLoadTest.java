package io.dht4j.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.CallOptions;
import io.dht4j.Key;
import io.dht4j.server.ServerNode;
import io.dht4j.server.TestNodes;
import io.dht4j.testkit.network.FreePorts;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Dumps of all entries to a file, and loads of a file. */
class DumpAndLoadTest extends NodeCommands {

    @Test
    void lastLineOfAKeyCounts() throws Exception {
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
    @ValueSource(strings = {"backup.csv", "backup"})
    void dumpNeedsAFormatWhereTheNameHasNone(String name) {
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

            Optional<Instant> expires = other.cluster()
                    .get(Key.of("soon"))
                    .toCompletableFuture()
                    .join()
                    .orElseThrow()
                    .expiresAt();
            assertThat(Duration.between(Instant.now(), expires.orElseThrow()))
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
    void blankLinesAndByteOrderMarksAreNoEntries() throws Exception {
        Path tabs = directory.resolve("data.tsv");
        Files.writeString(tabs, "\ufeffa\t1\n\nb\t2\r\n\r\n");
        assertThat(run("load", tabs.toString()).out()).contains("loaded 2 entries");
        Path json = directory.resolve("data.ndjson");
        Files.writeString(json, "\ufeff\n{\"key\":\"c\",\"value\":\"3\"}\n \t \r\n\t\n{\"key\":\"d\",\"value\":\"4\"}");
        assertThat(run("load", json.toString()).out()).contains("loaded 2 entries");
        assertThat(value("a")).isEqualTo("1");
        assertThat(value("d")).isEqualTo("4");
    }

    @ParameterizedTest
    @CsvSource({
        "tsv,UTF-16LE,false",
        "tsv,UTF-16LE,true",
        "tsv,UTF-16BE,false",
        "ndjson,UTF-16LE,false",
        "ndjson,UTF-16BE,false",
        "ndjson,UTF-16BE,true"
    })
    void aFileInUtf16IsRefusedAndNamed(String format, String charset, boolean isMarked) throws Exception {
        String line = format.equals("tsv") ? "\u00fctf16\t1\r\n" : "{\"key\":\"\u00fctf16\",\"value\":\"1\"}\r\n";
        Path file = directory.resolve("data." + format);
        Files.writeString(file, (isMarked ? "\ufeff" : "") + line + line, Charset.forName(charset));

        CommandLineRun loaded = run("load", file.toString());

        assertThat(loaded.exitCode()).isEqualTo(1);
        assertThat(loaded.err())
                .contains("dht load: " + file + ": its text is UTF-16: save it as UTF-8")
                .hasLineCount(1);
    }

    @Test
    void aLineOfJsonWithNulsIsRefusedWithARemedy() throws Exception {
        Path file = directory.resolve("data.ndjson");
        Files.writeString(file, "{\"key\":\"a\",\"value\":\"\u044f\"}\n", StandardCharsets.UTF_16LE);

        assertThat(run("load", file.toString()).err())
                .contains(file + " line 1: not a JSON object: it has NUL characters, as UTF-16")
                .hasLineCount(1);
        assertThat(read("a")).isEmpty();
    }

    @Test
    void keysAndValuesWithNulsAreLoaded() throws Exception {
        byte[] lines = "\0\t\0\n\0a\0b\t\0c\nd\0\te\0\n\0\t\0\5\0\n".getBytes(StandardCharsets.US_ASCII);
        for (int from = 0; from < lines.length; from++) {
            if (from > 0 && lines[from - 1] != '\n') {
                continue;
            }
            CommandLineRun loaded = CommandLineRun.withInput(
                    Arrays.copyOfRange(lines, from, lines.length),
                    "load",
                    "-",
                    "--format",
                    "tsv",
                    "--node",
                    node.url());
            assertThat(loaded.err()).isEmpty();
        }
        assertThat(value("\0a\0b")).isEqualTo("\0c");
        assertThat(value("\0")).isEqualTo("\0\5\0");
    }

    @Test
    void aDirectoryInPlaceOfAFileIsNamed() {
        assertThat(run("load", directory.toString(), "--format", "tsv").err()).contains("load: " + directory + ": ");
        assertThat(run("put", "k", "--file", directory.toString()).err()).contains("put: " + directory + ": ");
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
        Path file = directory.resolve("data.tsv");
        Files.writeString(file, "a\t1\nb\t" + "x".repeat((16 << 20) + 1) + "\n");

        CommandLineRun loaded = run("load", file.toString());

        assertThat(loaded.exitCode()).isEqualTo(1);
        assertThat(loaded.err()).contains("line 2").contains("VALUE_TOO_LARGE").hasLineCount(1);
    }

    @Test
    void aKeyOfAnyBytesIsDumpedAndLoaded() throws Exception {
        String line = "{\"key_base64\":\"//8=\",\"value_base64\":\"dg==\"";

        CommandLineRun loaded = CommandLineRun.withInput(
                (line + "}").getBytes(StandardCharsets.US_ASCII),
                "load",
                "-",
                "--format",
                "ndjson",
                "--node",
                node.url());

        assertThat(loaded.err()).isEmpty();
        assertThat(run("get", "--key-base64", "//8=").out()).isEqualTo("v");
        assertThat(run("dump", "--format", "ndjson").out()).contains(line);
        assertThat(run("delete", "--key-base64", "//8=").exitCode()).isZero();
    }

    @Test
    void aDumpThatFailsLeavesNoFile() {
        Path file = directory.resolve("dump.tsv");

        CommandLineRun dumped = CommandLineRun.of("dump", "--out", file.toString(), "--node", "http://127.0.0.1:1");

        assertThat(dumped.exitCode()).isEqualTo(1);
        assertThat(directory).isEmptyDirectory();
    }
}
