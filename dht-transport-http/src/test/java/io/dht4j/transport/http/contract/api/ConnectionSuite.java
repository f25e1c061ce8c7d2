package io.dht4j.transport.http.contract.api;

import static io.dht4j.transport.http.contract.api.HttpApiSuite.base64Url;
import static io.dht4j.transport.http.contract.api.HttpApiSuite.encode;
import static io.dht4j.transport.http.contract.api.HttpApiSuite.json;
import static io.dht4j.transport.http.fixture.HttpProblem.assertProblem;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.ErrorCode;
import io.dht4j.transport.http.fixture.Json;
import io.dht4j.transport.http.fixture.RawHttp;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections: framing, pipelining, rejected bodies and bytes that are not HTTP; also status and placement. */
interface ConnectionSuite extends HttpApiSuite {

    private static String putHead(String id, int length, String... headers) {
        return "PUT /v0/entity?id=" + id + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + length + "\r\n"
                + String.join("", headers) + "\r\n";
    }

    private static String getHead(String id) {
        return "GET /v0/entity?id=" + id + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
    }

    @Test
    default void everyNodeReportsTheSamePlacement() {
        for (String key : new String[] {"a", "b", "鍵", "+"}) {
            Map<String, Object> first = json(get(0, "/v0/placement?id=" + encode(key)));
            assertThat(first.keySet()).containsExactlyInAnyOrder("partition", "replicas");
            assertThat((Long) first.get("partition")).isNotNegative();
            assertThat((List<?>) first.get("replicas")).hasSize(3);
            for (int node = 1; node < 3; node++) {
                assertThat(json(get(node, "/v0/placement?id=" + encode(key)))).isEqualTo(first);
            }
            assertThat(json(get(0, "/v0/placement?id_base64=" + base64Url(key.getBytes(UTF_8)))))
                    .isEqualTo(first);
        }
    }

    @Test
    default void everyNodeListsTheSameReplicasOfThePartitions() {
        Map<String, Object> status = json(get(0, "/v0/status"));
        Map<String, Object> all = json(get(0, "/v0/partitions"));
        assertThat(all.keySet()).containsExactlyInAnyOrder("first", "nodes", "replicas");
        assertThat((Long) all.get("first")).isZero();
        List<?> nodes = Json.list(all, "nodes");
        List<?> replicas = Json.list(all, "replicas");
        assertThat(nodes).hasSize(3);
        assertThat(replicas).hasSize(whole(status, "partitions"));
        assertThat(json(get(1, "/v0/partitions"))).isEqualTo(all);
        Map<String, Object> placement = json(get(2, "/v0/placement?id=a"));
        int partition = whole(placement, "partition");
        List<?> expected = Json.list(placement, "replicas").subList(0, whole(status, "replication_factor"));
        assertThat(named(nodes, replicas.get(partition))).isEqualTo(expected);

        Map<String, Object> one = json(get(0, "/v0/partitions?count=1&first=" + partition));
        assertThat((Long) one.get("first")).isEqualTo(partition);
        assertThat(Json.list(one, "replicas")).hasSize(1);
        assertThat(named(Json.list(one, "nodes"), Json.list(one, "replicas").get(0)))
                .isEqualTo(expected);
        assertThat(Json.list(json(get(0, "/v0/partitions?first=2000000000")), "replicas"))
                .isEmpty();
    }

    private static int whole(Map<String, Object> object, String field) {
        return Integer.parseInt(String.valueOf(object.get(field)));
    }

