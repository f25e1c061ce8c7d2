package io.dht4j.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dht4j.Key;
import io.dht4j.Value;
import io.dht4j.client.RemoteCluster;
import io.dht4j.client.RemoteOptions;
import io.dht4j.server.cli.CommandLineRun;
import io.dht4j.server.config.ConfigException;
import io.dht4j.server.config.ServerConfig;
import io.dht4j.server.config.Setting;
import io.dht4j.testkit.network.FreePorts;
import io.dht4j.transport.http.HttpRemote;
import io.dht4j.transport.http.HttpRemoteOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Servers that form a cluster and join it, as the command line starts and shows them. */
@Tag("full")
class AgreedServersTest {

    @TempDir
    Path directory;

    private List<Integer> ports;
    private final List<ServerNode> nodes = new ArrayList<>();

    @BeforeEach
    void form() throws Exception {
        ports = FreePorts.find(6);
        Path token = Files.writeString(directory.resolve("token"), "a secret of this cluster\n");
        List<CompletableFuture<ServerNode>> starting = new ArrayList<>();
        for (int number = 1; number <= 3; number++) {
            starting.add(start(number, Map.of(Setting.BOOTSTRAP, list(3), Setting.JOIN_TOKEN, token.toString())));
        }
        starting.forEach(node -> nodes.add(node.join()));
    }

    @AfterEach
    void close() {
        nodes.forEach(ServerNode::close);
    }

    private String list(int count) {
        return TestNodes.peers(ports.subList(0, count));
    }

    private CompletableFuture<ServerNode> start(int number, Map<Setting, String> more) {
        Map<Setting, String> settings = new EnumMap<>(Setting.class);
        settings.put(Setting.ID, "n" + number);
        settings.put(Setting.LISTEN, "127.0.0.1:" + ports.get(number - 1));
        settings.put(Setting.DATA, directory.resolve("data" + number).toString());
        settings.putAll(more);
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return ServerNode.start(ServerConfig.of(settings));
                    } catch (ServerStartException | ConfigException e) {
                        throw new CompletionException(e);
                    }
                },
                task -> new Thread(task, "start n" + number).start());
    }

    private CommandLineRun run(String... args) {
        List<String> all = new ArrayList<>(List.of(args));
        all.add("--node");
        all.add(nodes.get(0).url());
        return CommandLineRun.of(all.toArray(String[]::new));
    }

    @Test
    void aFourthNodeIsAddedJoinsAndIsShown() throws Exception {
        CompletableFuture<ServerNode> early = start(4, Map.of(Setting.JOIN, list(3)));
        assertThatThrownBy(early::join)
                .hasRootCauseInstanceOf(IllegalStateException.class)
                .hasMessageContaining("n4 is not admitted: run ./dht nodes add n4 before it joins");

        CommandLineRun added = run("nodes", "add", "n4");
        assertThat(added.out()).contains("agreed at epoch 1.", "start n4 with --join now");
        assertThat(run("nodes").out()).containsPattern("n4 +ADMITTED +not joined.*start it with --join");

        try (HttpRemote api = HttpRemote.create(HttpRemoteOptions.defaults());
                RemoteCluster client =
                        RemoteCluster.connect(api, List.of("127.0.0.1:" + ports.get(0)), RemoteOptions.defaults())) {
            nodes.add(start(4, Map.of(Setting.JOIN, list(3), Setting.ZONE, "b")).join());
            assertThat(run("nodes").out()).containsPattern("n4 +(JOINING|SERVING) +zone b");
            client.operations().status().toCompletableFuture().join();
            nodes.get(3)
                    .cluster()
                    .put(Key.of("key"), "value".getBytes(java.nio.charset.StandardCharsets.UTF_8))
                    .toCompletableFuture()
                    .join();
            nodes.get(0).close();
            // By an address that it has learned.
            assertThat(client.get(Key.of("key")).toCompletableFuture().join().map(Value::text))
                    .hasValue("value");
        }
    }

    @Test
    void aNodeJoinsByTokenAndStartsAgain() {
        Map<Setting, String> settings = Map.of(
                Setting.JOIN,
                list(2),
                Setting.JOIN_TOKEN,
                directory.resolve("token").toString());
        start(5, settings).join().close();
        nodes.add(start(5, settings).join());
        assertThat(run("nodes").out()).containsPattern("n5 +(JOINING|SERVING)");
        assertThat(run("meta").out()).startsWith("meta   n").contains("all nodes at 1.");
    }

    @Test
    void refusalsOfTheClusterReachTheUser() {
        assertThat(run("nodes", "remove", "n2").err())
                .contains("without n2 only 2 nodes would remain for the replication factor 3: add a node first,"
                        + " or, if n2");
        assertThat(run("nodes", "remove", "n9").err()).contains("there is no node n9: the nodes are n1, n2, n3");
        assertThat(run("nodes", "replace", "n2").err()).contains("n2 (number 2, SERVING) answers n1");
        assertThat(run("nodes", "address", "n2", "127.0.0.1:" + ports.get(0)).err())
                .contains("belongs to n1 (number 1, SERVING): choose another one");
    }

    @Test
    void dataOfAnAgreedClusterIsNotServedAsThatOfAStaticOne() {
        nodes.get(0).close();
        CompletableFuture<ServerNode> fixed = start(1, Map.of(Setting.PEERS, list(3)));
        assertThatThrownBy(fixed::join)
                .hasMessageContaining("belongs to the agreed cluster")
                .hasMessageContaining("start it with --join n2=127.0.0.1:" + ports.get(1));
    }

    @Test
    void aRestartWithOtherSettingsIsRefusedInOneLine() {
        nodes.get(0).close();
        CompletableFuture<ServerNode> other = start(1, Map.of(Setting.BOOTSTRAP, list(3), Setting.PARTITIONS, "512"));
        assertThatThrownBy(other::join)
                .hasMessageContaining(
                        "partitions is 1024 in the cluster, 512 at n1. Start it with the cluster's values");
        nodes.set(0, start(1, Map.of(Setting.BOOTSTRAP, list(3))).join());
    }

    @Test
    void foreignFounderIsReportedAndNotJoined() {
        nodes.get(0).close();
        Map<Setting, String> alone = Map.of(
                Setting.BOOTSTRAP,
                list(1),
                Setting.DATA,
                directory.resolve("empty").toString());
        nodes.set(0, start(1, alone).join());
        await().untilAsserted(() -> assertThat(
                        CommandLineRun.of("nodes", "--node", nodes.get(1).url()).out())
                .contains("waits for the node itself: a node of another cluster answers at 127.0.0.1:" + ports.get(0)));
        nodes.get(2).close();
        CompletableFuture<ServerNode> joining = start(3, Map.of(Setting.JOIN, list(1)));
        try {
            nodes.set(2, joining.join());
        } catch (CompletionException e) {
            assertThat(e)
                    .hasMessageContaining("the data directory of node n3 belongs to the cluster ")
                    .hasMessageContaining("by which it is to join, to the cluster ");
            return;
        }
        // On a busy machine, the foreign node may not have answered in time: n3 stays with the cluster of its data.
        assertThat(cluster(2)).isEqualTo(cluster(1)).isNotEqualTo(cluster(0));
    }

    private UUID cluster(int node) {
        return nodes.get(node)
                .cluster()
                .membership()
                .status()
                .toCompletableFuture()
                .join()
                .cluster();
    }
}
