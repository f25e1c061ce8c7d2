package io.dht4j.transport.http.internal.api;

import static io.dht4j.transport.http.fixture.HttpProblem.assertProblem;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.ErrorCode;
import io.dht4j.RequestId;
import io.dht4j.transport.http.HttpApiOptions;
import io.dht4j.transport.http.fixture.ApiNodes;
import java.net.http.HttpResponse;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Atomic keys as clients with plain HTTP see them. */
@Timeout(60)
class HttpApiAtomicTest {

    private static final AtomicInteger KEYS = new AtomicInteger();

    private static ApiNodes nodes;

    private final String query = "?map=orders&id=" + KEYS.incrementAndGet();
    private final String key = "/v0/atomic" + query;

    @BeforeAll
    static void startNodes() {
        nodes = ApiNodes.agreed(HttpApiOptions.defaults());
    }

    @AfterAll
    static void stopNodes() {
        nodes.close();
    }

    private static HttpResponse<byte[]> send(String method, String target, String body, String... headers) {
        return nodes.send(0, method, target, body.getBytes(UTF_8), headers);
    }

    private static String header(HttpResponse<?> answer, String name) {
        return answer.headers().firstValue(name).orElse("");
    }

    private String text() {
        return new String(nodes.get(0, key).body(), UTF_8);
    }

    @Test
    void aValueHasAnEntityTag() {
        HttpResponse<byte[]> created = send("PUT", key, "one");
        assertThat(created.statusCode()).isEqualTo(201);
        String tag = header(created, "ETag");
        assertThat(tag).isEqualTo("\"" + header(created, "Dht-Version") + "\"");
        HttpResponse<byte[]> read = nodes.get(0, key);
        assertThat(read.statusCode()).isEqualTo(200);
        assertThat(header(read, "ETag")).isEqualTo(tag);
        assertThat(header(read, "Content-Type")).isEqualTo("application/octet-stream");
        assertThat(read.body()).isEqualTo("one".getBytes(UTF_8));

        assertThat(send("PUT", key, "two", "If-Match", tag).statusCode()).isEqualTo(204);
        HttpResponse<byte[]> stale = send("PUT", key, "three", "If-Match", tag);
        assertThat(assertProblem(stale, 412, ErrorCode.CONDITION_FAILED))
                .contains("the key has version")
                .contains("not " + tag.replace("\"", ""));
        assertThat(header(stale, "ETag")).isNotEqualTo(tag).isNotEmpty();
        assertThat(text()).isEqualTo("two");

        assertProblem(send("DELETE", key, "", "If-Match", tag), 412, ErrorCode.CONDITION_FAILED);
        assertThat(send("DELETE", key, "", "If-Match", header(stale, "ETag")).statusCode())
                .isEqualTo(204);
        assertThat(nodes.get(0, key).statusCode()).isEqualTo(404);
        assertThat(send("DELETE", key, "").statusCode()).isEqualTo(204);
        assertThat(assertProblem(send("PUT", key, "x", "If-Match", tag), 412, ErrorCode.CONDITION_FAILED))
                .contains("the key holds nothing");
    }

    @Test
    void onlyOneOfTwoClaimsAKey() {
        assertThat(send("PUT", key, "one", "If-None-Match", "*").statusCode()).isEqualTo(201);
        assertThat(assertProblem(send("PUT", key, "two", "If-None-Match", "*"), 412, ErrorCode.CONDITION_FAILED))
                .contains("the key holds a value");
        HttpResponse<byte[]> shown = send("PUT", key, "two", "If-None-Match", "*", "Prefer", "return=representation");
        assertThat(shown.statusCode()).isEqualTo(412);
        assertThat(shown.body()).isEqualTo("one".getBytes(UTF_8));
    }

    @Test
    void aCounterAnswersItsNumberAsText() {
        HttpResponse<byte[]> first = send("POST", "/v0/atomic/add" + query, "");
        assertThat(first.statusCode()).isEqualTo(201);
        assertThat(first.body()).isEqualTo("1".getBytes(UTF_8));
        HttpResponse<byte[]> second = send("POST", "/v0/atomic/add" + query + "&delta=-5", "");
        assertThat(second.statusCode()).isEqualTo(200);
        assertThat(second.body()).isEqualTo("-4".getBytes(UTF_8));
        HttpResponse<byte[]> read = nodes.get(0, key);
        assertThat(header(read, "Content-Type")).isEqualTo("text/plain");
        assertThat(read.body()).isEqualTo("-4".getBytes(UTF_8));

        assertThat(send("POST", "/v0/atomic/set" + query + "&expected=-4&number=10", "")
                        .statusCode())
                .isEqualTo(200);
        assertThat(assertProblem(
                        send("POST", "/v0/atomic/set" + query + "&expected=-4&number=11", ""),
                        412,
                        ErrorCode.CONDITION_FAILED))
                .contains("the counter is 10, not -4");
        assertThat(assertProblem(
                        send("POST", "/v0/atomic/add" + query + "&delta=" + Long.MAX_VALUE, ""),
                        409,
                        ErrorCode.COUNTER_OVERFLOW))
                .contains("holds 10");
        assertThat(assertProblem(send("PUT", key, "value"), 409, ErrorCode.ATOMIC_KIND))
                .contains("holds a counter");
        assertThat(text()).isEqualTo("10");
    }

