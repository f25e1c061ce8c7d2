package io.dht4j.transport.http.internal.api;

import static io.dht4j.transport.http.fixture.HttpProblem.assertProblem;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.ErrorCode;
import io.dht4j.transport.http.HttpApiOptions;
import io.dht4j.transport.http.fixture.ApiNodes;
import io.dht4j.transport.http.fixture.RawHttp;
import java.io.IOException;
import java.net.SocketException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.SplittableRandom;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What happens at the limits, and that the next request on a connection is never taken for a part of the last. */
@Timeout(60)
class HttpApiLimitsTest {

    private static final int LIMIT = 100_000;

    private static ApiNodes nodes;

    @BeforeAll
    static void startNodes() {
        nodes = ApiNodes.three(HttpApiOptions.defaults()
                .withMaxValueBytes(LIMIT)
                .withMaxInFlight(2)
                .withMaxBodyBytesInFlight(150_000)
                .withBodyTimeout(Duration.ofSeconds(20)));
    }

    /**
     * Waits until the answer of the test before has left the node: the bytes of a value count until the system has
     * taken the last of them, which the client may have read before.
     */
    @BeforeEach
    void awaitRoomForTheLargestValue() {
        Awaitility.await()
                .atMost(Duration.ofSeconds(10))
                .until(() -> nodes.put(0, "/v0/entity?id=room", new byte[LIMIT]).statusCode() == 201);
    }

    @AfterAll
    static void stopNodes() {
        nodes.close();
    }

    private static String put(String id, int length, String... headers) {
        return "PUT /v0/entity?id=" + id + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + length + "\r\n"
                + String.join("", headers) + "\r\n";
    }

    private static String get(String id) {
        return "GET /v0/entity?id=" + id + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
    }

    @Test
    void aValueOfTheLargestSizeIsTaken() {
        byte[] largest = new byte[LIMIT];
        assertThat(nodes.put(0, "/v0/entity?id=largest", largest).statusCode()).isEqualTo(201);
        assertThat(nodes.get(1, "/v0/entity?id=largest").body()).isEqualTo(largest);
    }

    @Test
    void aLargerValueIsRefusedOverTheUsualClient() {
        assertProblem(nodes.put(0, "/v0/entity?id=large", new byte[LIMIT + 1]), 413, ErrorCode.VALUE_TOO_LARGE);
        assertProblem(nodes.put(0, "/v0/entity?id=large", new byte[10 * LIMIT]), 413, ErrorCode.VALUE_TOO_LARGE);
        assertThat(nodes.get(0, "/v0/entity?id=large").statusCode()).isEqualTo(404);
    }

    @Test
    void announcedLengthOverTheLimitIsRefusedAtOnce() throws IOException {
        try (RawHttp raw = new RawHttp(nodes.port(0))) {
            raw.send(put("announced", 2_000_000_000));
            RawHttp.Answer answer = raw.read();
            assertProblem(answer, 413, ErrorCode.VALUE_TOO_LARGE);
            assertThat(answer.text()).contains(LIMIT + " bytes on this node, this one has 2000000000");
            assertThat(answer.headers()).containsEntry("Connection", "close");
            assertThat(raw.isClosedByServer()).isTrue();
        }
    }

    @Test
    void bodyJustOverTheLimitIsDrainedAndTheConnectionKept() throws IOException {
        try (RawHttp raw = new RawHttp(nodes.port(0))) {
            raw.send(put("over", LIMIT + 1));
            assertProblem(raw.read(), 413, ErrorCode.VALUE_TOO_LARGE);
            raw.send(new byte[LIMIT + 1]).send(get("over"));
            assertThat(raw.read().status()).isEqualTo(404);
        }
    }

    @Test
    void aChunkedValueOverTheLimitIsRefusedInTheMiddle() throws IOException {
        try (RawHttp raw = new RawHttp(nodes.port(0))) {
            raw.send("PUT /v0/entity?id=chunked HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n");
            String size = Integer.toHexString(LIMIT);
            raw.send(size + "\r\n").send(new byte[LIMIT]).send("\r\n1\r\nx\r\n");
            RawHttp.Answer answer = raw.read();
            assertProblem(answer, 413, ErrorCode.VALUE_TOO_LARGE);
            assertThat(answer.headers()).containsEntry("Connection", "close");
            assertThat(raw.isClosedByServer()).isTrue();
        }
        assertThat(nodes.get(0, "/v0/entity?id=chunked").statusCode()).isEqualTo(404);
    }

    @Test
    void aChunkedValueOfTheLargestSizeIsTaken() throws IOException {
        try (RawHttp raw = new RawHttp(nodes.port(0))) {
            raw.send("PUT /v0/entity?id=chunked-ok HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n");
            String half = Integer.toHexString(LIMIT / 2);
            raw.send(half + "\r\n").send(new byte[LIMIT / 2]);
            raw.send("\r\n" + half + "\r\n").send(new byte[LIMIT / 2]).send("\r\n0\r\n\r\n" + get("chunked-ok"));
            assertThat(raw.read().status()).isEqualTo(201);
            assertThat(raw.read().body()).hasSize(LIMIT);
        }
    }

