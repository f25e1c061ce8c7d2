package io.dht4j.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.server.cli.CommandLineRun;
import io.dht4j.server.config.Setting;
import io.dht4j.server.config.TransportChoice;
import io.dht4j.testkit.network.FreePorts;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Three servers in processes of their own that talk over each transport; how well is for the transports' own tests. */
class ServerTransportsTest {

    private static final int NODES = 3;

    @TempDir
    private Path directory;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"--transport grpc --cancellation propagate|grpc/stream"})
    void clusterServesAndTakesANodeBack(String options, String name) throws Exception {
        serveAndTakeANodeBack(options, name);
    }

    @ParameterizedTest
    @Tag("full")
    @CsvSource(
            delimiter = '|',
            value = {
                "--transport http --http-client vertx-h2|http/vertx-h2",
                "--transport http --http-client one-nio --batching off|http/one-nio",
                "--transport grpc --grpc-mode unary --batch-frames 1|grpc/unary",
                "--transport tcp --peer-connections 2|tcp"
            })
    void otherTransportsServeAndTakeANodeBack(String options, String name) throws Exception {
        serveAndTakeANodeBack(options, name);
    }

    private void serveAndTakeANodeBack(String options, String name) throws Exception {
        List<Integer> ports = FreePorts.find(2 * NODES);
        List<Integer> listen = ports.subList(0, NODES);
        List<Integer> peers = options.contains("--transport http") ? listen : ports.subList(NODES, 2 * NODES);
        List<ServerProcess> servers = new ArrayList<>();
        try {
            for (int i = 0; i < NODES; i++) {
                servers.add(start(i, listen, peers, options));
            }
            for (int i = 0; i < NODES; i++) {
                assertThat(servers.get(i).awaitReady())
                        .isEqualTo("ready n" + (i + 1) + " http://127.0.0.1:" + listen.get(i) + " transport=" + name
                                + " tls=off tokens=off");
            }
            run(listen.get(0), "put", "k", "v", "--ack", "3");
            assertThat(run(listen.get(1), "get", "k")).isEqualTo("v");
            assertThat(run(listen.get(1), "scan")).isEqualTo("k\tv\n");
            assertThat(run(listen.get(1), "status")).containsPattern("transport +" + name);

            servers.get(2).terminate();
            assertThat(servers.get(2).exitCode()).isZero();
            run(listen.get(0), "put", "k", "w");
            servers.set(2, start(2, listen, peers, options));
            servers.get(2).awaitReady();

            assertThat(run(listen.get(2), "get", "k")).isEqualTo("w");
            run(listen.get(0), "put", "l", "v", "--ack", "3");
            for (ServerProcess server : servers) {
                server.terminate();
            }
            for (ServerProcess server : servers) {
                assertThat(server.exitCode()).as(server.err()).isZero();
            }
        } finally {
            servers.forEach(ServerProcess::close);
        }
    }

    @ParameterizedTest
    @EnumSource(TransportChoice.Client.class)
    void everyHttpClientIsThereToBeChosen(TransportChoice.Client chosen) throws Exception {
        List<Integer> ports = FreePorts.find(2);
        Map<Setting, String> client = Map.of(Setting.HTTP_CLIENT, TestNodes.nameOf(chosen));
        try (ServerNode first = TestNodes.start(1, ports, client);
                ServerNode second = TestNodes.start(2, ports, client)) {
            run(ports.get(0), "put", "k", "v", "--ack", "2");

            assertThat(run(ports.get(1), "get", "k")).isEqualTo("v");
            for (ServerNode node : List.of(first, second)) {
                assertThat(node.summary())
                        .contains(
                                chosen == TransportChoice.Client.VERTX
                                        ? " transport=http "
                                        : " transport=http/" + TestNodes.nameOf(chosen) + " ");
            }
        }
    }

    private ServerProcess start(int index, List<Integer> listen, List<Integer> peers, String options) throws Exception {
        List<String> all = new ArrayList<>(List.of(
                "--id",
                "n" + (index + 1),
                "--listen",
                "127.0.0.1:" + listen.get(index),
                "--peers",
                TestNodes.peers(peers),
                "--store",
                "memory",
                "--timeout",
                "20000"));
        all.addAll(Arrays.asList(options.split(" ")));
        return ServerProcess.start(directory, all.toArray(String[]::new));
    }

    /** Runs a command at a node, and gives what it wrote. */
    private static String run(int port, String... args) {
        List<String> all = new ArrayList<>(List.of(args));
        all.addAll(List.of("--node", "http://127.0.0.1:" + port));
        CommandLineRun run = CommandLineRun.of(all.toArray(String[]::new));
        assertThat(run.exitCode()).as(run.err()).isZero();
        return run.out();
    }
}
