package io.dht4j.server.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dht4j.Key;
import io.dht4j.server.ServerProcess;
import io.dht4j.server.backup.SnapshotReader;
import io.dht4j.server.cli.CommandLineRun;
import io.dht4j.server.client.AskedPolicy;
import io.dht4j.server.client.DhtClient;
import io.dht4j.server.client.Item;
import io.dht4j.server.client.ItemSource;
import io.dht4j.server.config.TransportChoice.Protocol;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code kill -9} in the middle of a snapshot, of the command and of servers. The links to the servers' public APIs let
 * 64 KiB pass in a fifth of a second until the kill, so that the snapshot is in its middle then. The tests share the
 * servers.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("full")
class KilledSnapshotTest {

    private static final int ENTRIES = 1_000;
    private static final int PUTS_AT_A_TIME = 20;

    private static final int VALUE_BYTES = 4_000;
    /** Of the four million that a snapshot has here. */
    private static final long SOME_BYTES = 256 << 10;

    /** Of a call within the cluster. Who is killed resets its connections, so that nothing waits for so long. */
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final AskedPolicy EVERY_REPLICA =
            new AskedPolicy(OptionalInt.of(RealCluster.NODES), OptionalInt.of(RealCluster.NODES));

    /** The server that is killed. */
    private static final int THIRD = 2;

    private Path directory;
    private RealCluster cluster;
    private Set<Key> written;
    private boolean isKilled;

    @BeforeAll
    void startAndFill(@TempDir Path shared) throws Exception {
        directory = shared;
        cluster = new RealCluster(directory, Protocol.GRPC, "mvstore", TIMEOUT, new SplittableRandom(1));
        written = new HashSet<>();
        DhtClient client = new DhtClient(List.of(URI.create(url(0))), PATIENCE);
        List<CompletableFuture<?>> puts = new ArrayList<>();
        for (int i = 0; i < ENTRIES; i++) {
            Key key = Key.of("key" + i);
            puts.add(client.put(key, new byte[VALUE_BYTES], AskedPolicy.DEFAULT, OptionalLong.empty()));
            written.add(key);
            if (puts.size() == PUTS_AT_A_TIME || i == ENTRIES - 1) {
                for (CompletableFuture<?> put : puts) {
                    DhtClient.await(put);
                }
                puts.clear();
            }
        }
    }

    @AfterAll
    void stop() throws Exception {
        cluster.close();
    }

    @BeforeEach
    void slowDownClients() {
        cluster.clientWeather(FaultyLink.Weather.SLOW);
    }

    private void killTheThird() {
        cluster.kill(THIRD);
        isKilled = true;
    }

    /** Starts it again, and waits until it is read: before that it compares its disk with the others. */
    @AfterEach
    void restartWhatWasKilled() throws Exception {
        cluster.clientWeather(FaultyLink.Weather.CALM);
        if (isKilled) {
            cluster.restart(List.of(THIRD));
            isKilled = false;
            DhtClient client = new DhtClient(List.of(URI.create(url(THIRD))), PATIENCE);
            await("all replicas are read")
                    .atMost(PATIENCE)
                    .ignoreExceptions()
                    .untilAsserted(() -> assertThat(DhtClient.await(client.get(Key.of("key0"), EVERY_REPLICA)))
                            .isPresent());
        }
    }

    @Test
    void theNextSnapshotRemovesWhatAKilledOneLeftAndIsWhole() throws Exception {
        Path out = directory.resolve("killed");
        Process command = new ProcessBuilder(
                        ServerProcess.commandLine("snapshot", "--node", url(0), "--out", out.toString()))
                .inheritIO()
                .start();
        try {
            awaitTheMiddleOf(out);
        } finally {
            command.destroyForcibly().onExit().join();
        }
        assertThat(out).doesNotExist();
        assertThat(partOf(out)).exists();
        cluster.clientWeather(FaultyLink.Weather.CALM);

        CommandLineRun again = CommandLineRun.of("snapshot", "--node", url(1), "--out", out.toString());

        assertThat(again.exitCode()).as(again.err()).isZero();
        assertThat(partOf(out)).doesNotExist();
        assertWhole(out);
    }

    @Test
    @Tag("full")
    void snapshotContinuesWhenAnotherServerIsKilled() throws Exception {
        assertContinuesAfterAKill("without-n3", url(0));
    }

    @Test
    @Tag("full")
    void snapshotContinuesOnAnotherServerAfterAKill() throws Exception {
        assertContinuesAfterAKill("from-n3", url(THIRD) + "," + url(1));
    }

    private void assertContinuesAfterAKill(String name, String nodes) throws Exception {
        Path out = directory.resolve(name);
        CompletableFuture<CommandLineRun> run = inBackground("snapshot", "--node", nodes, "--out", out.toString());
        awaitTheMiddleOf(out);

        killTheThird();
        cluster.clientWeather(FaultyLink.Weather.CALM);

        CommandLineRun taken = run.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(taken.exitCode()).as(taken.err()).isZero();
        assertWhole(out);
    }

    private String url(int node) {
        return "http://" + cluster.httpAddress(node);
    }

    private static CompletableFuture<CommandLineRun> inBackground(String... args) {
        return CompletableFuture.supplyAsync(() -> CommandLineRun.of(args));
    }

    private static Path partOf(Path out) {
        return out.resolveSibling(out.getFileName() + ".part");
    }

    private static void awaitTheMiddleOf(Path out) {
        Path data = partOf(out).resolve("data-000001.dht");
        await("the snapshot is in its middle")
                .atMost(PATIENCE)
                .until(() -> Files.exists(data) && Files.size(data) > SOME_BYTES);
        assertThat(out).as("it is not complete yet").doesNotExist();
    }

    private void assertWhole(Path out) throws Exception {
        Set<Key> found = new HashSet<>();
        ItemSource items = SnapshotReader.verified(out, bytes -> {}).items();
        for (Optional<Item> item = items.next(); item.isPresent(); item = items.next()) {
            assertThat(item.get().value()).hasSize(VALUE_BYTES);
            found.add(item.get().key());
        }
        assertThat(found).isEqualTo(written);
    }
}