    @Test
    void aValueOfNoBytesMayComeInChunksOrWithoutALength() throws IOException {
        try (RawHttp raw = new RawHttp(nodes.port(0))) {
            raw.send("PUT /v0/entity?id=e1 HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
            assertThat(raw.read().status()).isEqualTo(201);
            raw.send("PUT /v0/entity?id=e2 HTTP/1.1\r\nHost: localhost\r\n\r\n");
            assertThat(raw.read().status()).isEqualTo(201);
            raw.send(get("e1") + get("e2"));
            assertThat(raw.read().status()).isEqualTo(200);
            assertThat(raw.read().status()).isEqualTo(200);
        }
    }

    @Test
    void oversizedValueIsRefusedBeforeItIsSent() throws IOException {
        try (RawHttp raw = new RawHttp(nodes.port(0))) {
            raw.send(put("asked-large", LIMIT + 1, "Expect: 100-continue\r\n"));
            RawHttp.Answer answer = raw.read();
            assertProblem(answer, 413, ErrorCode.VALUE_TOO_LARGE);
            assertThat(answer.headers()).containsEntry("Connection", "close");
            assertThat(raw.isClosedByServer()).isTrue();
        }
    }

    @Test
    void aBodyWhereNoneIsWantedIsRefused() throws IOException {
        try (RawHttp raw = new RawHttp(nodes.port(0))) {
            raw.send("DELETE /v0/entity?id=bodied HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\nbody");
            assertProblem(raw.read(), 400, ErrorCode.BAD_REQUEST);
            raw.send("GET /v0/entity?id=bodied HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\n");
            assertProblem(raw.read(), 400, ErrorCode.BAD_REQUEST);
            raw.send("body" + get("bodied"));
            assertThat(raw.read().status()).isEqualTo(404);
            raw.send("DELETE /v0/entity?id=bodied HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n");
            assertThat(raw.read().status()).isEqualTo(202);
        }
    }

    @Test
    void requestsOverTheByteLimitGetRetryAfter() throws IOException {
        try (RawHttp first = new RawHttp(nodes.port(0));
                RawHttp second = new RawHttp(nodes.port(0))) {
            first.send(put("b1", LIMIT, "Expect: 100-continue\r\n"));
            assertThat(first.read().status()).isEqualTo(100);
            first.send(new byte[LIMIT - 1]);
            Awaitility.await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> {
                second.send(put("b2", LIMIT) + "x".repeat(LIMIT));
                RawHttp.Answer answer = second.read();
                assertProblem(answer, 503, ErrorCode.OVERLOADED);
                assertThat(answer.headers()).containsEntry("Retry-After", "1");
            });
            first.send("x");
            assertThat(first.read().status()).isEqualTo(201);
            second.send(put("b2", LIMIT)).send(new byte[LIMIT]);
            assertThat(second.read().status()).isEqualTo(201);
        }
    }

