package io.dht4j.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.dht4j.server.client.DhtClient;
import io.dht4j.testkit.network.FreePorts;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A member of an agreed cluster whose disk is full. */
@Tag("full")
class FullMemberTest {

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private static final int BLOCKS = 16;

    @TempDir
    Path directory;

    private long rate = 1 << 20;

    private String[] options(int number, List<Integer> ports) {
        return new String[] {
            "--id",
            "n" + number,
            "--listen",
            "127.0.0.1:" + ports.get(number - 1),
            "--data",
            directory.resolve("n" + number).toString(),
            "--bootstrap",
            TestNodes.peers(ports)
        };
    }

    @Test
    void itSaysWhyItStaysBehindAndLogsThatOnce() throws Exception {
        List<Integer> ports = FreePorts.find(2);
        try (ServerProcess first = ServerProcess.start(directory, options(1, ports));
                ServerProcess second = ServerProcess.start(directory, options(2, ports))) {
            first.awaitReady();
            second.awaitReady();
            second.kill();
            // Files have room for its log, and not for the states to come.
            try (ServerProcess full = ServerProcess.startWithSmallFiles(BLOCKS, directory, options(2, ports))) {
                full.awaitReady();
                DhtClient client =
                        new DhtClient(List.of(URI.create("http://127.0.0.1:" + ports.get(0))), Duration.ofSeconds(20));
                await("it is behind and says why").atMost(PATIENCE).until(() -> {
                    change(client);
                    return isNamed(client);
                });
                for (int later = 0; later < 3; later++) {
                    change(client);
                    await("it still says why").atMost(PATIENCE).until(() -> isNamed(client));
                }
                assertThat(full.err())
                        .containsOnlyOnce("stays at an earlier state")
                        .doesNotContain("\tat ");
            }
        }
    }

    private void change(DhtClient client) throws Exception {
        rate += 1024;
        DhtClient.await(client.changeRebalance(Map.of("rate", Long.toString(rate))));
    }

    private static boolean isNamed(DhtClient client) throws Exception {
        JsonNode status = DhtClient.await(client.nodes());
        return status.path("nodes").path(1).path("epoch").asLong()
                        < status.path("epoch").asLong()
                && status.path("metadata")
                        .path("waits_for")
                        .asText()
                        .matches("n2 to install a newer state than that of epoch 1\\..*refuses writes.*");
    }
}
