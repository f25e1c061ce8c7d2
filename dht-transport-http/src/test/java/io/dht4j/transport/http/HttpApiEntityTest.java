package io.dht4j.transport.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Key;
import io.dht4j.Version;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Random;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class HttpApiEntityTest {

    private static ApiNodes nodes;

    @BeforeAll
    static void startNodes() {
        nodes = ApiNodes.three();
    }

    @AfterAll
    static void stopNodes() {
        nodes.close();
    }

    static void assertProblem(HttpResponse<byte[]> answer, int status, int code, String name) {
        assertProblem(
                answer.statusCode(),
                answer.headers().firstValue("Content-Type").orElse(""),
                answer.body(),
                status,
                code,
                name);
    }

    static JsonObject assertProblem(int status, String type, byte[] body, int expectedStatus, int code, String name) {
        assertThat(status).as(new String(body, UTF_8)).isEqualTo(expectedStatus);
        assertThat(type).isEqualTo("application/problem+json");
        JsonObject json = new JsonObject(Buffer.buffer(body));
        assertThat(json.getString("type")).isEqualTo("urn:dht4j:error:" + name);
        assertThat(json.getString("title")).isNotBlank();
        assertThat(json.getInteger("status")).isEqualTo(status);
        assertThat(json.getString("detail")).isNotBlank().doesNotContain("Exception");
        assertThat(json.getInteger("code")).isEqualTo(code);
        assertThat(json.getString("name")).isEqualTo(name);
        return json;
    }

    @Test
    void aValueIsReadFromEveryNodeAsItWasWritten() {
        HttpResponse<byte[]> written = nodes.put(0, "/v0/entity?id=everywhere", "value");
        assertThat(written.statusCode()).isEqualTo(201);
        assertThat(written.body()).isEmpty();
        for (int node = 0; node < 3; node++) {
            HttpResponse<byte[]> read = nodes.get(node, "/v0/entity?id=everywhere");
            assertThat(read.statusCode()).isEqualTo(200);
            assertThat(read.body()).isEqualTo("value".getBytes(UTF_8));
            assertThat(read.headers().firstValue("Content-Type")).contains("application/octet-stream");
            assertThat(read.headers().firstValue("Dht-Version"))
                    .isEqualTo(written.headers().firstValue("Dht-Version"))
                    .isPresent();
        }
    }

    @Test
    void theVersionGrowsWithEveryWrite() {
        Version first = version(nodes.put(0, "/v0/entity?id=growing", "1"));
        Version second = version(nodes.put(1, "/v0/entity?id=growing", "2"));
        Version third = version(nodes.delete(2, "/v0/entity?id=growing"));
        assertThat(second).isGreaterThan(first);
        assertThat(third).isGreaterThan(second);
    }

    private static Version version(HttpResponse<byte[]> answer) {
        return new Version(Long.parseUnsignedLong(
                answer.headers().firstValue("Dht-Version").orElseThrow()));
    }

    @Test
    void anAbsentKeyIsNotFound() {
        HttpResponse<byte[]> answer = nodes.get(0, "/v0/entity?id=never-written");
        assertThat(answer.statusCode()).isEqualTo(404);
        assertThat(answer.headers().firstValue("Content-Type")).contains("application/problem+json");
        assertThat(new JsonObject(Buffer.buffer(answer.body())).getInteger("status"))
                .isEqualTo(404);
    }

    @Test
    void aDeletedKeyIsNotFoundAndMayBeWrittenAgain() {
        nodes.put(0, "/v0/entity?id=deleted", "value");
        HttpResponse<byte[]> deleted = nodes.delete(1, "/v0/entity?id=deleted");
        assertThat(deleted.statusCode()).isEqualTo(202);
        assertThat(deleted.body()).isEmpty();
        assertThat(nodes.get(2, "/v0/entity?id=deleted").statusCode()).isEqualTo(404);
        nodes.put(2, "/v0/entity?id=deleted", "again");
        assertThat(nodes.get(0, "/v0/entity?id=deleted").body()).isEqualTo("again".getBytes(UTF_8));
    }

    @Test
    void anAbsentKeyMayBeDeleted() {
        assertThat(nodes.delete(0, "/v0/entity?id=nothing-there").statusCode()).isEqualTo(202);
    }

    @Test
    void anExpiredKeyIsNotFound() {
        assertThat(nodes.put(0, "/v0/entity?id=brief&ttl=1", "value").statusCode())
                .isEqualTo(201);
        Awaitility.await()
                .atMost(Duration.ofSeconds(10))
                .until(() -> nodes.get(1, "/v0/entity?id=brief").statusCode() == 404);
        assertThat(nodes.put(0, "/v0/entity?id=long&ttl=3600000", "value").statusCode())
                .isEqualTo(201);
        assertThat(nodes.get(1, "/v0/entity?id=long").statusCode()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4096, 5000, 65_536, 65_537, 1_000_003, 16 << 20})
    void valuesOfAllSizesAreBinarySafe(int size) {
        byte[] value = new byte[size];
        new Random(size).nextBytes(value);
        assertThat(nodes.put(0, "/v0/entity?id=size" + size, value).statusCode())
                .isEqualTo(201);
        HttpResponse<byte[]> read = nodes.get(1, "/v0/entity?id=size" + size);
        assertThat(read.statusCode()).isEqualTo(200);
        assertThat(read.body()).isEqualTo(value);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {" ", "a b", "a+b", "a&b=c", "key/with?all#of%it", "\n\r\t\0", "ключ", "鍵", "😀", "\uFFFD", "é"})
    void keysAreAnyTextPercentEncoded(String key) throws Exception {
        String target = "/v0/entity?id=" + ApiNodes.encode(key);
        assertThat(nodes.put(0, target, "of " + key).statusCode()).isEqualTo(201);
        assertThat(nodes.get(1, target).body()).isEqualTo(("of " + key).getBytes(UTF_8));
        assertThat(nodes.cluster(2)
                        .get(Key.of(key))
                        .toCompletableFuture()
                        .get()
                        .orElseThrow()
                        .text())
                .isEqualTo("of " + key);
    }

    @Test
    void aPlusIsASpaceAndAnEncodedPlusIsAPlus() {
        nodes.put(0, "/v0/entity?id=plus+sign", "space");
        nodes.put(0, "/v0/entity?id=plus%2Bsign", "plus");
        assertThat(nodes.get(0, "/v0/entity?id=plus%20sign").body()).isEqualTo("space".getBytes(UTF_8));
        assertThat(nodes.get(0, "/v0/entity?id=plus%2bsign").body()).isEqualTo("plus".getBytes(UTF_8));
    }

    @Test
    void aKeyHasUpTo4096BytesHoweverItIsEncoded() {
        String longest = "/v0/entity?id=" + "%F0%9F%98%80".repeat(1024);
        assertThat(nodes.put(0, longest, "long").statusCode()).isEqualTo(201);
        assertThat(nodes.get(1, longest).body()).isEqualTo("long".getBytes(UTF_8));
        assertProblem(nodes.get(0, longest + "a"), 400, 1001, "KEY_INVALID");
        assertProblem(nodes.get(0, "/v0/entity?id=" + "a".repeat(4097)), 400, 1001, "KEY_INVALID");
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "PUT", "DELETE"})
    void aKeyIsRequired(String method) {
        byte[] body = method.equals("PUT") ? "value".getBytes(UTF_8) : new byte[0];
        for (String target :
                new String[] {"/v0/entity", "/v0/entity?", "/v0/entity?id", "/v0/entity?id=", "/v0/entity?ack=1&from=2"
                }) {
            assertProblem(nodes.send(0, method, target, body), 400, 1001, "KEY_INVALID");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"id=%80", "id=%C3%28", "id=%ED%A0%80", "id=a&id=a", "id=&id=a"})
    void aKeyMustBeWellFormedAndStandOnce(String query) {
        assertProblem(nodes.get(0, "/v0/entity?" + query), 400, 1001, "KEY_INVALID");
        assertProblem(nodes.put(0, "/v0/entity?" + query, "v"), 400, 1001, "KEY_INVALID");
        assertProblem(nodes.delete(0, "/v0/entity?" + query), 400, 1001, "KEY_INVALID");
    }

    @ParameterizedTest
    @ValueSource(strings = {"id=%", "id=%4", "id=a%4", "id=%zz", "id=%4x", "id=%+1", "id=\u00e9", "id=%\uff11\uff11"})
    void malformedPercentEncodingIsRefused(String query) throws Exception {
        try (RawHttp raw = new RawHttp(nodes.port(0))) {
            raw.send(("GET /v0/entity?" + query + " HTTP/1.1\r\nHost: x\r\n\r\n").getBytes(UTF_8));
            RawHttp.Answer answer = raw.read();
            assertProblem(
                    answer.status(), answer.headers().get("Content-Type"), answer.body(), 400, 1001, "KEY_INVALID");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "ack=0&from=3",
        "ack=4&from=3",
        "ack=3&from=2",
        "ack=1&from=4",
        "ack=-1&from=3",
        "ack=%2B1&from=3",
        "ack=&from=3",
        "ack=1.0&from=3",
        "ack=one&from=3",
        "ack=1&from=",
        "ack=1&from=0",
        "ack=99999999999999999999&from=3",
        "ack=1&from=18446744073709551617",
        "ack=4",
        "from=4",
        "from=0",
        "ack=0",
        "ack=1&ack=1",
        "from=3&from=3",
        "ack=%D9%A1&from=3",
        "ack=1%20&from=3"
    })
    void aPolicyOutOfRangeIsRefused(String policy) {
        assertProblem(nodes.get(0, "/v0/entity?id=k&" + policy), 400, 1002, "POLICY_INVALID");
        assertProblem(nodes.put(0, "/v0/entity?id=k&" + policy, "v"), 400, 1002, "POLICY_INVALID");
        assertProblem(nodes.delete(0, "/v0/entity?id=k&" + policy), 400, 1002, "POLICY_INVALID");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ack=1&from=1",
                "ack=1&from=3",
                "ack=2&from=3",
                "ack=3&from=3",
                "ack=2&from=2",
                "ack=3",
                "from=2",
                "ack=01&from=03"
            })
    void aPolicyInRangeIsUsed(String policy) {
        String target = "/v0/entity?id=policy&" + policy;
        assertThat(nodes.put(0, target, policy).statusCode()).isEqualTo(201);
        assertThat(nodes.get(1, "/v0/entity?id=policy&ack=3&from=3").body()).isEqualTo(policy.getBytes(UTF_8));
        assertThat(nodes.delete(2, target).statusCode()).isEqualTo(202);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ttl=0",
                "ttl=-1",
                "ttl=",
                "ttl=1s",
                "ttl=1.5",
                "ttl=31536000000001",
                "ttl=9223372036854775808",
                "ttl=1&ttl=1"
            })
    void aTimeToLiveOutOfRangeIsRefused(String ttl) {
        assertProblem(nodes.put(0, "/v0/entity?id=k&" + ttl, "v"), 400, 1003, "TTL_INVALID");
    }

    @Test
    void aTimeToLiveIsForWritesOnly() {
        assertThat(nodes.put(0, "/v0/entity?id=k&ttl=31536000000000", "v").statusCode())
                .isEqualTo(201);
        assertProblem(nodes.get(0, "/v0/entity?id=k&ttl=1000"), 400, 1003, "TTL_INVALID");
        assertProblem(nodes.delete(0, "/v0/entity?id=k&ttl=1000"), 400, 1003, "TTL_INVALID");
    }

    @Test
    void anUnknownParameterIsRefused() {
        assertProblem(nodes.get(0, "/v0/entity?id=k&akc=1"), 400, 1000, "BAD_REQUEST");
        assertProblem(nodes.get(0, "/v0/entity?id=k&%69d=k"), 400, 1000, "BAD_REQUEST");
        assertProblem(nodes.get(0, "/v0/status?id=k"), 400, 1000, "BAD_REQUEST");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"/v0/entity?id=k", "/v0/entity", "/v0/entities?start=a", "/v0/placement?id=k", "/v0/status"})
    void anyOtherMethodIsNotAllowed(String target) {
        for (String method : new String[] {"POST", "PATCH", "OPTIONS", "HEAD", "PROPFIND", "get"}) {
            HttpResponse<byte[]> answer =
                    nodes.send(0, method, target, method.equals("POST") ? "body".getBytes(UTF_8) : new byte[0]);
            assertThat(answer.statusCode()).as(method).isEqualTo(405);
            assertThat(answer.headers().firstValue("Allow"))
                    .contains(target.startsWith("/v0/entity") ? "GET, PUT, DELETE" : "GET");
            if (!method.equals("HEAD")) {
                assertProblem(answer, 405, 1008, "METHOD_NOT_ALLOWED");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/",
                "/v0",
                "/v0/",
                "/v0/entity/",
                "/v0/Entity?id=k",
                "/v1/entity?id=k",
                "//v0/entity?id=k",
                "/v0/%65ntity?id=k",
                "/favicon.ico",
                "/v0/entity;a?id=k"
            })
    void anyOtherPathIsABadRequest(String target) {
        for (String method : new String[] {"GET", "PUT", "DELETE", "POST"}) {
            byte[] body = method.startsWith("P") ? "value".getBytes(UTF_8) : new byte[0];
            assertProblem(nodes.send(0, method, target, body), 400, 1007, "UNKNOWN_RESOURCE");
        }
    }
}