    @Test
    void allocatedBytesOfAValueCount() throws IOException {
        int more = 60_000;
        try (RawHttp first = new RawHttp(nodes.port(0));
                RawHttp second = new RawHttp(nodes.port(0))) {
            first.send(put("a1", LIMIT, "Expect: 100-continue\r\n"));
            assertThat(first.read().status()).isEqualTo(100);
            // More than an array begins with, so that it grows to the announced length.
            int came = (64 << 10) + 1;
            first.send(new byte[came]);
            Awaitility.await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> {
                second.send(put("a2", more) + "x".repeat(more));
                assertProblem(second.read(), 503, ErrorCode.OVERLOADED);
            });
            first.send(new byte[LIMIT - came]);
            assertThat(first.read().status()).isEqualTo(201);
            second.send(put("a2", more)).send(new byte[more]);
            assertThat(second.read().status()).isEqualTo(201);
        }
    }

    @Test
    void clientLeavingMidValueGivesItsPlaceBack() throws IOException {
        for (int i = 0; i < 5; i++) {
            try (RawHttp raw = new RawHttp(nodes.port(1))) {
                raw.send(put("gone", 1000, "Expect: 100-continue\r\n"));
                assertThat(raw.read().status()).isIn(100, 503);
                raw.send("half");
            }
        }
        Awaitility.await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> {
            assertThat(nodes.put(1, "/v0/entity?id=after", "v").statusCode()).isEqualTo(201);
            assertThat(nodes.get(1, "/v0/entity?id=gone").statusCode()).isEqualTo(404);
        });
    }

    @Test
    void anotherVersionOfHttpIsNotSupported() throws IOException {
        try (RawHttp raw = new RawHttp(nodes.port(0))) {
            raw.send("GET /v0/status HTTP/9.9\r\nHost: localhost\r\n\r\n");
            assertThat(raw.read().status()).isEqualTo(505);
        }
    }

    @Test
    void aRequestLineOrHeadersWithoutEndAreABadRequest() throws IOException {
        try (RawHttp raw = new RawHttp(nodes.port(0))) {
            raw.send("GET /v0/entity?id=" + "a".repeat(40_000) + " HTTP/1.1\r\n\r\n");
            assertProblem(raw.read(), 400, ErrorCode.BAD_REQUEST);
        }
        try (RawHttp raw = new RawHttp(nodes.port(0))) {
            raw.send("GET /v0/status HTTP/1.1\r\nX: " + "a".repeat(20_000) + "\r\n\r\n");
            assertProblem(raw.read(), 400, ErrorCode.BAD_REQUEST);
        }
    }

    @Test
    void aClientThatSendsItsValueTooSlowlyIsCutOff() throws IOException {
        try (ApiNodes impatient = ApiNodes.of(
                1,
                builder -> builder,
                HttpApiOptions.defaults().withMaxInFlight(1).withBodyTimeout(Duration.ofMillis(200)))) {
            try (RawHttp raw = new RawHttp(impatient.port(0))) {
                raw.send(put("slow", 1000)).send("x");
                RawHttp.Answer answer = raw.read();
                assertProblem(answer, 408, ErrorCode.BAD_REQUEST);
                assertThat(answer.headers()).containsEntry("Connection", "close");
                // The room is free when the server knows that its answer has gone, which is a moment after the client
                // has it.
                Awaitility.await()
                        .atMost(Duration.ofSeconds(10))
                        .until(() ->
                                impatient.put(0, "/v0/entity?id=other", "v").statusCode() == 201);
                assertThat(raw.isClosedByServer()).isTrue();
            }
            assertThat(impatient.get(0, "/v0/entity?id=slow").statusCode()).isEqualTo(404);
        }
    }

    @Test
    void aClientThatDoesNotReadItsAnswerIsCutOff() throws IOException {
        try (ApiNodes impatient = ApiNodes.of(
                1,
                builder -> builder.timeout(Duration.ofSeconds(30)),
                HttpApiOptions.defaults().withMaxInFlight(1).withWriteTimeout(Duration.ofMillis(200)))) {
            byte[] value = new byte[16 << 20];
            assertThat(impatient.put(0, "/v0/entity?id=big", value).statusCode())
                    .isEqualTo(201);
            assertThat(impatient.put(0, "/v0/entity?id=small", "v").statusCode())
                    .isEqualTo(201);
            try (RawHttp raw = new RawHttp(impatient.port(0), 4096)) {
                raw.send(get("big"));
                assertThat(raw.line()).isEqualTo("HTTP/1.1 200 OK");
                // Small answers fit into the socket's buffer: however slowly they are read, their readers are not cut.
                Awaitility.await()
                        .atMost(Duration.ofSeconds(30))
                        .until(() -> impatient.get(0, "/v0/entity?id=small").statusCode() == 200);
                assertThat(raw.untilClosed().length()).isLessThan(value.length);
            }
        }
    }

    @Test
    void randomBytesDoNoHarm() throws IOException {
        SplittableRandom random = new SplittableRandom(43);
        for (int i = 0; i < 200; i++) {
            byte[] bytes = new byte[random.nextInt(2000)];
            random.nextBytes(bytes);
            try (RawHttp raw = new RawHttp(nodes.port(i % 3))) {
                raw.send(bytes);
            } catch (SocketException closedByServer) {
                assertThat(closedByServer).hasMessageMatching("(?i).*(broken pipe|reset|abort).*");
            }
        }
        assertThat(nodes.put(0, "/v0/entity?id=unharmed", "value").statusCode()).isEqualTo(201);
        assertThat(nodes.get(1, "/v0/entity?id=unharmed").statusCode()).isEqualTo(200);
    }

    @Test
    void aClientThatOffersHttp2IsServed() throws Exception {
        HttpClient offering = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_2)
                .connectTimeout(Duration.ofSeconds(10))
                .build();
        HttpRequest put = HttpRequest.newBuilder(nodes.uri(0, "/v0/entity?id=offered"))
                .PUT(HttpRequest.BodyPublishers.ofString("value"))
                .build();
        assertThat(offering.send(put, HttpResponse.BodyHandlers.discarding()).statusCode())
                .isEqualTo(201);
        HttpResponse<String> read = offering.send(
                HttpRequest.newBuilder(nodes.uri(1, "/v0/entity?id=offered")).build(),
                HttpResponse.BodyHandlers.ofString());
        assertThat(read.body()).isEqualTo("value");
    }

    @Test
    void theClustersOwnLimitsAreAnsweredTheSameWay() {
        try (ApiNodes small = ApiNodes.of(1, builder -> builder.maxValueBytes(10), HttpApiOptions.defaults())) {
            assertThat(small.put(0, "/v0/entity?id=k", "0123456789").statusCode())
                    .isEqualTo(201);
            assertProblem(
                    small.put(0, "/v0/entity?id=k", "0123456789a".getBytes(UTF_8)), 413, ErrorCode.VALUE_TOO_LARGE);
        }
    }
}
