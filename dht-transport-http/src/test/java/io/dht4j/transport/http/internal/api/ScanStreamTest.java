package io.dht4j.transport.http.internal.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.transport.http.HttpApiOptions;
import io.dht4j.transport.http.fixture.ApiNodes;
import io.dht4j.transport.http.fixture.RawHttp;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Scans for clients that are slow, stop reading or go. */
@Timeout(60)
class ScanStreamTest {

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
    void scanContinuesAsASlowClientReads() throws IOException {
        try (ApiNodes own = ApiNodes.three()) {
            List<String> keys = fill(own);
            try (RawHttp raw = new RawHttp(own.port(0), 4096)) {
                raw.send("GET /v0/entities?start=fill HTTP/1.1\r\nHost: localhost\r\n\r\n");
                raw.send("GET /v0/status HTTP/1.1\r\nHost: localhost\r\n\r\n");
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
    void stalledAndLeavingScanClientsFreeTheirPlaces() throws IOException {
        HttpApiOptions options = HttpApiOptions.defaults().withMaxInFlight(1).withWriteTimeout(Duration.ofMillis(300));
        // Answers to others must not depend on how soon they read or on how soon the nodes answer one another: small
        // ones fit
        // into the socket's buffer.
        try (ApiNodes own = ApiNodes.of(3, builder -> builder.timeout(Duration.ofSeconds(30)), options)) {
            fill(own);
            assertThat(own.put(0, "/v0/entity?id=small", "v").statusCode()).isEqualTo(201);
            String request = "GET /v0/entities?start=fill HTTP/1.1\r\nHost: localhost\r\n\r\n";
            try (RawHttp stalled = new RawHttp(own.port(0), 4096)) {
                stalled.send(request);
                assertThat(stalled.line()).isEqualTo("HTTP/1.1 200 OK");
                awaitPlaceAt(own);
            }
            for (int i = 0; i < 3; i++) {
                try (RawHttp leaving = new RawHttp(own.port(0), 4096)) {
                    leaving.send(request);
                    assertThat(leaving.line()).isEqualTo("HTTP/1.1 200 OK");
                }
                awaitPlaceAt(own);
            }
        }
    }

    /** Waits until the one request that may be in flight at the first node is none of those before. */
    private static void awaitPlaceAt(ApiNodes nodes) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .until(() -> nodes.get(0, "/v0/entity?id=small").statusCode() == 200);
    }
}