    @Test
    void touchSetsTheExpiry() {
        String touch = "/v0/atomic/touch" + query;
        assertThat(send("POST", touch + "&ttl=60000", "").statusCode()).isEqualTo(404);
        send("PUT", key, "one");
        assertThat(header(nodes.get(0, key), "Dht-Expires-At")).isEmpty();
        assertThat(send("POST", touch + "&ttl=60000", "").statusCode()).isEqualTo(204);
        assertThat(header(nodes.get(0, key), "Dht-Expires-At")).isNotEmpty();
        assertThat(assertProblem(send("POST", touch, ""), 400, ErrorCode.TTL_INVALID))
                .contains("ttl is missing");
    }

    @Test
    void aRepeatedRequestIsExecutedOnce() {
        String id = RequestId.next().toString();
        for (int i = 0; i < 3; i++) {
            HttpResponse<byte[]> added = send("POST", "/v0/atomic/add" + query + "&delta=7", "", "Idempotency-Key", id);
            assertThat(added.body()).isEqualTo("7".getBytes(UTF_8));
        }
        assertProblem(
                send("POST", "/v0/atomic/add" + query + "&delta=8", "", "Idempotency-Key", id),
                422,
                ErrorCode.REQUEST_ID_REUSED);
        assertThat(assertProblem(
                        send("POST", "/v0/atomic/add" + query, "", "Idempotency-Key", "order-17"),
                        400,
                        ErrorCode.BAD_REQUEST))
                .contains("a request id must be a UUID of version 7, such as ")
                .contains("order-17");
        assertThat(text()).isEqualTo("7");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "PUT; /v0/atomic?id=k; If-Match: \"1\"; map is missing",
                "PUT; /v0/atomic?map=m; If-Match: \"1\"; id is missing",
                "PUT; /v0/atomic?map=m&id=k; If-Match: 1; If-Match must be one ETag",
                "PUT; /v0/atomic?map=m&id=k; If-Match: W/\"1\"; If-Match must be one ETag",
                "PUT; /v0/atomic?map=m&id=k; If-Match: \"99999999999999999999\"; If-Match must be one ETag",
                "PUT; /v0/atomic?map=m&id=k; If-None-Match: \"1\"; If-None-Match must be *",
                "DELETE; /v0/atomic?map=m&id=k; If-None-Match: *; no meaning for DELETE",
                "PUT; /v0/atomic?map=m&id=k; If-Unmodified-Since: x; nothing was done",
                "PUT; /v0/atomic?map=m&id=k&ack=1; If-Match: \"1\"; takes no policy",
                "PUT; /v0/atomic?map=m&id=k&ordering=real-time; If-Match: \"1\"; takes no ordering",
                "POST; /v0/atomic/add?map=m&id=k&delta=1.5; X: 1; must be a whole number from -9223372036854775808",
                "POST; /v0/atomic/add?map=m&id=k&delta=9223372036854775808; X: 1; to 9223372036854775807",
                "POST; /v0/atomic/set?map=m&id=k&number=1; X: 1; expected is missing",
                "PUT; /v0/entity?id=k; If-None-Match: *; /v0/atomic?map=NAME&id=KEY"
            })
    void aMalformedRequestSaysWhatIsNeeded(String method, String target, String header, String expected) {
        String name = header.substring(0, header.indexOf(':'));
        HttpResponse<byte[]> answer =
                send(method, target, method.equals("PUT") ? "v" : "", name, header.substring(name.length() + 2));
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(new String(answer.body(), UTF_8).replace("\\\"", "\"")).contains(expected);
    }

    @Test
    void aValueOverTheLimitIsRefused() {
        assertThat(assertProblem(send("PUT", key, "v".repeat(65_537)), 413, ErrorCode.VALUE_TOO_LARGE))
                .contains("at most 65536 bytes");
        assertThat(send("PUT", key, "v".repeat(65_536)).statusCode()).isEqualTo(201);
        assertThat(text()).hasSize(65_536);
    }

    @Test
    void otherMethodsAreNamed() {
        HttpResponse<byte[]> refused = send("POST", key, "");
        assertProblem(refused, 405, ErrorCode.METHOD_NOT_ALLOWED);
        assertThat(refused.headers().firstValue("Allow")).isEqualTo(Optional.of("GET, HEAD, PUT, DELETE, OPTIONS"));
        assertThat(nodes.send(0, "HEAD", key, new byte[0]).statusCode()).isEqualTo(404);
    }
}
