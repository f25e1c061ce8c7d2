package io.dht4j.server.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dht4j.server.cli.CommandLineRun;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The first steps of whoever lets a cluster grow: one node forms it, and a second one joins and leaves. */
@Tag("full")
class OneNodeGrowsTest {

    @TempDir
    private Path directory;

    @Test
    void secondNodeJoinsGetsItsShareAndLeaves() throws Exception {
        try (AgreedProcesses nodes = new AgreedProcesses(directory, 1, 2)) {
            nodes.form();
            assertThat(nodes.dht("n1", "nodes").out()).containsPattern("n1 +SERVING.* 64 of 64 partitions");
            run(nodes, "put", "greeting", "hello");

            run(nodes, "nodes", "add", "n2");
            nodes.join("n2");
            run(nodes, "rebalance", "--resume");

            await("n2 has its share")
                    .atMost(Duration.ofSeconds(60))
                    .pollInterval(Duration.ofMillis(500))
                    .untilAsserted(() -> assertThat(nodes.dht("n2", "nodes").out())
                            .containsPattern("n1 +SERVING.* (29|3[0-5]) of 64 partitions")
                            .containsPattern("n2 +SERVING.* (29|3[0-5]) of 64 partitions")
                            .contains("moves  none"));
            assertThat(nodes.dht("n2", "get", "greeting").out()).isEqualTo("hello");

            run(nodes, "nodes", "remove", "n2");
            run(nodes, "rebalance", "--resume");
            assertThat(nodes.exitCode("n2")).isZero();
            assertThat(nodes.err("n2"))
                    .containsOnlyOnce("this node was removed from the cluster and ends: n2 (number 2");
            assertThat(nodes.dht("n1", "get", "greeting").out()).isEqualTo("hello");
            assertThat(nodes.terminate("n1")).isZero();
            assertThat(nodes.err()).doesNotContain("WARN", "ERROR", "\tat ");
        }
    }

    @Test
    void oneNodeBecomesThreeOfWhichOneMayBeLost() throws Exception {
        try (AgreedProcesses nodes = new AgreedProcesses(directory, 1, 3)) {
            nodes.form();
            for (int key = 0; key < 20; key++) {
                run(nodes, "put", "key" + key, "value" + key);
            }
            CommandLineRun early = nodes.dht("n1", "rebalance", "--replication-factor", "3");
            assertThat(early.exitCode()).isNotZero();
            assertThat(early.err()).contains("3 replicas need 3 nodes, and the cluster has 1", "add nodes first");
            for (String joiner : AgreedProcesses.names(2, 3)) {
                run(nodes, "nodes", "add", joiner);
                nodes.join(joiner);
            }

            CommandLineRun raised = nodes.dht("n2", "rebalance", "--replication-factor", "3");
            assertThat(raised.err()).isEmpty();
            await("each node has a replica of everything")
                    .atMost(Duration.ofSeconds(60))
                    .pollInterval(Duration.ofMillis(500))
                    .untilAsserted(() -> assertThat(nodes.dht("n3", "nodes").out())
                            .containsPattern("n1 +SERVING.* 64 of 64 partitions")
                            .containsPattern("n2 +SERVING.* 64 of 64 partitions")
                            .containsPattern("n3 +SERVING.* 64 of 64 partitions")
                            .contains("moves  none"));
            nodes.kill("n1");
            for (int key = 0; key < 20; key++) {
                assertThat(nodes.dht("n" + (2 + key % 2), "get", "key" + key).out())
                        .isEqualTo("value" + key);
            }
            assertThat(nodes.dht("n2", "put", "later", "too").exitCode()).isZero();
            assertThat(nodes.dht("n3", "get", "later").out()).isEqualTo("too");
        }
    }

    private static void run(AgreedProcesses nodes, String... args) {
        CommandLineRun run = nodes.dht("n1", args);
        assertThat(run.exitCode()).as(run.err()).isZero();
    }
}
