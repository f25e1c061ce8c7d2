package io.dht4j.transport.http.contract.api;

import static io.dht4j.transport.http.fixture.HttpProblem.assertProblem;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.ErrorCode;
import io.dht4j.transport.http.fixture.RawHttp;
import java.io.IOException;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that say more than the API does are refused; HEAD and OPTIONS answer as monitors expect. */
interface SemanticsSuite extends HttpApiSuite {

    String ENTITY = "/v0/entity?id=semantics";
    byte[] NO_BYTES = {};

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Range: bytes 6-9/10",
                "If-Match: \"1\"",
                "If-None-Match: *",
                "If-Modified-Since: Sat, 28 Nov 2026 00:00:00 GMT",
                "If-Unmodified-Since: Sat, 28 Nov 2026 00:00:00 GMT",
                "If-Range: \"1\"",
                "Range: bytes=6-",
                "X-HTTP-Method-Override: DELETE",
                "X-HTTP-Method: DELETE",
                "x-method-override: DELETE"
            })
    default void conditionalAndPartialWritesAreRefused(String header) throws IOException {
        assertThat(put(0, ENTITY, "whole").statusCode()).isEqualTo(201);
        try (RawHttp raw = raw(0)) {
            for (String request :
                    new String[] {"PUT " + ENTITY, "DELETE " + ENTITY, "POST /v0/batch-put", "POST /v0/repair"}) {
                String body = request.startsWith("DELETE") || request.endsWith("repair") ? "" : "part";
                raw.send(request + " HTTP/1.1\r\nHost: localhost\r\n" + header + "\r\nContent-Length: " + body.length()
                        + "\r\n\r\n" + body);
                assertThat(assertProblem(raw.read(), 400, ErrorCode.BAD_REQUEST))
                        .containsIgnoringCase(header.substring(0, header.indexOf(':')))
                        .contains("nothing was done");
            }
        }
        assertThat(get(1, ENTITY).body()).isEqualTo("whole".getBytes(UTF_8));
    }

    @ParameterizedTest
    @ValueSource(strings = {"gzip", "identity, gzip", "aws-chunked", "br", "\"\"", "x"})
    default void aBodyWithACodingIsRefused(String coding) throws IOException {
        assertThat(put(0, ENTITY, "plain").statusCode()).isEqualTo(201);
        try (RawHttp raw = raw(0)) {
            for (String request : new String[] {"PUT " + ENTITY, "POST /v0/batch-put", "POST /v0/batch-get"}) {
                raw.send(request + " HTTP/1.1\r\nHost: localhost\r\nContent-Encoding: " + coding
                        + "\r\nContent-Type: application/x-ndjson\r\nContent-Length: 4\r\n\r\ngzip");
                RawHttp.Answer refused = raw.read();
                assertThat(assertProblem(refused, 415, ErrorCode.BAD_REQUEST)).contains("Content-Encoding");
                assertThat(refused.headers()).containsEntry("Accept-Encoding", "identity");
            }
            raw.send("PUT /v0/entity?id=semantics HTTP/1.1\r\nHost: localhost\r\nContent-Encoding: Identity\r\n"
                    + "Content-Length: 3\r\n\r\nnew");
            assertThat(raw.read().status()).isEqualTo(201);
        }
        assertThat(get(1, ENTITY).body()).isEqualTo("new".getBytes(UTF_8));
    }

    /** As {@code curl -X PUT -F} sends it: the value would be the parts with their separators. */
    @ParameterizedTest
    @ValueSource(strings = {"multipart/form-data; boundary=x", "Multipart/Byteranges;boundary=x"})
    default void aBodyOfPartsIsRefused(String type) throws IOException {
        assertThat(put(0, ENTITY, "plain").statusCode()).isEqualTo(201);
        try (RawHttp raw = raw(0)) {
            raw.send("PUT " + ENTITY + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: " + type
                    + "\r\nContent-Length: 5\r\n\r\nparts");
            assertThat(assertProblem(raw.read(), 415, ErrorCode.BAD_REQUEST)).contains("Content-Type");
        }
        assertThat(get(1, ENTITY).body()).isEqualTo("plain".getBytes(UTF_8));
    }

    @ParameterizedTest
    @CsvSource({
        "Range, bytes=1-2, 200",
        "If-None-Match, *, 200",
        "If-Modified-Since, 'Sat, 28 Nov 2099 00:00:00 GMT', 200",
        "If-Range, \"1\", 200",
        "If-Match, \"1\", 400",
        "If-Unmodified-Since, 'Sat, 28 Nov 2026 00:00:00 GMT', 400",
        "Content-Range, bytes 1-2/5, 400",
        "X-HTTP-Method-Override, DELETE, 400"
    })
    default void aReadGetsTheWholeValueOrIsRefused(String name, String value, int status) {
        assertThat(put(0, ENTITY, "whole").statusCode()).isEqualTo(201);
        HttpResponse<byte[]> answer = get(1, ENTITY, name, value);
        assertThat(answer.statusCode()).isEqualTo(status);
        if (status == 200) {
            assertThat(answer.body()).isEqualTo("whole".getBytes(UTF_8));
        } else {
            assertThat(assertProblem(answer, 400, ErrorCode.BAD_REQUEST)).contains(name);
        }
    }

    @Test
    default void headAnswersAsGetWithoutTheBody() {
        put(0, ENTITY, "value");
        put(0, "/v0/entity?id=semantics-large", "v".repeat(100_000));
        for (String target : new String[] {
            ENTITY,
            "/v0/entity?id=semantics-large",
            "/v0/entity?id=semantics-absent",
            "/v0/entity",
            "/v0/placement?id=semantics",
            "/livez",
            "/readyz",
            "/metrics",
            "/console",
            "/nothing"
        }) {
            HttpResponse<byte[]> get = get(0, target);
            HttpResponse<byte[]> head = send(0, "HEAD", target, NO_BYTES);
            assertThat(head.statusCode()).as(target).isEqualTo(get.statusCode());
            assertThat(head.body()).as(target).isEmpty();
            for (String header : new String[] {"Content-Length", "Content-Type", "Dht-Version", "Cache-Control"}) {
                assertThat(head.headers().firstValue(header))
                        .as(target + " " + header)
                        .isEqualTo(get.headers().firstValue(header));
            }
        }
        HttpResponse<byte[]> scan = send(0, "HEAD", "/v0/entities?start=a", NO_BYTES);
        assertThat(scan.statusCode()).isEqualTo(200);
        assertThat(scan.body()).isEmpty();
        assertThat(send(0, "HEAD", "/v0/status", NO_BYTES).statusCode()).isEqualTo(200);
        assertThat(send(0, "HEAD", "/v0/batch-get", NO_BYTES).statusCode()).isEqualTo(405);
    }

    @Test
    default void theAnswerToHeadEndsWithItsHead() throws IOException {
        put(0, ENTITY, "value");
        try (RawHttp raw = raw(0)) {
            for (String target : new String[] {ENTITY, "/v0/entity", "/v0/entities?start=a"}) {
                raw.send("HEAD " + target + " HTTP/1.1\r\nHost: localhost\r\n\r\nHEAD " + target
                        + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
                for (int i = 0; i < 2; i++) {
                    assertThat(raw.line()).startsWith("HTTP/1.1 ");
                    String line = raw.line();
                    while (!line.isEmpty()) {
                        line = raw.line();
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        ENTITY + ", 'GET, HEAD, PUT, DELETE, OPTIONS'",
        "/v0/entities, 'GET, HEAD, OPTIONS'",
        "/v0/batch-get, 'POST, OPTIONS'",
        "/v0/batch-put, 'POST, OPTIONS'",
        "/v0/snapshots, 'POST, DELETE, OPTIONS'",
        "/v0/status, 'GET, HEAD, OPTIONS'",
        "/v0/repair, 'GET, HEAD, POST, OPTIONS'",
        "/v0/nodes, 'GET, HEAD, POST, OPTIONS'",
        "/metrics, 'GET, HEAD, OPTIONS'",
        "/livez, 'GET, HEAD, OPTIONS'",
        "/readyz, 'GET, HEAD, OPTIONS'",
        "/console, 'GET, HEAD, OPTIONS'"
    })
    default void optionsAndOtherMethodsNameTheMethods(String target, String methods) {
        HttpResponse<byte[]> options = send(0, "OPTIONS", target, NO_BYTES);
        assertThat(options.statusCode()).isEqualTo(204);
        assertThat(options.headers().firstValue("Allow")).contains(methods);
        assertThat(options.body()).isEmpty();
        HttpResponse<byte[]> patch = send(0, "PATCH", target, NO_BYTES);
        assertProblem(patch, 405, ErrorCode.METHOD_NOT_ALLOWED);
        assertThat(patch.headers().firstValue("Allow")).contains(methods);
    }

    @Test
    default void optionsOfTheWholeNodeNameItsMethods() throws IOException {
        try (RawHttp raw = raw(0)) {
            RawHttp.Answer answer =
                    raw.send("OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n").read();
            assertThat(answer.status()).isEqualTo(204);
            assertThat(answer.headers()).containsEntry("Allow", "GET, HEAD, PUT, POST, DELETE, OPTIONS");
        }
    }
}
