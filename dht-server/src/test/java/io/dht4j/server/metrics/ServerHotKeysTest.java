package io.dht4j.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.dht4j.CallOptions;
import io.dht4j.Key;
import io.dht4j.server.ServerNode;
import io.dht4j.server.TestNodes;
import io.dht4j.server.config.Setting;
import io.dht4j.testkit.network.FreePorts;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerHotKeysTest {

    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    private Path directory;

    private static CompletableFuture<HttpResponse<String>> ask(ServerNode node, String path, String token) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(node.url() + path)).timeout(PATIENCE);
        if (!token.isEmpty()) {
            request.header("Authorization", "Bearer " + token);
        }
        return HTTP.sendAsync(request.build(), BodyHandlers.ofString());
    }

    private static void put(ServerNode node, Key key) throws Exception {
        node.cluster()
                .put(key, new byte[10], CallOptions.defaults())
                .toCompletableFuture()
                .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    @Test
    void keysOfTextAndOfBytesAreCountedWhileSomebodyAsks() throws Exception {
        try (ServerNode node = TestNodes.start(1, FreePorts.find(1), Map.of())) {
            put(node, Key.of("before"));
            CompletableFuture<HttpResponse<String>> asked = ask(node, "/v0/hot-keys?duration=2000&count=1", "");
            await().atMost(PATIENCE).until(() -> {
                put(node, Key.of(new byte[] {-1, 0}));
                put(node, Key.of("hot"));
                put(node, Key.of("hot"));
                return asked.isDone();
            });
            JsonNode hot = new ObjectMapper().readTree(asked.join().body());
            assertThat(hot.path("node").asText()).isEqualTo("n1");
            assertThat(hot.path("counted_ms").asLong()).isGreaterThanOrEqualTo(2000);
            JsonNode first = hot.path("writes").path("keys").path(0);
            assertThat(first.path("key").asText()).isEqualTo("hot");
            assertThat(first.path("key_base64").asText()).isEqualTo("aG90");
            assertThat(first.path("at_least").asLong())
                    .isPositive()
                    .isLessThanOrEqualTo(hot.path("writes").path("total").asLong());
            assertThat(hot.path("writes").path("keys")).hasSize(1);
            assertThat(hot.path("reads").path("total").asLong()).isZero();
            assertThat(asked.join().body()).doesNotContain("before");
        }
    }

    @Test
    void onlyTokensThatMayReadKeysMayAsk() throws Exception {
        Path tokens =
                Files.writeString(directory.resolve("tokens"), "read a-token-of-a-reader\nwrite a-token-of-a-writer\n");
        try (ServerNode node = TestNodes.start(1, FreePorts.find(1), Map.of(Setting.TOKENS, tokens.toString()))) {
            for (String path : List.of("/v0/hot-keys?duration=100", "/v0/replicas?id=k")) {
                assertThat(ask(node, path, "a-token-of-a-reader").join().statusCode())
                        .isEqualTo(200);
                assertThat(ask(node, path, "a-token-of-a-writer").join().statusCode())
                        .isEqualTo(403);
                assertThat(ask(node, path, "").join().statusCode()).isEqualTo(401);
            }
            assertThat(ask(node, "/v0/hot-keys?duration=1", "a-token-of-a-reader")
                            .join()
                            .statusCode())
                    .isEqualTo(400);
        }
    }

    @Test
    void theReplicasOfAKeyAreShown() throws Exception {
        try (ServerNode node = TestNodes.start(1, FreePorts.find(1), Map.of())) {
            put(node, Key.of("k"));
            JsonNode replica = new ObjectMapper()
                    .readTree(ask(node, "/v0/replicas?id=k", "").join().body())
                    .path("replicas")
                    .path(0);
            assertThat(replica.path("node").asText()).isEqualTo("n1");
            assertThat(replica.path("state").asText()).isEqualTo("VALUE");
            assertThat(replica.path("version").asText()).matches("\\d+");
            assertThat(replica.path("written_ms").asLong()).isPositive();
            assertThat(replica.path("value_bytes").asInt()).isEqualTo(10);
        }
    }
}
