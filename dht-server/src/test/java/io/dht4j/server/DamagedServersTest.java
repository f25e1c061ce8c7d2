package io.dht4j.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.dht4j.Key;
import io.dht4j.server.cli.CommandLineRun;
import io.dht4j.server.client.AskedPolicy;
import io.dht4j.server.client.ClientException;
import io.dht4j.server.client.DhtClient;
import io.dht4j.server.config.ServerConfig;
import io.dht4j.server.config.Setting;
import io.dht4j.testkit.network.FreePorts;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Servers in processes of their own, whose files are damaged, or cannot be written. */
@Tag("full")
class DamagedServersTest {

    private static final int NODES = 3;
    private static final int KEYS = 500;
    private static final int VALUE_BYTES = 10_000;
    /** Less than the store writes to see whether it can write again, whichever way the shell counts. */
    private static final int BLOCKS = 3_000;

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path directory;

    private final List<ServerProcess> servers = new ArrayList<>();

    @AfterEach
    void end() {
        servers.forEach(ServerProcess::close);
    }

    private String[] options(int number, List<Integer> ports, String... more) {
        List<String> options = new ArrayList<>(List.of(
                "--id",
                "n" + number,
                "--listen",
                "127.0.0.1:" + ports.get(number - 1),
                "--peers",
                TestNodes.peers(ports),
                "--data",
                directory.resolve("n" + number).toString(),
                "--timeout",
                "20000"));
        options.addAll(List.of(more));
        return options.toArray(String[]::new);
    }

    private ServerProcess start(int number, List<Integer> ports, String... more) throws IOException {
        ServerProcess server = ServerProcess.start(directory, options(number, ports, more));
        servers.add(server);
        return server;
    }

    private static DhtClient client(List<Integer> ports, int number) {
        return new DhtClient(List.of(URI.create("http://127.0.0.1:" + ports.get(number - 1))), PATIENCE);
    }

    private static byte[] value(int i) {
        byte[] value = new byte[VALUE_BYTES];
        Arrays.fill(value, (byte) i);
        return value;
    }

    private static void put(DhtClient client, int i) throws ClientException {
        DhtClient.await(client.put(Key.of("key-" + i), value(i), AskedPolicy.DEFAULT, OptionalLong.empty()));
    }

    private static void assertAllThere(DhtClient client, int keys) throws ClientException {
        List<CompletableFuture<Optional<byte[]>>> reads = new ArrayList<>();
        for (int i = 0; i < keys; i++) {
            reads.add(client.get(Key.of("key-" + i), AskedPolicy.DEFAULT));
        }
        for (int i = 0; i < keys; i++) {
            assertThat(DhtClient.await(reads.get(i))).as("key-%d", i).contains(value(i));
        }
    }

    private Path segment(int number) throws IOException {
        try (Stream<Path> files = Files.list(directory.resolve("n" + number))) {
            return files.filter(file -> file.toString().endsWith(".seg"))
                    .max(Path::compareTo)
                    .orElseThrow();
        }
    }

