package io.dht4j.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.server.ServerProcess;
import io.dht4j.server.config.Setting;
import io.dht4j.testkit.network.FreePorts;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The environment variables of {@code dht server}. */
class ServerVariablesTest {

    private static final byte[] NO_INPUT = {};

    private static CommandLineRun server(Map<String, String> environment, String... options) {
        List<String> words = new ArrayList<>(List.of("server"));
        words.addAll(List.of(options));
        return CommandLineRun.with(environment, NO_INPUT, words.toArray(String[]::new));
    }

    @ParameterizedTest
    @EnumSource(value = Setting.class, mode = EnumSource.Mode.EXCLUDE, names = "HASH_KEY")
    void everyOptionHasAVariable(Setting setting) throws Exception {
        String name = "DHT_" + setting.option().substring(2).toUpperCase().replace('-', '_');
        List<String> warnings = new ArrayList<>();

        ServerVariables variables = ServerVariables.of(Map.of(name, " x "), warnings::add);

        assertThat(variables.settings()).isEqualTo(Map.of(setting, "x"));
        assertThat(warnings).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "DHT_TIMEOUT|soon|--timeout must be a whole number of milliseconds from 1 to 3600000, not \"soon\"",
                "DHT_PLACEMENT|alphabet|--placement must be ",
                "DHT_ALLOW_PLAINTEXT|true|--allow-plaintext must be on or off, not \"true\"",
                "DHT_REPLICATION_FACTOR|4|--replication-factor",
                "DHT_TLS_KEY|key.pem|--tls-key"
            })
    void aBadValueNamesItsVariable(String name, String value, String message) {
        CommandLineRun run = server(Map.of(name, value));

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err().lines().findFirst().orElseThrow())
                .contains(message)
                .endsWith("was read from " + name + ")");
    }

    @Test
    void aFileThatIsMissingAtTheStartNamesItsVariable(@TempDir Path directory) {
        String none = directory.resolve("none").toString();

        CommandLineRun run = server(
                Map.of("DHT_TOKENS", none, "DHT_STORE", "memory", "DHT_LISTEN", "127.0.0.1:" + FreePorts.find()));

        assertThat(run.exitCode()).isNotZero();
        assertThat(run.err()).contains(none).contains("(--tokens was read from DHT_TOKENS)");
    }

    @Test
    void variablesOverrideTheFileAndOptionsBoth(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(
                directory.resolve("node.properties"), "partitions=7\nplacement=alphabet\ntimeout=never\n");

        CommandLineRun first = server(
                Map.of("DHT_CONFIG", file.toString(), "DHT_PARTITIONS", "6", "DHT_PLACEMENT", "ring"),
                "--timeout",
                "5",
                "--partitions",
                "8",
                "--reads",
                "none");
        CommandLineRun second =
                server(Map.of("DHT_PLACEMENT", "letters", "DHT_PARTITIONS", "8"), "--config", file.toString());

        assertThat(first.exitCode()).isEqualTo(2);
        assertThat(first.err()).contains("--reads").doesNotContain("was read from");
        assertThat(second.err()).contains("\"letters\" (--placement was read from DHT_PLACEMENT)");
    }

    @Test
    void missingSettingsFileOfAVariableIsWrongUsage(@TempDir Path directory) {
        CommandLineRun run =
                server(Map.of("DHT_CONFIG", directory.resolve("none").toString()));

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("there is no file").contains("(--config was read from DHT_CONFIG)");
    }

    @ParameterizedTest
    @CsvSource({
        "DHT_TOKENZ, DHT_TOKENS",
        "DHT_REPLICATION_FACTER, DHT_REPLICATION_FACTOR",
        "DHT_REPLICATIONFACTOR, DHT_REPLICATION_FACTOR",
        "DHT_PEER, DHT_PEERS",
        "DHT_VERBOS, DHT_VERBOSE"
    })
    void aNameThatResemblesAVariableIsRefused(String name, String similar) {
        CommandLineRun run = server(Map.of(name, "3"));

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err())
                .contains("dht server: " + name + " is not a variable of the server. Did you mean " + similar);
    }

    @Test
    void anyOtherNameIsReportedAndHasNoEffect() {
        CommandLineRun run = server(Map.of("DHT_FLAVOUR_OF_ICE", "3", "PATH", "x"), "--reads", "none");

        assertThat(run.err().lines().findFirst().orElseThrow())
                .isEqualTo("dht server: warning: DHT_FLAVOUR_OF_ICE is not a variable of the server and has no effect");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "DHT_NODE",
                "DHT_TOKEN",
                "DHT_JAVA_OPTS",
                "DHT_STARTUP_CACHE",
                "DHT_PORT",
                "DHT_SERVICE_HOST",
                "DHT_PORT_8080_TCP_ADDR",
                "DHT_PEERS_SERVICE_PORT_HTTP"
            })
    void namesOfTheCommandLineAndOfKubernetesAreLeftAlone(String name) {
        assertThat(server(Map.of(name, "3"), "--reads", "none").err().lines().findFirst())
                .hasValueSatisfying(line -> assertThat(line).contains("--reads"));
    }

    @Test
    void anEmptyVariableCountsAsAbsent() throws Exception {
        assertThat(ServerVariables.of(Map.of("DHT_ZONE", "", "DHT_HASH_KEY", " "), warning -> {})
                        .settings())
                .isEmpty();
    }

    @Test
    void theKeyOfTheHashIsNotTakenFromTheEnvironmentNorShown() {
        CommandLineRun run = server(Map.of("DHT_HASH", "siphash", "DHT_HASH_KEY", "000102030405060708090a0b0c0d0e0f"));

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("use DHT_HASH_KEY_FILE").doesNotContain("0001");
    }

    @Test
    void aRebuildIsNotTakenFromTheEnvironment() {
        CommandLineRun run = server(Map.of("DHT_REBUILD", "on"));

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("--rebuild on the command line, once");
    }

    @Test
    void verboseIsOnOrOff() throws Exception {
        assertThat(ServerVariables.of(Map.of("DHT_VERBOSE", "on"), warning -> {})
                        .verbose())
                .isTrue();
        assertThat(ServerVariables.of(Map.of("DHT_VERBOSE", "off"), warning -> {})
                        .verbose())
                .isFalse();
        assertThat(server(Map.of("DHT_VERBOSE", "yes")).err()).contains("DHT_VERBOSE must be on or off, not \"yes\"");
    }

    @Test
    void aServerRunsFromVariablesAlone(@TempDir Path directory) throws Exception {
        String address = "127.0.0.1:" + FreePorts.find();
        Map<String, String> variables = Map.of(
                "DHT_ID", "alone", "DHT_LISTEN", address, "DHT_PEERS", "alone=" + address, "DHT_STORE", "memory");

        try (ServerProcess server = ServerProcess.startWith(variables, directory)) {
            assertThat(server.awaitReady()).startsWith("ready alone ");
            server.terminate();
            assertThat(server.exitCode()).isZero();
        }
    }
}