    private static List<?> named(List<?> nodes, Object numbers) {
        return ((List<?>) numbers)
                .stream().map(number -> nodes.get(((Long) number).intValue())).toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"first=-1", "first=x", "count=0", "count=4097", "limit=1"})
    default void partitionsAreListedByNumberAndAtMostSoMany(String query) {
        assertProblem(get(0, "/v0/partitions?" + query), 400, ErrorCode.BAD_REQUEST);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "?id=", "?id=%FF", "?id=a&id=b", "?id=a&id_base64=YQ", "?id_base64="})
    default void placementNeedsAKey(String query) {
        assertProblem(get(0, "/v0/placement" + query), 400, ErrorCode.KEY_INVALID);
    }

    @Test
    default void theStatusDescribesItsNode() {
        put(1, "/v0/entity?id=status&ack=3&from=3", "value");
        Map<String, Object> status = json(get(1, "/v0/status"));
        assertThat(status.keySet())
                .containsExactlyInAnyOrder(
                        "id",
                        "epoch",
                        "nodes",
                        "replication_factor",
                        "partitions",
                        "placement",
                        "hash",
                        "transport",
                        "store",
                        "version",
                        "entries",
                        "entries_age_ms",
                        "hint_bytes",
                        "hint_bytes_dropped",
                        "overload",
                        "store_problems",
                        "refill",
                        "suspected",
                        "disagreeing",
                        "uptime_ms");
        assertThat(status).containsEntry("id", "n2").containsEntry("replication_factor", 3L);
        // On a busy machine the count may take longer than an answer waits for it.
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .untilAsserted(
                        () -> assertThat((Long) json(get(1, "/v0/status")).get("entries"))
                                .isPositive());
        assertThat((List<?>) status.get("nodes")).hasSize(3);
    }

    @Test
    default void aClientThatExpectsAContinueGetsOne() throws IOException {
        try (RawHttp raw = raw(0)) {
            raw.send(putHead("asked", 5, "Expect: 100-continue\r\n"));
            assertThat(raw.read().status()).isEqualTo(100);
            raw.send("value" + getHead("asked"));
            assertThat(raw.read().status()).isEqualTo(201);
            assertThat(raw.read().text()).isEqualTo("value");
        }
    }

    @Test
    default void largeValueIsRefusedWithAnAnswerAfterTheWholeBody() throws IOException {
        try (RawHttp raw = raw(0)) {
            int length = 20 << 20;
            raw.send(putHead("large", length));
            raw.send(new byte[length]);
            assertThat(assertProblem(raw.read(), 413, ErrorCode.VALUE_TOO_LARGE))
                    .contains("16777216");
            assertThat(raw.isClosedByServer()).isTrue();
        }
    }

    @Test
    default void connectionSurvivesARefusedSmallRequest() throws IOException {
        try (RawHttp raw = raw(0)) {
            raw.send("PUT /v0/entity?id= HTTP/1.1\r\nHost: localhost\r\nContent-Length: 37\r\n\r\n");
            assertProblem(raw.read(), 400, ErrorCode.KEY_INVALID);
            // The body looks like a request but must not be executed as one.
            raw.send("DELETE /v0/entity?id=x HTTP/1.1\r\n\r\n12" + getHead("smuggled"));
            assertThat(raw.read().status()).isEqualTo(404);
            raw.send(
                    "POST /nowhere HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\nbody" + getHead("smuggled"));
            assertProblem(raw.read(), 400, ErrorCode.UNKNOWN_RESOURCE);
            assertThat(raw.read().status()).isEqualTo(404);
        }
    }

    @Test
    default void pipelinedRequestsAreAnsweredInOrder() throws IOException {
        try (RawHttp raw = raw(0)) {
            StringBuilder requests = new StringBuilder();
            for (int i = 0; i < 50; i++) {
                requests.append(putHead("p" + i, 3)).append(100 + i).append(getHead("p" + i));
            }
            requests.append(getHead("p")).append("GET /nowhere HTTP/1.1\r\nHost: localhost\r\n\r\n");
            raw.send(requests.toString());
            for (int i = 0; i < 50; i++) {
                assertThat(raw.read().status()).isEqualTo(201);
                assertThat(raw.read().text()).isEqualTo(Integer.toString(100 + i));
            }
            assertThat(raw.read().status()).isEqualTo(404);
            assertThat(raw.read().status()).isEqualTo(400);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "nonsense\r\n\r\n",
                "GET /v0/status\r\n\r\n",
                "GET /v0/status HTTP/1.1\r\nno colon\r\n\r\n",
                "PUT /v0/entity?id=k HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
                "PUT /v0/entity?id=k HTTP/1.1\r\nHost: localhost\r\nContent-Length: many\r\n\r\n",
                "PUT /v0/entity?id=k HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
                "\0\0\0\0\r\n\r\n"
            })
    default void whatIsNotHttpIsABadRequest(String bytes) throws IOException {
        try (RawHttp raw = raw(0)) {
            raw.send(bytes);
            assertProblem(raw.read(), 400, ErrorCode.BAD_REQUEST);
            assertThat(raw.isClosedByServer()).isTrue();
        }
        assertThat(get(0, "/v0/status").statusCode()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET /v0/status HTTP/1.2\r\nHost: localhost\r\n\r\n",
                "GET /v0/status HTTP/3.0\r\nHost: localhost\r\n\r\n",
                "OPTIONS * RTSP/1.0\r\n\r\n",
                "PRI * HTTP/2.0\r\n\r\nnot the rest of the preface"
            })
    default void anotherVersionOfHttpIsRefused(String bytes) throws IOException {
        try (RawHttp raw = raw(0)) {
            raw.send(bytes);
            assertThat(assertProblem(raw.read(), 505, ErrorCode.BAD_REQUEST)).contains("HTTP/1.1");
            assertThat(raw.isClosedByServer()).isTrue();
        }
        assertThat(get(0, "/v0/status").statusCode()).isEqualTo(200);
    }

    @Test
    default void randomTargetsGetAnAnswerEach() throws IOException {
        SplittableRandom random = new SplittableRandom(42);
        String alphabet = "abciduorkst0123456789%&=+?/.;-_~\u0001\u00e9 ";
        String[] starts = {
            "/v0/entity?id=", "/v0/entity?id_base64=", "/v0/entities?start=zzz&", "/v0/placement?", "/v0/", "", "*", "%"
        };
        for (int i = 0; i < 200; i++) {
            StringBuilder target = new StringBuilder(starts[random.nextInt(starts.length)]);
            for (int length = random.nextInt(40); length > 0; length--) {
                target.append(alphabet.charAt(random.nextInt(alphabet.length())));
            }
            String method = random.nextBoolean() ? "GET " : "PUT ";
            try (RawHttp raw = raw(i % 3)) {
                raw.send(method + target + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
                assertThat(raw.read().status())
                        .as("target %s of case %d", target, i)
                        .isIn(200, 201, 400, 404, 405, 505);
                assertThat(raw.isClosedByServer()).isTrue();
            }
        }
    }

    @Test
    default void aHttp10ClientIsServed() throws IOException {
        put(0, "/v0/entity?id=old", "value");
        try (RawHttp raw = raw(0)) {
            raw.send("GET /v0/entity?id=old HTTP/1.0\r\n\r\n");
            assertThat(raw.read().text()).isEqualTo("value");
            assertThat(raw.isClosedByServer()).isTrue();
        }
    }
}