    private static void flip(Path path, long position) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
            file.seek(position);
            int old = file.read();
            file.seek(position);
            file.write(old ^ 0x10);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "PEERS, 'start the server with --rebuild, which puts the directory''s files aside and gets the entries back "
                + "from the other replicas'",
        "JOIN, run ./dht nodes replace n2 and start it with an empty directory and --join",
        "BOOTSTRAP, run ./dht nodes replace n2 and start it with an empty directory and --join"
    })
    void aDamagedDirectoryIsReportedWithTheRemedyForTheKindOfCluster(Setting membership, String remedy)
            throws Exception {
        Path data = Files.createDirectory(directory.resolve("data"));
        Files.createFile(data.resolve("data.mv"));
        List<Integer> ports = FreePorts.find(2);
        ServerConfig config = ServerConfig.of(Map.of(
                Setting.ID,
                "n2",
                Setting.LISTEN,
                "127.0.0.1:" + ports.get(1),
                Setting.DATA,
                data.toString(),
                membership,
                "n1=127.0.0.1:" + ports.get(0) + ",n2=127.0.0.1:" + ports.get(1)));

        assertThatThrownBy(() -> ServerNode.start(config))
                .isInstanceOf(ServerStartException.class)
                .hasMessage(data.resolve("FORMAT") + " is missing, though the directory has data.mv; " + remedy
                        + "; or restore the directory from a backup (docs/guide/rebuild-a-node.md)");
    }

    @Test
    @Tag("full")
    void damageIsReportedAndRepairedByARebuild() throws Exception {
        List<Integer> ports = FreePorts.find(NODES);
        for (int number = 1; number <= NODES; number++) {
            start(number, ports);
        }
        for (ServerProcess server : servers) {
            server.awaitReady();
        }
        for (int i = 0; i < KEYS; i++) {
            put(client(ports, 1), i);
        }
        servers.get(2).kill();
        Path segment = segment(3);
        flip(segment, 1000);

        ServerProcess refused = start(3, ports);
        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.err())
                .contains(segment.toString())
                .contains("offset")
                .contains("--rebuild")
                .doesNotContain("\tat ");

        ServerProcess rebuilt = start(3, ports, "--rebuild");
        rebuilt.awaitReady();
        DhtClient third = client(ports, 3);
        await("n3 is refilled")
                .atMost(PATIENCE)
                .until(() -> DhtClient.await(third.status())
                                .get("refill")
                                .get("partitions")
                                .asInt()
                        == 0);
        assertThat(DhtClient.await(third.status()).get("entries").asInt()).isEqualTo(KEYS);
        assertThat(rebuilt.err()).contains("damaged-1");
        assertThat(directory.resolve("n3").resolve("damaged-1").resolve(segment.getFileName()))
                .exists();

        // Now a quorum may count on it.
        servers.get(0).kill();
        assertAllThere(third, KEYS);
        // It starts as any other from now on.
        rebuilt.terminate();
        assertThat(rebuilt.exitCode()).isZero();
        start(3, ports).awaitReady();
        // It refuses reads until the only other one has confirmed that its disk was not rolled back.
        await("n3 is read").atMost(PATIENCE).ignoreExceptions().untilAsserted(() -> assertAllThere(third, KEYS));
    }

    @Test
    void nodeThatCannotWriteStillServesReads() throws Exception {
        List<Integer> ports = FreePorts.find(1);
        ServerProcess limited = ServerProcess.startWithSmallFiles(BLOCKS, directory, options(1, ports));
        servers.add(limited);
        limited.awaitReady();
        DhtClient client = client(ports, 1);
        int acknowledged = 0;
        try {
            while (acknowledged < 10 * KEYS) {
                put(client, acknowledged);
                acknowledged++;
            }
        } catch (ClientException e) {
            assertThat(e).hasMessageContaining("File too large");
        }
        assertThat(acknowledged).isBetween(50, 10 * KEYS - 1);

        JsonNode problem =
                DhtClient.await(client.status()).get("store_problems").get(0);
        assertThat(problem.get("kind").asText()).isEqualTo("WRITES_REFUSED");
        assertThat(problem.get("message").asText()).contains("log-").contains("File too large");
        assertAllThere(client, acknowledged);

        limited.kill();
        start(1, ports).awaitReady();
        assertAllThere(client, acknowledged);
        assertThat(DhtClient.await(client.status()).get("store_problems")).isEmpty();
        put(client, acknowledged);
        assertAllThere(client, acknowledged + 1);
    }

    @Test
    void aNodeThatIsKilledWithAFullDiskStartsAgainAndIsRead() throws Exception {
        List<Integer> ports = FreePorts.find(1);
        start(1, ports).awaitReady();
        DhtClient client = client(ports, 1);
        for (int i = 0; i < 50; i++) {
            put(client, i);
        }
        servers.get(0).kill();

        // No file may grow: to a process that is a disk that is full when it starts.
        ServerProcess full = ServerProcess.startWithSmallFiles(0, directory, options(1, ports));
        servers.add(full);
        full.awaitReady();
        assertAllThere(client, 50);
        JsonNode problem =
                DhtClient.await(client.status()).get("store_problems").get(0);
        assertThat(problem.get("kind").asText()).isEqualTo("WRITES_REFUSED");
        assertThat(problem.get("message").asText())
                .contains("cannot be written")
                .contains(" free: ")
                .contains("goes on by itself");
        assertThatThrownBy(() -> put(client, 50)).hasMessageContaining("refuses writes");

        full.kill();
        start(1, ports).awaitReady();
        put(client, 50);
        assertAllThere(client, 51);
    }

    @Test
    void nodeWithoutItsDirectoryRefusesWrites() throws Exception {
        List<Integer> ports = FreePorts.find(1);
        start(1, ports).awaitReady();
        DhtClient client = client(ports, 1);
        put(client, 0);
        Files.move(directory.resolve("n1"), directory.resolve("moved"));

        await("it is noticed")
                .atMost(PATIENCE)
                .until(() ->
                        DhtClient.await(client.status()).get("store_problems").size() > 0);
        assertThat(DhtClient.await(client.status())
                        .get("store_problems")
                        .get(0)
                        .get("message")
                        .asText())
                .contains(directory.resolve("n1").toString())
                .contains("is not at its path");
        assertThatThrownBy(() -> put(client, 1)).hasMessageContaining("refuses writes");
        assertAllThere(client, 1);
        assertThat(directory.resolve("n1")).doesNotExist();
    }

    @Test
    void rebuildWithoutOtherReplicasIsRefused() throws Exception {
        List<Integer> ports = FreePorts.find(1);
        ServerProcess alone = start(1, ports, "--rebuild");

        assertThat(alone.exitCode()).isEqualTo(2);
        assertThat(alone.err()).contains("--rebuild needs other replicas").doesNotContain("\tat ");
    }

    @Test
    void rebuildOfAStoreInMemoryIsWrongUsage() {
        CommandLineRun run = CommandLineRun.of("server", "--rebuild", "--store", "memory");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("--rebuild needs a store on disk");
    }
}
