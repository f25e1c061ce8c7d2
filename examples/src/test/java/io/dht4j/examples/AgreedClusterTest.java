package io.dht4j.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.Cluster;
import io.dht4j.ClusterMembership;
import io.dht4j.Key;
import io.dht4j.MembershipStatus;
import io.dht4j.Node;
import io.dht4j.Value;
import io.dht4j.core.options.Membership;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An agreed cluster over HTTP, MVStore and MicroRaft, in real time. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class AgreedClusterTest {

    @TempDir
    private Path directory;

    private static List<Node> nodes(int count) throws IOException {
        List<ServerSocket> sockets = new ArrayList<>();
        List<Node> nodes = new ArrayList<>();
        for (int i = 1; i <= count; i++) {
            ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
            sockets.add(socket);
            nodes.add(Node.of("n" + i, "127.0.0.1:" + socket.getLocalPort()));
        }
        for (ServerSocket socket : sockets) {
            socket.close();
        }
        return nodes;
    }

    private Path directoryOf(Node node) {
        return directory.resolve(node.id().value());
    }

    private List<Cluster> start(List<Node> founders) {
        List<CompletableFuture<Cluster>> starting = founders.stream()
                .map(node -> CompletableFuture.supplyAsync(
                        () -> ChangingNodes.start(
                                ChangingNodes.founder(node, founders, directoryOf(node)), directoryOf(node)),
                        task -> new Thread(task, "start " + node.id()).start()))
                .toList();
        return starting.stream().map(CompletableFuture::join).toList();
    }

    @Test
    void threeNodesFormAClusterAndStartAgain() throws IOException {
        List<Node> founders = nodes(3);
        for (int round = 0; round < 2; round++) {
            List<Cluster> cluster = start(founders);
            try {
                byte[] value = ("value" + round).getBytes(StandardCharsets.UTF_8);
                cluster.get(0).put(Key.of("key"), value).toCompletableFuture().join();
                for (Cluster node : cluster) {
                    assertThat(node.get(Key.of("key"))
                                    .toCompletableFuture()
                                    .join()
                                    .map(Value::text))
                            .contains("value" + round);
                }
            } finally {
                cluster.forEach(Cluster::close);
            }
        }
    }

    @Test
    void aStartThatFailsReleasesEverything() throws IOException {
        List<Node> founders = nodes(2);
        for (int round = 0; round < 2; round++) {
            Path own = directoryOf(founders.get(0));
            Membership alone =
                    ChangingNodes.founder(founders.get(0), founders, own).withStartTimeout(Duration.ofSeconds(1));
            assertThatThrownBy(() -> ChangingNodes.start(alone, own))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("node n1 has waited for 1 s")
                    .hasMessageContaining("n2 (");
        }
    }

    @Test
    void aNodeThatIsAddedJoins() throws IOException {
        List<Node> nodes = nodes(2);
        Node first = nodes.get(0);
        Node second = nodes.get(1);
        try (Cluster cluster = ChangingNodes.start(
                ChangingNodes.founder(first, List.of(first), directoryOf(first)), directoryOf(first))) {
            ClusterMembership membership = cluster.membership();
            membership.add(second.id()).toCompletableFuture().join();
            try (Cluster joined = ChangingNodes.start(
                    ChangingNodes.joiner(second, List.of(first), directoryOf(second)), directoryOf(second))) {
                joined.put(Key.of("key"), new byte[] {1}).toCompletableFuture().join();
                assertThat(membership.status().toCompletableFuture().join().members())
                        .extracting(MembershipStatus.Member::name)
                        .containsExactly(first.id(), second.id());
            }
        }
    }
}
