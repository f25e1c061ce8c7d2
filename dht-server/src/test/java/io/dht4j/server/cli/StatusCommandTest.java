package io.dht4j.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.server.ServerNode;
import io.dht4j.server.TestNodes;
import io.dht4j.testkit.network.FreePorts;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What the status of a node shows. */
class StatusCommandTest extends NodeCommands {

    @Test
    void statusShowsTheAnswerOfTheNode() {
        run("put", "k", "v");

        assertThat(run("status").out())
                .containsPattern("id +n1")
                .containsPattern("store +memory")
                .containsPattern("entries +1, with what is deleted or expired and not yet purged")
                .containsPattern("uptime +\\d+ s")
                .containsPattern("nodes +n1  127\\.0\\.0\\.1:\\d+  weight 1  this node")
                .containsPattern("overload +none")
                .containsPattern("store_problems +none")
                .containsPattern("refill +none")
                .doesNotContain("{");
        assertThat(run("status", "--json").out()).contains("\"id\":\"n1\"");
    }

    @Test
    void statusShowsNodesThatDoNotAnswer() throws Exception {
        List<Integer> ports = FreePorts.find(3);
        try (ServerNode first = TestNodes.start(1, ports, Map.of());
                ServerNode second = TestNodes.start(2, ports, Map.of())) {
            CommandLineRun.of("put", "k", "v", "--node", first.url());

            CommandLineRun status = CommandLineRun.of("status", "--node", first.url());

            assertThat(status.out().lines())
                    .anyMatch(line -> line.endsWith("n1  127.0.0.1:" + ports.get(0) + "  weight 1  this node"))
                    .anyMatch(line -> line.endsWith("n2  127.0.0.1:" + ports.get(1) + "  weight 1  up"))
                    .anyMatch(line -> line.endsWith("n3  127.0.0.1:" + ports.get(2)
                            + "  weight 1  does not answer: check that it runs, and that this node can reach it"));
            assertThat(second.url()).isNotEmpty();
        }
    }

    @Test
    void statusExplainsProblemsInWords() throws Exception {
        try (ScriptedNode scripted = new ScriptedNode("{\"id\":\"n1\",\"epoch\":281474976710658,\"nodes\":[],"
                + "\"overload\":{\"calls_refused\":3,\"work_dropped\":0,\"retries\":12},"
                + "\"store_problems\":["
                + "{\"kind\":\"DAMAGED_DATA\",\"since_ms\":1767225600000,\"message\":\"page 7\"},"
                + "{\"kind\":\"WRITES_REFUSED\",\"since_ms\":1767225600000,\"message\":\"the disk is full\"}],"
                + "\"clock_problem\":{\"ahead_ms\":-120000,\"of\":[\"n2\",\"n3\"]},\"hint_bytes_dropped\":512,"
                + "\"refill\":{\"partitions\":512,\"entries\":90,\"waits_for\":[\"n2\",\"n3\"]},"
                + "\"of_later\":{\"a\":1},\"entries\":-1,\"uptime_ms\":273845000}")) {
            assertThat(CommandLineRun.of("status", "--node", scripted.url())
                            .out()
                            .lines())
                    .containsExactly(
                            "id                  n1",
                            "epoch               1.2",
                            "overload            calls refused: 3, retries: 12",
                            "store_problems      DAMAGED_DATA since 2026-01-01T00:00:00Z: page 7. Reads that "
                                    + "meet it fail here, "
                                    + "and other replicas answer them.",
                            "                    WRITES_REFUSED since 2026-01-01T00:00:00Z: the disk is full.",
                            "clock_problem       this node's clock is 2 min 0 s behind n2, n3: set it right. "
                                    + "Until then the "
                                    + "node takes no writes; it goes on by itself.",
                            "hint_bytes_dropped  512: repair brings it to the nodes that missed it; ./dht repair "
                                    + "does so at once",
                            "refill              512 partitions to go, not read before that; 90 entries received, "
                                    + "counted once per replica that sent it; waits for n2, n3: start them, or, "
                                    + "if what they "
                                    + "held is lost for good, restart this node with --refill-without",
                            "of_later            {\"a\":1}",
                            "entries             not known: the store cannot tell",
                            "uptime              3 d 4 h");
        }
    }
}
