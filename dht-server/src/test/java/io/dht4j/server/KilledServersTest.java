package io.dht4j.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dht4j.Key;
import io.dht4j.server.client.AskedPolicy;
import io.dht4j.server.client.ClientException;
import io.dht4j.server.client.DhtClient;
import io.dht4j.server.config.TransportChoice.Protocol;
import io.dht4j.testkit.network.FreePorts;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Three servers in processes of their own, of which two are killed with {@code kill -9}, or one is stopped; more of the
 * kind is in {@code RealFaultsTest}.
 */
@Tag("full")
class KilledServersTest {

    private static final int NODES = 3;
    private static final int WRITES = 500;
    private static final int HINT_BYTES = 1000;
    /** Some dozens of them overlap. */
    private static final int OVERLAPPING_WRITES = 500;

    private static final Duration LONG_TIMEOUT = Duration.ofSeconds(20);
    /** Shorter than the time after which the connection to a stopped server counts as broken. */
    private static final Duration SHORT_TIMEOUT = Duration.ofSeconds(2);

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path directory;

    private final List<ServerProcess> servers = new ArrayList<>();

    @Test
    void hintsOutliveAKilledCoordinatorAndReachTheReplica() throws Exception {
        List<Integer> all = FreePorts.find(2 * NODES);
        List<Integer> ports = all.subList(0, NODES);
        List<Integer> peerPorts = all.subList(NODES, 2 * NODES);
        try {
            for (int number = 1; number <= NODES; number++) {
                servers.add(start(number, ports, peerPorts));
            }
            for (ServerProcess server : servers) {
                server.awaitReady();
            }
            DhtClient first = clientOf(ports, 1);
            servers.get(2).kill();
            for (int i = 0; i < WRITES; i++) {
                DhtClient.await(first.put(
                        Key.of("missed/" + i), new byte[HINT_BYTES], AskedPolicy.DEFAULT, OptionalLong.empty()));
            }
            await("hints are kept")
                    .atMost(PATIENCE)
                    .until(() -> status(first, "hint_bytes") > (long) WRITES * HINT_BYTES);
            restart(1, ports, peerPorts);
            restart(3, ports, peerPorts);

            DhtClient third = clientOf(ports, 3);
            await("n3 has caught up").atMost(PATIENCE).until(() -> status(third, "entries") == WRITES);
            await("no hint is left").atMost(PATIENCE).until(() -> status(first, "hint_bytes") == 0);
            assertThat(status(first, "hint_bytes_dropped")).isZero();
        } finally {
            for (ServerProcess server : servers) {
                server.close();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"--peers", "--bootstrap"})
    void writersOfOneKeySucceedDespiteAPausedServer(String membership) throws Exception {
        List<Integer> all = FreePorts.find(2 * NODES);
        List<Integer> ports = all.subList(0, NODES);
        List<Integer> peerPorts = all.subList(NODES, 2 * NODES);
        try {
            for (int number = 1; number <= NODES; number++) {
                servers.add(start(number, ports, peerPorts, membership, SHORT_TIMEOUT));
            }
            for (ServerProcess server : servers) {
                server.awaitReady();
            }
            servers.get(2).signal("STOP");
            CompletableFuture<Void> first = CompletableFuture.runAsync(() -> writeOneKey(clientOf(ports, 1)));
            CompletableFuture<Void> second = CompletableFuture.runAsync(() -> writeOneKey(clientOf(ports, 2)));
            assertThat(CompletableFuture.allOf(first, second)).succeedsWithin(PATIENCE);
        } finally {
            for (ServerProcess server : servers) {
                server.close();
            }
        }
    }

    private static void writeOneKey(DhtClient client) {
        for (int i = 0; i < OVERLAPPING_WRITES; i++) {
            try {
                DhtClient.await(client.put(Key.of("key"), new byte[1], AskedPolicy.DEFAULT, OptionalLong.empty()));
            } catch (ClientException e) {
                throw new AssertionError("write " + i, e);
            }
        }
    }

    private void restart(int number, List<Integer> ports, List<Integer> peerPorts) throws Exception {
        servers.get(number - 1).kill();
        ServerProcess restarted = start(number, ports, peerPorts);
        servers.set(number - 1, restarted);
        restarted.awaitReady();
    }

    private static DhtClient clientOf(List<Integer> ports, int number) {
        return new DhtClient(List.of(URI.create("http://127.0.0.1:" + ports.get(number - 1))), PATIENCE);
    }

    private static long status(DhtClient client, String field) throws ClientException {
        return DhtClient.await(client.status()).get(field).asLong();
    }

    private ServerProcess start(int number, List<Integer> ports, List<Integer> peerPorts) throws Exception {
        return start(number, ports, peerPorts, "--peers", LONG_TIMEOUT);
    }

    private ServerProcess start(
            int number, List<Integer> ports, List<Integer> peerPorts, String membership, Duration timeout)
            throws Exception {
        return ServerProcess.start(
                directory,
                "--id",
                "n" + number,
                "--listen",
                "127.0.0.1:" + ports.get(number - 1),
                membership,
                TestNodes.peers(peerPorts),
                "--transport",
                TestNodes.nameOf(Protocol.GRPC),
                "--data",
                directory.resolve("n" + number).toString(),
                "--timeout",
                String.valueOf(timeout.toMillis()));
    }
}
