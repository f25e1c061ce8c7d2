package io.dht4j.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.server.cli.console.Console;
import io.dht4j.server.config.Setting;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Help;

class UsageTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "server",
                "demo",
                "put",
                "get",
                "delete",
                "scan",
                "status",
                "slow-calls",
                "load",
                "dump",
                "repair",
                "nodes",
                "rebalance",
                "meta",
                "snapshot",
                "restore",
                "atomic",
                "atomic get",
                "atomic put",
                "atomic add",
                "atomic delete"
            })
    void everyCommandHasHelpAndAVersion(String command) {
        CommandLineRun help = CommandLineRun.of((command + " --help").split(" "));
        CommandLineRun version = CommandLineRun.of((command + " --version").split(" "));

        assertThat(help.exitCode()).isZero();
        assertThat(help.out()).contains("Usage: dht " + command).contains("--help");
        assertThat(help.err()).isEmpty();
        assertThat(version.exitCode()).isZero();
        assertThat(version.out()).matches("dht4j \\d\\S*, Java \\d.*\\R");
    }

    @Test
    void helpListsTheCommands() {
        assertThat(CommandLineRun.of("--help").out()).contains("server", "demo", "put", "scan", "dump");
    }

    @Test
    void withoutACommandTheHelpComesAsAnError() {
        CommandLineRun run = CommandLineRun.of();

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).contains("Usage: dht");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "sever|there is no command sever; there are: help, server, demo, put",
                "--bogus|there is no command or option --bogus; there are: help, server, demo, put",
                "sever|, snapshot, restore, bench, simulate",
                "help sever|there is no command sever; there are: help, server, demo, put",
                "help simulat|Did you mean simulate?",
                "put|KEY",
                "put k|VALUE",
                "put k v --file f|--file",
                "put k v --ttl 0|--ttl",
                "put k v --ttl soon|--ttl",
                "put k v --bogus|--bogus",
                "get k --ack 0|--ack",
                "get k --from 0|--from",
                "get k --ack 2 --from 1|--ack",
                "get k --ack x --from 1|--ack",
                "get * --key-base64|KEY is not Base64: character 1 is \"*\"",
                "get k --node ftp://x|--node",
                "get k --node http://x/path|--node",
                "get k --timeout 0|--timeout",
                "delete|KEY",
                "atomic|an operation is missing; there are: get, put, add, delete",
                "atomic increment|there is no command increment; there are: get, put, add, delete",
                "atomic get k|--map NAME is missing",
                "atomic put k --map m|VALUE",
                "atomic put k v --map m --file f|--file",
                "atomic put k v --map m --if-absent --if-version 5|--if-absent and --if-version cannot both hold",
                "atomic put k v --map m --delta 5|there is no option --delta",
                "atomic add k --map m --request-id 5|--request-id must be a UUID of version 7, such as 01a3185c-5000-",
                "atomic add k --map m --request-id 3f2504e0-4f89-41d3-9a0c-0305e82c3301|--request-id must be a UUID",
                "atomic delete k --map m --if-absent|there is no option --if-absent",
                "atomic get * --map m --key-base64|KEY is not Base64: character 1 is \"*\"",
                "atomic get k --map m --node ftp://x|--node",
                "load x.tsv --if-absent|--if-absent and --map go together",
                "load x.tsv --map m|--if-absent and --map go together",
                "scan --limit 0|--limit",
                "scan --scope galaxy|--scope",
                "scan --format xml|--format",
                "scan --prefix a --start b|--prefix",
                "status extra|extra",
                "repair --partition -1|--partition",
                "repair --partition x|--partition",
                "load|FILE",
                "load data.csv|--format",
                "load x.tsv --parallel 0|--parallel",
                "dump --format xml|--format",
                "dump x.tsv|dump takes no argument x.tsv; the file is given by --out",
                "demo --port 99999|--port",
                "server --placement alphabet|--placement",
                "server --listen nowhere|--listen",
                "server --hash siphash|--hash-key",
                "server --replication-factor 4|--replication-factor",
                "server --id|--id",
                "server --bootstrap n1=127.0.0.1:8080 --join-token no/such/file|--join-token: there is no file",
                "server --id n9 --peers n1=127.0.0.1:1|--id n9",
                "get k --tls-cert c|--tls-key",
                "get k --tls-ca c|--tls-ca",
                "get k --token secret|--token"
            })
    void wrongUsageNamesTheOptionAndEndsWith2(String command, String option) {
        CommandLineRun run = CommandLineRun.of(command.split(" "));

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains(option).contains("--help");
        assertThat(run.out()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "put k v --ttl soon|--ttl must be a whole number of milliseconds from 1 to 31536000000000, "
                        + "not \"soon\"",
                "put k v --ttl 31536000000001|--ttl must be a whole number of milliseconds from 1 to 31536000000000, "
                        + "not \"31536000000001\"",
                "get k --ack x|--ack must be a whole number from 1 to 2147483647, not \"x\"",
                "get k --from 0|--from must be a whole number from 1 to 2147483647, not \"0\"",
                "get k --timeout 3600001|--timeout must be a whole number of milliseconds from 1 to 3600000, "
                        + "not \"3600001\"",
                "scan --limit 1.5|--limit must be a whole number from 1 to 999999999999999999, not \"1.5\"",
                "repair --partition 0,x|--partition must be a whole number from 0 to 1048575, not \"x\"",
                "load x.tsv -p many|--parallel must be a whole number from 1 to 1024, not \"many\"",
                "restore --in d --parallel 1025|--parallel must be a whole number from 1 to 1024, not \"1025\"",
                "atomic add k --map m --delta 1.5|--delta must be a whole number from -9223372036854775808 to "
                        + "9223372036854775807, not \"1.5\"",
                "atomic put k v --map m --if-version 0|--if-version must be a whole number from 1 to "
                        + "18446744073709551615, not \"0\"",
                "demo --port 65534|--port must be a whole number from 1 to 65532, not \"65534\"",
                "demo --transport udp|--transport must be http or grpc or tcp, not \"udp\"",
                "server --timeout soon|--timeout must be a whole number of milliseconds from 1 to 3600000, not \"soon\""
            })
    void aBadNumberIsRefusedWithItsRange(String command, String message) {
        CommandLineRun run = CommandLineRun.of(command.split(" "));

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err().lines().findFirst().orElseThrow()).endsWith(": " + message);
        assertThat(run.err()).doesNotContain("long", "int");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "get k extra|unexpected argument \"extra\"",
                "status --bogus=1|there is no option --bogus",
                "get|KEY is missing",
                "restore|--in DIR is missing",
                "get k --out|--out needs a value: FILE",
                "get k --timeout 1 --timeout 2|--timeout is given twice",
                "scan --scope galaxy|--scope must be cluster or node, not \"galaxy\"",
                "dump --format xml|--format must be tsv or ndjson, not \"xml\"",
                "get k --node http://127.0.0.1:99999|--node: the port must be 1 to 65535, not 99999, in "
                        + "\"http://127.0.0.1:99999\"",
                "get k --node 127.0.0.1:0|--node: the port must be 1 to 65535, not 0, in \"127.0.0.1:0\""
            })
    void wrongUsageIsToldInWordsOfThisProgram(String command, String message) {
        CommandLineRun run = CommandLineRun.of(command.split(" "));

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err().lines().findFirst().orElseThrow()).endsWith(": " + message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "sever|Did you mean server?",
                "stauts|Did you mean status?",
                "bnech|Did you mean bench?",
                "snap|Did you mean snapshot?",
                "restor|Did you mean restore?",
                "atomic ad k|Did you mean add?",
                "atomic put k v --map m --if-abs|Did you mean --if-absent?",
                "get k --tiemout 1|Did you mean --timeout?",
                "get k --tokenfile x|Did you mean --token-file?",
                "put k v --tl 5|Did you mean --ttl or --tls-ca or --tls-cert?",
                "server --replication-facter 3|Did you mean --replication-factor?",
                "server --lisen 1|Did you mean --listen?",
                "scan --ned x|Did you mean --end?"
            })
    void whatWasMistypedIsSuggested(String command, String suggestion) {
        CommandLineRun run = CommandLineRun.of(command.split(" "));

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err().lines()).contains(suggestion);
    }

    @ParameterizedTest
    @ValueSource(strings = {"frobnicate", "--q", "get k --qqq", "get k extra", "status --x"})
    void nothingIsSuggestedForWhatIsLikeNothing(String command) {
        assertThat(CommandLineRun.of(command.split(" ")).err()).doesNotContain("Did you mean");
    }

    @Test
    void theHelpOfTheServerHasSectionsAndEachOptionOnce() {
        String help = CommandLineRun.of("server", "--help").out();

        assertThat(help.lines())
                .containsSubsequence(
                        "Cluster:",
                        "Public APIs:",
                        "Requests:",
                        "Storage:",
                        "Repair:",
                        "Between the nodes:",
                        "Security:",
                        "Limits:",
                        "This command:");
        for (Setting setting : Setting.values()) {
            assertThat(help.lines().filter(line -> line.matches(" +(-\\w, )?" + setting.option() + "[= \\[].*")))
                    .as(setting.option())
                    .hasSize(1);
        }
        assertThat(help).contains("--config=FILE", "--rebuild", "--verbose", "--help", "--version");
    }

    @Test
    void theHelpOfAClientsCommandHasSections() {
        assertThat(CommandLineRun.of("put", "--help").out().lines())
                .containsSubsequence("Options:", "Replicas and ordering:", "Node:", "Security:");
        assertThat(CommandLineRun.of("atomic", "put", "--help").out().lines())
                .containsSubsequence("Options:", "Node:", "Security:");
        assertThat(CommandLineRun.of("atomic", "--help").out().lines())
                .containsSubsequence("Operations:")
                .anyMatch(line -> line.matches(" +add +Adds to a counter, and prints its new number\\."));
        assertThat(CommandLineRun.of("--help").out().lines())
                .containsSubsequence("Run:", "Read and write:", "Operate:", "Copy in bulk:", "Find out:")
                .anyMatch(line -> line.matches(" +bench +Runs experiments.*"))
                .anyMatch(line -> line.matches(" +put +Writes a key\\."));
    }

    @Test
    void theHelpBreaksLinesAtSpacesOnly() {
        CommandLine all = Dht.commandLine(Console.ofProcess()).setUsageHelpAutoWidth(false);
        List<CommandLine> commands = new ArrayList<>(all.getSubcommands().values());
        commands.add(all);
        commands.addAll(all.getSubcommands().get("atomic").getSubcommands().values());
        for (CommandLine command : commands) {
            for (int width = 80; width <= 120; width += 4) {
                String[] lines = usage(command, width).split("\\R");
                int longest = Stream.of(lines).mapToInt(String::length).max().orElse(0);
                assertThat(longest).as(command.getCommandName()).isLessThanOrEqualTo(width);
                assertThat(String.join(" ", lines).split("\\s+"))
                        .as(command.getCommandName())
                        .containsExactly(usage(command, 10_000).split("\\s+"));
            }
        }
    }

    private static String usage(CommandLine command, int width) {
        return command.setUsageHelpWidth(width).getUsageMessage(Help.Ansi.OFF);
    }

    @Test
    void everyCommandStandsInTheHelp() {
        String help = CommandLineRun.of("--help").out();

        for (String command :
                Dht.commandLine(Console.ofProcess()).getSubcommands().keySet()) {
            assertThat(help).containsPattern("(?m)^ +" + command + " ");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"scan --start b --end a", "scan --start a --end a"})
    void aRangeInWhichNoKeyCanBeIsRefused(String command) {
        CommandLineRun run = CommandLineRun.of(command.split(" "));

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("--end must come after --start");
        assertThat(run.out()).isEmpty();
    }

    @Test
    void aFileInPlaceOfASnapshotIsAFailureThatSaysSo(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("dump.tsv"), "a\tb\n");

        CommandLineRun run = CommandLineRun.of("restore", "--check", "--in", file.toString());

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err())
                .contains(file + " is a file; a snapshot is a directory")
                .hasLineCount(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "http://node.invalid:8080|the name of the host cannot be resolved",
                "http://127.0.0.1:1|nothing listens there (connection refused)"
            })
    void aNodeThatCannotBeReachedIsAFailureThatNamesIt(String node, String why) {
        CommandLineRun run = CommandLineRun.of("get", "k", "--node", node);

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).contains(node + ": " + why).hasLineCount(1);
    }

    @ParameterizedTest
    @CsvSource({"node.invalid, http://node.invalid:80", "https://node.invalid/, https://node.invalid:443"})
    void aPortThatIsLeftOutIsNamed(String node, String full) {
        CommandLineRun run = CommandLineRun.of("get", "k", "--node", node);

        assertThat(run.err()).contains(full + ": the name of the host cannot be resolved");
    }

    @Test
    void theCommandLineWinsOverTheFile(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("node.properties");
        Files.writeString(file, "partitions=7\nplacement=alphabet\n");

        CommandLineRun run = CommandLineRun.of("server", "--config", file.toString(), "--partitions", "8");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err())
                .contains("--placement")
                .contains("(--placement was read from " + file + ")")
                .doesNotContain("--partitions");
    }

    @Test
    void aFileThatIsNotThereIsAFailureThatNamesIt(@TempDir Path directory) {
        Path none = directory.resolve("none");

        CommandLineRun run = CommandLineRun.of("load", none.resolve("x.tsv").toString());

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).contains("there is no directory " + none).hasLineCount(1);
    }

    @Test
    void aFileOfSettingsThatIsNotThereIsWrongUsage(@TempDir Path directory) {
        Path none = directory.resolve("none");

        CommandLineRun run = CommandLineRun.of("server", "--config", none.toString());

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("--config").contains("--help").contains(none.toString());
        assertThat(run.out()).isEmpty();
    }

    @Test
    void aMissingFileOfATokenIsAFailureThatNamesIt(@TempDir Path directory) {
        Path file = directory.resolve("token");

        CommandLineRun run = CommandLineRun.of("get", "k", "--token-file", file.toString());

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).contains("--token-file: there is no file " + file).hasLineCount(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"\ufeffsecret\r\n", "secret"})
    void aTokenInUtf16IsRefusedAndNamesItsFile(String content, @TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("token"), content, StandardCharsets.UTF_16LE);

        CommandLineRun run = CommandLineRun.of("get", "k", "--token-file", file.toString());

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err())
                .contains("--token-file " + file + ": its text is UTF-16: save it as UTF-8")
                .hasLineCount(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "read secret-token-of-mine", "tok\u00e9n-secret", "secret\nsecret"})
    void whatIsNoTokenIsRefusedAndNotShown(String content, @TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("token"), content);

        CommandLineRun run = CommandLineRun.of("get", "k", "--token-file", file.toString());

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err())
                .contains(file + " must hold one token")
                .doesNotContain("secret")
                .hasLineCount(1);
    }

    @Test
    void aVariableThatIsNoTokenIsRefusedAndNotShown() {
        CommandLineRun run = CommandLineRun.with(Map.of("DHT_TOKEN", "se cret"), new byte[0], "get", "k");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err())
                .contains("$DHT_TOKEN must hold one token")
                .doesNotContain("cret")
                .hasLineCount(1);
    }

    @Test
    void aTokenDoesNotLeaveTheMachineInPlaintextUnasked() {
        Map<String, String> environment = Map.of("DHT_TOKEN", "a-token-of-tests");

        CommandLineRun run = CommandLineRun.with(environment, new byte[0], "get", "k", "--node", "http://192.0.2.1:1");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err())
                .contains("192.0.2.1", "--allow-plaintext")
                .doesNotContain("a-token")
                .hasLineCount(1);
    }
}
