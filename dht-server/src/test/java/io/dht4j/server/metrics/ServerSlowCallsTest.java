package io.dht4j.server.metrics;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dht4j.Key;
import io.dht4j.server.ServerNode;
import io.dht4j.server.TestNodes;
import io.dht4j.server.config.Setting;
import io.dht4j.testkit.network.FreePorts;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerSlowCallsTest {

    private static final HttpClient HTTP = HttpClient.newHttpClient();

    @TempDir
    private Path directory;

    private static JsonNode slowCalls(ServerNode node) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(node.url() + "/v0/slow-calls"))
                .build();
        return new ObjectMapper()
                .readTree(HTTP.send(request, BodyHandlers.ofString()).body())
                .get("slow_calls");
    }

    @Test
    void callsThatTakeAsLongAsSetAreShown() throws Exception {
        Map<Setting, String> settings = Map.of(
                Setting.SLOW_CALLS, "1",
                Setting.STORE, "mvstore",
                Setting.DATA, directory.toString(),
                Setting.DURABILITY, "fsync");
        try (ServerNode node = TestNodes.start(1, FreePorts.find(1), settings)) {
            // A write that waits for the disk mostly takes longer than a millisecond.
            await().atMost(Duration.ofSeconds(30)).until(() -> {
                node.cluster()
                        .put(Key.of("key"), "value".getBytes(UTF_8))
                        .toCompletableFuture()
                        .get(20, TimeUnit.SECONDS);
                for (JsonNode call : slowCalls(node)) {
                    if (call.get("kind").asText().equals("PUT")) {
                        return true;
                    }
                }
                return false;
            });
            JsonNode slow = slowCalls(node).get(0);
            assertThat(slow.get("took_ms").asLong()).isPositive();
            assertThat(slow.get("key_hash").asText()).matches("[0-9a-f]{16}");
            assertThat(slow.get("replicas").get(0).asText()).isEqualTo("n1");
            assertThat(slow.get("requests").get(0).get("node").asText()).isEqualTo("n1");
        }
    }

    @Test
    void zeroKeepsNone() throws Exception {
        try (ServerNode node = TestNodes.start(1, FreePorts.find(1), Map.of(Setting.SLOW_CALLS, "0"))) {
            assertThat(slowCalls(node)).isEmpty();
        }
    }
}
