package io.dht4j.transport.http.contract.api;

import static io.dht4j.transport.http.contract.api.HttpApiSuite.base64;
import static io.dht4j.transport.http.contract.api.HttpApiSuite.lines;
import static io.dht4j.transport.http.fixture.HttpProblem.assertProblem;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.ErrorCode;
import io.dht4j.transport.http.fixture.RawHttp;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The requirements of RFC 9110 and RFC 9112, the protection against foreign pages in a browser, and the probes. */
interface ProtocolSuite extends HttpApiSuite {

    String STATUS = "GET /v0/status HTTP/1.1\r\n";
    String HOST = "Host: localhost\r\n";
    String PUT = "PUT /v0/entity?id=framed HTTP/1.1\r\n" + HOST;
    String SMUGGLED = "PUT /v0/entity?id=smuggled HTTP/1.1\r\n" + HOST + "Content-Length: 1\r\n\r\nx";

    @ParameterizedTest
    @CsvSource({"'', 0 times", "'Host: localhost\r\nHost: localhost\r\n', 2 times"})
    default void aRequestNamesItsHostOnce(String hosts, String times) throws IOException {
        try (RawHttp raw = raw(0)) {
            raw.send(STATUS + HOST + "\r\n" + STATUS + hosts + "\r\n" + SMUGGLED);
            assertThat(raw.read().status()).isEqualTo(200);
            RawHttp.Answer refused = raw.read();
            assertThat(assertProblem(refused, 400, ErrorCode.BAD_REQUEST)).contains("Host", times);
            assertThat(refused.headers()).containsEntry("Connection", "close");
            assertThat(raw.isClosedByServer()).isTrue();
        }
        assertThat(get(0, "/v0/entity?id=smuggled").statusCode()).isEqualTo(404);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Expect: 200-ok\r\n", "Expect: 100-continue\r\nExpect: more\r\n"})
    default void anUnknownExpectationFails(String expectation) throws IOException {
        try (RawHttp raw = raw(0)) {
            raw.send(PUT + expectation + "Content-Length: 1\r\n\r\nx");
            assertProblem(raw.read(), 417, ErrorCode.BAD_REQUEST);
            assertThat(raw.isClosedByServer()).isTrue();
        }
        assertThat(get(0, "/v0/entity?id=framed").statusCode()).isEqualTo(404);
    }

    @ParameterizedTest
    @CsvSource({"gzip, 501", "'gzip, chunked', 501", "identity, 501", "'chunked, chunked', 400"})
    default void unknownTransferCodingEndsTheConnection(String coding, int status) throws IOException {
        try (RawHttp raw = raw(0)) {
            raw.send(PUT + "Transfer-Encoding: " + coding + "\r\n\r\n" + SMUGGLED);
            assertProblem(raw.read(), status, ErrorCode.BAD_REQUEST);
            assertThat(raw.untilClosed()).isEmpty();
        }
        assertThat(get(0, "/v0/entity?id=framed").statusCode()).isEqualTo(404);
        assertThat(get(0, "/v0/entity?id=smuggled").statusCode()).isEqualTo(404);
    }

    @Test
    default void trailersThatAreTooLongAreABadRequest() throws IOException {
        try (RawHttp raw = raw(0)) {
            raw.send(PUT + "Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\nLong: " + "y".repeat(20_000) + "\r\n\r\n");
            assertThat(assertProblem(raw.read(), 400, ErrorCode.BAD_REQUEST)).contains("trailers");
            assertThat(raw.untilClosed()).isEmpty();
        }
        assertThat(get(0, "/v0/entity?id=framed").statusCode()).isEqualTo(404);
    }

    @Test
    default void aMalformedChunkIsABadRequestAndNothingIsWritten() throws IOException {
        try (RawHttp raw = raw(0)) {
            raw.send(PUT + "Transfer-Encoding: chunked\r\n\r\nzz\r\nvalue");
            assertThat(assertProblem(raw.read(), 400, ErrorCode.BAD_REQUEST)).contains("chunks");
            assertThat(raw.untilClosed()).isEmpty();
        }
        assertThat(get(0, "/v0/entity?id=framed").statusCode()).isEqualTo(404);
    }

    /** As {@code curl --http2 -T} does. */
    @Test
    default void expectContinueWithH2cUpgradeStaysOnHttp1() throws IOException {
        try (RawHttp raw = raw(0)) {
            raw.send("PUT /v0/entity?id=upgrading HTTP/1.1\r\n" + HOST + "Connection: Upgrade, HTTP2-Settings\r\n"
                    + "Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\nExpect: 100-continue\r\n"
                    + "Content-Length: 5\r\n\r\n");
            assertThat(raw.read().status()).isEqualTo(100);
            raw.send("value");
            assertThat(raw.read().status()).isEqualTo(201);
        }
        assertThat(get(1, "/v0/entity?id=upgrading").body()).isEqualTo("value".getBytes(UTF_8));
    }

    /** RFC 9110: a server may ignore an offer to change the protocol. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Connection: Upgrade|Upgrade: h2c",
                "Upgrade: h2c|HTTP2-Settings: AAMAAABk",
                "Connection: Upgrade, HTTP2-Settings|Upgrade: h2c|HTTP2-Settings: @",
                "Connection: Upgrade, HTTP2-Settings|Upgrade: h2c|HTTP2-Settings: AAMA",
                "Connection: Upgrade, HTTP2-Settings|Upgrade: h2c|HTTP2-Settings: AAT_____",
                "Connection: Upgrade, HTTP2-Settings|Upgrade: h2c|HTTP2-Settings: AAMAAABk|HTTP2-Settings: AAMAAABk",
                "Connection: Upgrade|Upgrade: websocket"
            })
    default void anOfferOfAnotherProtocolThatIsIncompleteIsIgnored(String offer) throws IOException {
        try (RawHttp raw = raw(0)) {
            raw.send("GET /v0/entity?id=offered HTTP/1.1\r\n" + HOST + offer.replace("|", "\r\n") + "\r\n\r\n");
            assertThat(raw.read().status()).isEqualTo(404);
            raw.send("GET /livez HTTP/1.1\r\n" + HOST + "\r\n");
            assertThat(raw.read().status()).isEqualTo(200);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    default void aClientThatPrefersHttp2PutsAValueOfAnyLength(boolean asksFirst) throws Exception {
        HttpClient preferring = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_2)
                .connectTimeout(Duration.ofSeconds(10))
                .build();
        for (int length : new int[] {5, 1_000_000}) {
            HttpRequest put = HttpRequest.newBuilder(base(0).resolve("/v0/entity?id=preferred"))
                    .timeout(Duration.ofSeconds(60))
                    .expectContinue(asksFirst)
                    .PUT(BodyPublishers.ofByteArray(new byte[length]))
                    .build();
            HttpResponse<String> answer = preferring.send(put, BodyHandlers.ofString());
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
            assertThat(get(1, "/v0/entity?id=preferred").body()).hasSize(length);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://evil.example", "https://localhost.evil.example", "null", "http://localhost:1", ""})
    default void aForeignPageMayDoNothing(String origin) throws IOException {
        try (RawHttp raw = raw(0)) {
            String headers = HOST + "Origin: " + origin + "\r\nContent-Length: 1\r\n\r\nx";
            for (String head : new String[] {
                "PUT /v0/entity?id=foreign HTTP/1.1\r\n",
                "POST /v0/snapshots HTTP/1.1\r\n",
                "POST /v0/repair HTTP/1.1\r\n"
            }) {
                raw.send(head + headers);
                assertThat(assertProblem(raw.read(), 403, ErrorCode.PERMISSION_DENIED))
                        .contains("Origin");
            }
        }
        assertThat(get(0, "/v0/entity?id=foreign").statusCode()).isEqualTo(404);
    }

    @Test
    default void aPageOfTheNodeItselfIsServed() throws IOException {
        String authority = "localhost:" + base(0).getPort();
        try (RawHttp raw = raw(0)) {
            raw.send("PUT /v0/entity?id=same-origin HTTP/1.1\r\nHost: " + authority + "\r\nOrigin: http://" + authority
                    + "\r\nContent-Length: 1\r\n\r\nx");
            assertThat(raw.read().status()).isEqualTo(201);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"rebound.example", "rebound.example:8080", "192.0.2.7.evil", "localhost.evil"})
    default void aNodeAnswersToItsOwnNamesOnly(String host) throws IOException {
        try (RawHttp raw = raw(0)) {
            raw.send(STATUS + "Host: " + host + "\r\n\r\n");
            assertThat(assertProblem(raw.read(), 421, ErrorCode.BAD_REQUEST)).contains("public host");
        }
        // The server closes a connection after the answer to a probe.
        try (RawHttp raw = raw(0)) {
            raw.send("GET /livez HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
            assertThat(raw.read().status()).isEqualTo(200);
        }
        try (RawHttp raw = raw(0)) {
            raw.send("GET /readyz HTTP/1.1\r\nHost: " + host + "\r\nOrigin: http://evil.example\r\n\r\n");
            assertThat(raw.read().status()).isEqualTo(200);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "localhost",
                "LOCALHOST.:80",
                "127.0.0.1",
                "127.0.0.1:1",
                "[::1]",
                "[0:0:0:0:0:0:0:1]:9",
                "192.0.2.7",
                "[2001:db8::7]:80"
            })
    default void aNodeIsReachedByAddressesAndFromWithinItsMachine(String host) throws IOException {
        try (RawHttp raw = raw(0)) {
            raw.send(STATUS + "Host: " + host + "\r\n\r\n");
            assertThat(raw.read().status()).isEqualTo(200);
        }
    }

    @Test
    default void theProbesReportThatANodeLivesAndIsReady() {
        assertThat(new String(get(0, "/livez").body(), UTF_8)).isEqualTo("alive\n");
        HttpResponse<byte[]> ready = get(0, "/readyz");
        assertThat(ready.statusCode()).isEqualTo(200);
        assertThat(new String(ready.body(), UTF_8)).isEqualTo("ready\n");
        assertThat(ready.headers().firstValue("Cache-Control")).contains("no-store");
        for (String probe : new String[] {"/livez", "/readyz"}) {
            HttpResponse<byte[]> posted = send(0, "POST", probe, new byte[0]);
            assertProblem(posted, 405, ErrorCode.METHOD_NOT_ALLOWED);
            assertThat(posted.headers().firstValue("Allow")).contains("GET, HEAD, OPTIONS");
        }
    }

    @Test
    default void bothCountsMayStandInOneParameter() {
        assertThat(put(0, "/v0/entity?id=counted&replicas=3/3", "value").statusCode())
                .isEqualTo(201);
        assertThat(get(1, "/v0/entity?id=counted&replicas=1%2F3").statusCode()).isEqualTo(200);
        assertThat(lines(post(2, "/v0/batch-get?replicas=2/3", "{\"key_base64\":\"" + base64("counted") + "\"}")))
                .hasSize(1);
        assertThat(delete(0, "/v0/entity?id=counted&replicas=2/3").statusCode()).isEqualTo(202);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "replicas=2/3&ack=2",
                "replicas=2/3&from=3",
                "replicas=2/3&ack=2&from=3",
                "replicas=",
                "replicas=2",
                "replicas=/",
                "replicas=2/",
                "replicas=/3",
                "replicas=3/2",
                "replicas=0/3",
                "replicas=1/4",
                "replicas=2/3/3",
                "replicas=a/b",
                "replicas=2/3&replicas=2/3",
                "replicas=+2/3"
            })
    default void countsInOneParameterAreChecked(String policy) {
        assertProblem(get(0, "/v0/entity?id=k&" + policy), 400, ErrorCode.POLICY_INVALID);
        assertProblem(put(0, "/v0/entity?id=k&" + policy, "v"), 400, ErrorCode.POLICY_INVALID);
    }
}
