package io.dht4j.examples.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dht4j.Key;
import io.dht4j.examples.TestNodes;
import io.dht4j.examples.client.AskedPolicy;
import io.dht4j.examples.client.ClientException;
import io.dht4j.examples.client.DhtClient;
import io.dht4j.examples.server.TransportChoice.Protocol;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Three servers in processes of their own, of which one after the other is killed with {@code kill -9}. */
class KilledServersTest {

    private static final int NODES = 3;
    private static final int WRITERS = 8;
    /** Acknowledged writes before, during and after each absence. */
    private static final int STEP = 500;

    private static final int READS_AT_A_TIME = 64;
    private static final int HINT_BYTES = 1000;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path directory;

    private final Map<String, String> acknowledged = new ConcurrentHashMap<>();
    private final AtomicBoolean writing = new AtomicBoolean(true);
    private final List<ServerProcess> servers = new ArrayList<>();

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void what_was_acknowledged_is_still_there_when_each_node_in_turn_was_killed_and_restarted(Protocol protocol)
            throws Exception {
        List<Integer> ports = TestNodes.freePorts(NODES);
        List<Integer> peerPorts = protocol == Protocol.HTTP ? ports : TestNodes.freePortsBesides(ports, NODES);
        List<URI> urls = ports.stream()
                .map(port -> URI.create("http://127.0.0.1:" + port))
                .toList();
        List<Thread> writers = new ArrayList<>();
        try {
            for (int number = 1; number <= NODES; number++) {
                servers.add(start(number, protocol, ports, peerPorts));
            }
            for (ServerProcess server : servers) {
                server.awaitReady();
            }
            for (int writer = 0; writer < WRITERS; writer++) {
                writers.add(startWriter(writer, urls));
            }
            for (int number = 1; number <= NODES; number++) {
                awaitMoreAcknowledged("with all nodes, before n" + number + " is killed");
                servers.get(number - 1).kill();
                awaitMoreAcknowledged("while n" + number + " is away");
                ServerProcess restarted = start(number, protocol, ports, peerPorts);
                servers.set(number - 1, restarted);
                restarted.awaitReady();
                awaitMoreAcknowledged("since n" + number + " is back");
            }
            writing.set(false);
            for (Thread writer : writers) {
                writer.join(PATIENCE.toMillis());
                assertThat(writer.isAlive()).isFalse();
            }

            assertThat(acknowledged).hasSizeGreaterThanOrEqualTo(3 * NODES * STEP);
            assertEveryAcknowledgedValueIsRead(urls);
        } finally {
            writing.set(false);
            for (ServerProcess server : servers) {
                server.close();
            }
        }
    }

    @Test
    void what_a_node_missed_it_gets_by_hints_that_outlive_the_node_that_kept_them() throws Exception {
        List<Integer> ports = TestNodes.freePorts(NODES);
        List<Integer> peerPorts = TestNodes.freePortsBesides(ports, NODES);
        try {
            for (int number = 1; number <= NODES; number++) {
                servers.add(start(number, Protocol.GRPC, ports, peerPorts));
            }
            for (ServerProcess server : servers) {
                server.awaitReady();
            }
            DhtClient first = clientOf(ports, 1);
            servers.get(2).kill();
            for (int i = 0; i < STEP; i++) {
                DhtClient.await(first.put(
                        Key.of("missed/" + i), new byte[HINT_BYTES], AskedPolicy.DEFAULT, OptionalLong.empty()));
            }
            await("hints are kept")
                    .atMost(PATIENCE)
                    .until(() -> status(first, "hint_bytes") > (long) STEP * HINT_BYTES);
            restart(1, ports, peerPorts);
            restart(3, ports, peerPorts);

            DhtClient third = clientOf(ports, 3);
            await("n3 has caught up").atMost(PATIENCE).until(() -> status(third, "entries") == STEP);
            await("no hint is left").atMost(PATIENCE).until(() -> status(first, "hint_bytes") == 0);
            assertThat(status(first, "hint_bytes_dropped")).isZero();
        } finally {
            for (ServerProcess server : servers) {
                server.close();
            }
        }
    }

    private void restart(int number, List<Integer> ports, List<Integer> peerPorts) throws Exception {
        servers.get(number - 1).kill();
        ServerProcess restarted = start(number, Protocol.GRPC, ports, peerPorts);
        servers.set(number - 1, restarted);
        restarted.awaitReady();
    }

    private static DhtClient clientOf(List<Integer> ports, int number) {
        return new DhtClient(List.of(URI.create("http://127.0.0.1:" + ports.get(number - 1))), PATIENCE);
    }

    private static long status(DhtClient client, String field) throws ClientException {
        return DhtClient.await(client.status()).get(field).asLong();
    }

    private void assertEveryAcknowledgedValueIsRead(List<URI> nodes) throws Exception {
        List<DhtClient> clients = nodes.stream()
                .map(node -> new DhtClient(List.of(node), PATIENCE))
                .toList();
        List<String> keys = List.copyOf(acknowledged.keySet());
        Map<String, String> read = new HashMap<>();
        for (int from = 0; from < keys.size(); from += READS_AT_A_TIME) {
            DhtClient client = clients.get(from / READS_AT_A_TIME % clients.size());
            Map<String, CompletableFuture<Optional<byte[]>>> reads = new HashMap<>();
            for (String key : keys.subList(from, Math.min(keys.size(), from + READS_AT_A_TIME))) {
                reads.put(key, client.get(Key.of(key), AskedPolicy.DEFAULT));
            }
            for (Map.Entry<String, CompletableFuture<Optional<byte[]>>> pending : reads.entrySet()) {
                DhtClient.await(pending.getValue())
                        .ifPresent(value -> read.put(pending.getKey(), new String(value, StandardCharsets.UTF_8)));
            }
        }
        assertThat(read).isEqualTo(acknowledged);
    }

    private void awaitMoreAcknowledged(String when) {
        int before = acknowledged.size();
        await(when).atMost(PATIENCE).until(() -> acknowledged.size() >= before + STEP);
    }

    /** Writes one key after the other until it is told to stop; remembers those that were answered with 201. */
    private Thread startWriter(int number, List<URI> urls) {
        DhtClient client = new DhtClient(urls, PATIENCE);
        Thread writer = new Thread(
                () -> {
                    for (int i = 0; writing.get(); i++) {
                        String key = "writer-" + number + "/" + i;
                        String value = "value " + i + " of " + number;
                        try {
                            DhtClient.await(client.put(
                                    Key.of(key),
                                    value.getBytes(StandardCharsets.UTF_8),
                                    AskedPolicy.DEFAULT,
                                    OptionalLong.empty()));
                            acknowledged.put(key, value);
                        } catch (ClientException e) {
                            // Not acknowledged: nothing is promised of this key.
                        }
                    }
                },
                "writer " + number);
        writer.setDaemon(true);
        writer.start();
        return writer;
    }

    private ServerProcess start(int number, Protocol protocol, List<Integer> ports, List<Integer> peerPorts)
            throws Exception {
        return ServerProcess.start(
                directory,
                "--id",
                "n" + number,
                "--listen",
                "127.0.0.1:" + ports.get(number - 1),
                "--peers",
                TestNodes.peers(peerPorts),
                "--transport",
                Given.nameOf(protocol),
                "--data",
                directory.resolve("n" + number).toString(),
                "--timeout",
                "20000");
    }
}
