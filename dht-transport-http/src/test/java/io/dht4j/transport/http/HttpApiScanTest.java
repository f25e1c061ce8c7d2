package io.dht4j.transport.http;

import static io.dht4j.transport.http.HttpApiEntityTest.assertProblem;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.Key;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class HttpApiScanTest {

    private static ApiNodes nodes;

    @BeforeAll
    static void startNodes() {
        nodes = ApiNodes.three();
        for (String key : new String[] {"a", "ab", "b", "ba", "c", "é", "鍵"}) {
            nodes.put(0, "/v0/entity?id=" + ApiNodes.encode(key), "value of " + key);
        }
        nodes.put(1, "/v0/entity?id=deleted", "gone");
        nodes.delete(2, "/v0/entity?id=deleted");
    }

    @AfterAll
    static void stopNodes() {
        nodes.close();
    }

    private static String scan(int node, String query, String... headers) {
        HttpResponse<byte[]> answer = nodes.get(node, "/v0/entities?" + query, headers);
        assertThat(answer.statusCode()).as(new String(answer.body(), UTF_8)).isEqualTo(200);
        assertThat(answer.headers().firstValue("Transfer-Encoding")).contains("chunked");
        return new String(answer.body(), UTF_8);
    }

    private static String entries(String... keys) {
        StringBuilder text = new StringBuilder();
        for (String key : keys) {
            text.append(key).append("\nvalue of ").append(key);
        }
        return text.toString();
    }

    @Test
    void aScanShowsEveryNodeTheSameEntriesInOrder() {
        for (int node = 0; node < 3; node++) {
            assertThat(scan(node, "start=%00")).isEqualTo(entries("a", "ab", "b", "ba", "c", "é", "鍵"));
        }
    }

    @Test
    void startIsIncludedAndEndIsNot() {
        assertThat(scan(0, "start=ab&end=c")).isEqualTo(entries("ab", "b", "ba"));
        assertThat(scan(0, "start=aa&end=ba%00")).isEqualTo(entries("ab", "b", "ba"));
        assertThat(scan(0, "start=%C3&end=%FF")).isEqualTo(entries("é", "鍵"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"start=b&end=b", "start=b&end=a", "start=%FF", "start=deleted&end=deletee"})
    void aScanMayFindNothing(String query) {
        assertThat(scan(0, query)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 2", "7, 7", "8, 7", "999999999999999999, 7"})
    void aLimitEndsTheScan(long limit, int expected) {
        String[] keys = Arrays.copyOf(new String[] {"a", "ab", "b", "ba", "c", "é", "鍵"}, expected);
        assertThat(scan(1, "start=a&limit=" + limit)).isEqualTo(entries(keys));
        assertThat(scan(1, "start=a&limit=" + limit, "Accept", "application/x-ndjson")
                        .lines()
                        .count())
                .isEqualTo(expected);
    }

    @Test
    void everyEntryIsAChunkOfItsOwn() throws IOException {
        try (RawHttp raw = new RawHttp(nodes.port(0))) {
            raw.send("GET /v0/entities?start=a&limit=2 HTTP/1.1\r\nHost: x\r\n\r\n");
            while (!raw.line().isEmpty()) {
                // The head has been tested elsewhere.
            }
            assertThat(raw.chunk()).isEqualTo("a\nvalue of a".getBytes(UTF_8));
            assertThat(raw.chunk()).isEqualTo("ab\nvalue of ab".getBytes(UTF_8));
            assertThat(raw.chunk()).isEmpty();
        }
    }

    @Test
    void aNodesOwnEntriesAreThoseOfWhichItIsAReplica() {
        TreeSet<String> first = new TreeSet<>();
        for (int i = 0; i < 50; i++) {
            String key = "own" + i;
            nodes.put(i % 3, "/v0/entity?ack=1&from=1&id=" + key, "value of " + key);
            if (nodes.indexOf(nodes.cluster(0)
                            .locate(Key.of(key))
                            .toCompletableFuture()
                            .join()
                            .replicas()
                            .get(0)
                            .id())
                    == 1) {
                first.add(key);
            }
        }
        assertThat(scan(1, "start=own&end=owo&scope=node")).isEqualTo(entries(first.toArray(new String[0])));
        assertThat(scan(1, "start=own&end=owo&scope=cluster", "Accept", "application/x-ndjson")
                        .lines()
                        .count())
                .isEqualTo(50);
        for (int i = 0; i < 50; i++) {
            nodes.delete(0, "/v0/entity?id=own" + i);
        }
    }

    @Test
    void aLineOfJsonHoldsKeyValueVersionAndExpiry() throws Exception {
        byte[] binary = {0, 10, 13, -1, 34};
        String version = nodes.put(0, "/v0/entity?id=json%22%0Akey&ttl=3600000", binary)
                .headers()
                .firstValue("Dht-Version")
                .orElseThrow();
        Key notText = Key.of(new byte[] {'j', 's', 'o', 'o', (byte) 0xFF});
        nodes.cluster(0).put(notText, new byte[0]).toCompletableFuture().get();
        HttpResponse<byte[]> answer = nodes.get(
                2, "/v0/entities?start=json&end=jsop", "Accept", "text/plain;q=0.1, Application/X-NDJSON;q=1");
        assertThat(answer.headers().firstValue("Content-Type")).contains("application/x-ndjson");
        String[] lines = new String(answer.body(), UTF_8).split("\n", -1);
        assertThat(lines).hasSize(3);
        assertThat(lines[2]).isEmpty();
        JsonObject first = new JsonObject(lines[0]);
        assertThat(first.getString("key")).isEqualTo("json\"\nkey");
        assertThat(Base64.getDecoder().decode(first.getString("key_base64"))).isEqualTo("json\"\nkey".getBytes(UTF_8));
        assertThat(Base64.getDecoder().decode(first.getString("value_base64"))).isEqualTo(binary);
        assertThat(first.getString("version")).isEqualTo(version);
        assertThat(first.getLong("expires_at")).isGreaterThan(System.currentTimeMillis());
        JsonObject second = new JsonObject(lines[1]);
        assertThat(second.containsKey("key")).isFalse();
        assertThat(second.containsKey("expires_at")).isFalse();
        assertThat(Base64.getDecoder().decode(second.getString("key_base64"))).isEqualTo(notText.toByteArray());
        assertThat(second.getString("value_base64")).isEmpty();
        nodes.delete(0, "/v0/entity?id=json%22%0Akey");
        nodes.cluster(0).delete(notText).toCompletableFuture().get();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "end=b",
                "start=",
                "start",
                "start=a&end=",
                "start=a&limit=0",
                "start=a&limit=-1",
                "start=a&limit=",
                "start=a&limit=x",
                "start=a&limit=9223372036854775808",
                "start=a&scope=all",
                "start=a&scope=",
                "start=a&scope=Node",
                "start=a&start=b",
                "start=a&end=b&end=b",
                "start=%zz",
                "start=a&end=%"
            })
    void aMalformedScanIsRefused(String query) throws IOException {
        try (RawHttp raw = new RawHttp(nodes.port(0))) {
            raw.send("GET /v0/entities?" + query + " HTTP/1.1\r\nHost: x\r\n\r\n");
            RawHttp.Answer answer = raw.read();
            assertProblem(
                    answer.status(), answer.headers().get("Content-Type"), answer.body(), 400, 1006, "SCAN_INVALID");
        }
    }

    @Test
    void aBoundHasAtMost4096Bytes() {
        assertThat(scan(0, "start=" + "%7f".repeat(4096) + "&end=" + "%7f".repeat(4096)))
                .isEmpty();
        assertProblem(nodes.get(0, "/v0/entities?start=" + "a".repeat(4097)), 400, 1006, "SCAN_INVALID");
        assertProblem(nodes.get(0, "/v0/entities?start=a&end=" + "a".repeat(4097)), 400, 1006, "SCAN_INVALID");
    }

    @Test
    void aHttp10ClientGetsAScanThatEndsWithTheConnection() throws IOException {
        try (RawHttp raw = new RawHttp(nodes.port(0))) {
            raw.send("GET /v0/entities?start=a&limit=1 HTTP/1.0\r\n\r\n");
            while (!raw.line().isEmpty()) {
                // Only the body counts here.
            }
            assertThat(new String(raw.exactly(12), UTF_8)).isEqualTo(entries("a"));
            assertThat(raw.isClosedByServer()).isTrue();
        }
    }

    /** Enough to fill every buffer between a node and a client that does not read. */
    private static List<String> fill(ApiNodes nodes) {
        byte[] value = new byte[200_000];
        TreeMap<String, Boolean> keys = new TreeMap<>();
        for (int i = 0; i < 200; i++) {
            assertThat(nodes.put(i % 3, "/v0/entity?id=fill" + i, value).statusCode())
                    .isEqualTo(201);
            keys.put("fill" + i, true);
        }
        return new ArrayList<>(keys.keySet());
    }

    @Test
    void aScanGoesOnWhenASlowClientReads() throws IOException {
        try (ApiNodes own = ApiNodes.three()) {
            List<String> keys = fill(own);
            try (RawHttp raw = new RawHttp(own.port(0), 4096)) {
                raw.send("GET /v0/entities?start=fill HTTP/1.1\r\nHost: x\r\n\r\n");
                raw.send("GET /v0/status HTTP/1.1\r\nHost: x\r\n\r\n");
                while (!raw.line().isEmpty()) {
                    // Only the chunks count here.
                }
                for (String key : keys) {
                    byte[] chunk = raw.chunk();
                    assertThat(chunk).hasSize(key.length() + 1 + 200_000);
                    assertThat(new String(chunk, 0, key.length() + 1, UTF_8)).isEqualTo(key + "\n");
                }
                assertThat(raw.chunk()).isEmpty();
                assertThat(raw.read().status()).isEqualTo(200);
            }
        }
    }

    @Test
    void aScanThatFailsInTheMiddleIsSeenToBeTruncated() throws IOException {
        try (ApiNodes own = ApiNodes.three()) {
            fill(own);
            try (RawHttp raw = new RawHttp(own.port(0), 4096)) {
                raw.send("GET /v0/entities?start=fill HTTP/1.1\r\nHost: x\r\n\r\n");
                assertThat(raw.line()).isEqualTo("HTTP/1.1 200 OK");
                own.stop(1);
                own.stop(2);
                while (!raw.line().isEmpty()) {
                    // Only the chunks count here.
                }
                assertThatThrownBy(() -> {
                            while (raw.chunk().length > 0) {
                                // Read on until the end, which must not be a proper one.
                            }
                        })
                        .isInstanceOf(IOException.class);
            }
        }
    }

    @Test
    void aScanThatCannotBeginIsAnswered504() {
        try (ApiNodes own = ApiNodes.three()) {
            own.stop(1);
            assertThat(own.get(0, "/v0/entities?start=a").statusCode()).isEqualTo(200);
            own.stop(2);
            assertProblem(own.get(0, "/v0/entities?start=a"), 504, 2000, "NOT_ENOUGH_REPLICAS");
            assertThat(own.get(0, "/v0/entities?start=a&scope=node").statusCode())
                    .isEqualTo(200);
        }
    }

    @Test
    void aClientThatStopsReadingIsCutOffAndOneThatGoesLeavesNothingBehind() throws IOException {
        HttpApiOptions options = HttpApiOptions.defaults().withMaxInFlight(1).withWriteTimeout(Duration.ofMillis(300));
        try (ApiNodes own = ApiNodes.three(options)) {
            fill(own);
            String request = "GET /v0/entities?start=fill HTTP/1.1\r\nHost: x\r\n\r\n";
            try (RawHttp stalled = new RawHttp(own.port(0), 4096)) {
                stalled.send(request);
                assertThat(stalled.line()).isEqualTo("HTTP/1.1 200 OK");
                Awaitility.await()
                        .atMost(Duration.ofSeconds(10))
                        .until(() -> own.get(0, "/v0/entity?id=fill0").statusCode() == 200);
            }
            for (int i = 0; i < 3; i++) {
                try (RawHttp leaving = new RawHttp(own.port(0), 4096)) {
                    leaving.send(request);
                    assertThat(leaving.line()).isEqualTo("HTTP/1.1 200 OK");
                }
                Awaitility.await()
                        .atMost(Duration.ofSeconds(10))
                        .until(() -> own.get(0, "/v0/entity?id=fill0").statusCode() == 200);
            }
        }
    }
}
