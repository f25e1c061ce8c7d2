package io.dht4j.transport.http.contract.api;

import static io.dht4j.transport.http.contract.api.HttpApiSuite.base64;
import static io.dht4j.transport.http.contract.api.HttpApiSuite.lines;
import static io.dht4j.transport.http.contract.api.HttpApiSuite.unbase64;
import static io.dht4j.transport.http.contract.api.HttpApiSuite.versionOf;
import static io.dht4j.transport.http.fixture.HttpProblem.assertProblem;
import static java.nio.charset.StandardCharsets.UTF_16LE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.ErrorCode;
import io.dht4j.transport.http.fixture.RawHttp;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Batches as lines of JSON in both directions, and invalid batches. */
interface BatchSuite extends HttpApiSuite {

    private static String keyLine(byte[] key) {
        return "{\"key_base64\":\"" + base64(key) + "\"}\n";
    }

    private static String keyLine(String key) {
        return keyLine(key.getBytes(UTF_8));
    }

    private static String valueLine(byte[] key, byte[] value) {
        return "{\"key_base64\":\"" + base64(key) + "\",\"value_base64\":\"" + base64(value) + "\"}\n";
    }

    private static String valueLine(String key, String value) {
        return valueLine(key.getBytes(UTF_8), value.getBytes(UTF_8));
    }

    @Test
    @Tag("core")
    default void whatABatchWritesABatchReads() {
        byte[] binary = {0, (byte) 0xFF, '\n'};
        HttpResponse<byte[]> written = post(
                0,
                "/v0/batch-put?ack=3&from=3&ttl=3600000&timeout=60000",
                valueLine("batch1", "one") + valueLine("batch2", "") + valueLine(binary, binary));
        assertThat(written.statusCode()).as(new String(written.body(), UTF_8)).isEqualTo(201);
        assertThat(written.body()).isEmpty();

        List<Map<String, Object>> read = lines(post(
                1,
                "/v0/batch-get?ack=2&from=3&timeout=60000",
                keyLine("batch2")
                        + keyLine("nothing there")
                        + keyLine(binary)
                        + keyLine("batch1")
                        + keyLine("batch1")));
        assertThat(read).hasSize(3);
        assertThat(read).allSatisfy(line -> {
            assertThat(line).containsEntry("version", versionOf(written));
            assertThat((Long) line.get("expires_at")).isGreaterThan(System.currentTimeMillis());
        });
        assertThat(read.get(0)).containsEntry("key", "batch2").containsEntry("value_base64", "");
        assertThat(read.get(1)).doesNotContainKey("key").containsEntry("key_base64", base64(binary));
        assertThat(unbase64(read.get(1), "value_base64")).isEqualTo(binary);
        assertThat(read.get(2)).containsEntry("key", "batch1").containsEntry("value_base64", base64("one"));
        assertThat(get(2, "/v0/entity?id=batch1").body()).isEqualTo("one".getBytes(UTF_8));
    }

    @Test
    default void aBatchMayHoldThousandsOfKeysAndComeInChunks() throws IOException {
        StringBuilder values = new StringBuilder();
        StringBuilder keys = new StringBuilder();
        for (int i = 0; i < 3000; i++) {
            values.append(valueLine("thousands" + i, "value " + i));
            keys.append(keyLine("thousands" + i));
        }
        assertThat(post(0, "/v0/batch-put", values.toString()).statusCode()).isEqualTo(201);
        List<Map<String, Object>> read = lines(post(1, "/v0/batch-get", keys.toString()));
        assertThat(read).hasSize(3000);
        for (int i = 0; i < read.size(); i++) {
            assertThat(read.get(i))
                    .containsEntry("key", "thousands" + i)
                    .containsEntry("value_base64", base64("value " + i));
        }
        try (RawHttp raw = raw(2)) {
            raw.send(String.join(
                    "\r\n",
                    "POST /v0/batch-get HTTP/1.1",
                    "Host: localhost",
                    "Content-Type: application/x-ndjson",
                    "Transfer-Encoding: chunked",
                    "",
                    ""));
            String line = keyLine("thousands7");
            for (String piece : new String[] {line.substring(0, 5), line.substring(5, 20), line.substring(20)}) {
                raw.send(Integer.toHexString(piece.length()) + "\r\n" + piece + "\r\n");
            }
            raw.send("0\r\n\r\n");
            assertThat(raw.read().text()).contains("\"key\":\"thousands7\"");
        }
    }

    @Test
    default void blankLinesAndAByteOrderMarkHaveNoEffect() {
        String values = "\ufeff" + valueLine("marked1", "one") + "\r\n \n" + valueLine("marked2", "two") + "\n";
        assertThat(post(0, "/v0/batch-put", values).statusCode()).isEqualTo(201);
        assertThat(lines(post(1, "/v0/batch-get", "\n" + keyLine("marked1") + "\n" + keyLine("marked2"))))
                .extracting(line -> line.get("value_base64"))
                .containsExactly(base64("one"), base64("two"));
    }

    @Test
    default void aBatchInUtf16IsRefusedByThatName() {
        for (String mark : List.of("\ufeff", "")) {
            byte[] body = (mark + keyLine("marked1")).getBytes(UTF_16LE);
            HttpResponse<byte[]> refused =
                    send(0, "POST", "/v0/batch-get", body, "Content-Type", "application/x-ndjson");
            assertThat(assertProblem(refused, 400, ErrorCode.BAD_REQUEST))
                    .isEqualTo("line 1: its text is UTF-16: save it as UTF-8");
        }
    }

    @Test
    default void theLargestValueGoesThroughABatch() {
        byte[] largest = new byte[16 << 20];
        largest[12345] = 42;
        byte[] key = "batch of the largest".getBytes(UTF_8);
        assertThat(post(0, "/v0/batch-put", valueLine(key, largest)).statusCode())
                .isEqualTo(201);
        Map<String, Object> line = lines(post(1, "/v0/batch-get", keyLine(key))).get(0);
        assertThat(java.util.Arrays.equals(unbase64(line, "value_base64"), largest))
                .isTrue();
        byte[] larger = new byte[(16 << 20) + 1];
        assertProblem(post(0, "/v0/batch-put", valueLine(key, larger)), 413, ErrorCode.VALUE_TOO_LARGE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/v0/batch-get", "/v0/batch-put"})
    default void aBatchNamesItsMediaType(String path) {
        byte[] body = (path.endsWith("get") ? keyLine("typed") : valueLine("typed", "value")).getBytes(UTF_8);
        for (String type : new String[] {"text/plain", "application/x-www-form-urlencoded", "application/json"}) {
            assertProblem(send(0, "POST", path, body, "Content-Type", type), 415, ErrorCode.BAD_REQUEST);
        }
        assertProblem(send(0, "POST", path, body), 415, ErrorCode.BAD_REQUEST);
        assertThat(get(0, "/v0/entity?id=typed").statusCode()).isEqualTo(404);
        assertThat(send(0, "POST", path, body, "Content-Type", "Application/X-NDJSON; charset=utf-8")
                        .statusCode())
                .isIn(200, 201);
        delete(0, "/v0/entity?id=typed");
    }

    @Test
    default void aBatchOfNothingDoesNothing() {
        assertThat(lines(post(0, "/v0/batch-get", ""))).isEmpty();
        assertThat(post(0, "/v0/batch-put", "").statusCode()).isIn(201, 400);
    }

    @Test
    default void aLastLineNeedsNoEnd() {
        assertThat(post(0, "/v0/batch-put", valueLine("endless", "value").strip())
                        .statusCode())
                .isEqualTo(201);
        assertThat(lines(post(0, "/v0/batch-get", keyLine("endless").strip()))).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "no json",
                "{",
                "{}",
                "[]",
                "\"a\"",
                "{\"key_base64\":1}",
                "{\"key_base64\":null}",
                "{\"key_base64\":{\"a\":1}}",
                "{\"key_base64\":\"*\"}",
                "{\"key_base64\":\"YQ\"}",
                "{\"key_base64\":\"YQ==\",\"key_base64\":\"YQ==\"}",
                "{\"key_base64\":\"YQ==\",\"other\":\"YQ==\"}",
                "{\"key\":\"a\"}",
                "{\"key_base64\":\"YQ==\"}{\"key_base64\":\"YQ==\"}",
                "{\"key_base64\":\"YQ==\"} x"
            })
    default void aMalformedLineIsNamedAndNothingIsDone(String line) {
        String third = keyLine("a") + keyLine("b") + line + "\n" + keyLine("c");
        String detail = assertProblem(post(0, "/v0/batch-get", third), 400, ErrorCode.BAD_REQUEST);
        assertThat(detail).startsWith("line 3: ");
        String puts = valueLine("undone", "value") + line + "\n";
        detail = assertProblem(post(0, "/v0/batch-put", puts), 400, ErrorCode.BAD_REQUEST);
        assertThat(detail).startsWith("line 2: ");
        assertThat(get(0, "/v0/entity?id=undone").statusCode()).isEqualTo(404);
    }

    @Test
    default void anUnknownFieldIsRefusedWithTheKnownOnes() {
        String scanned = "{\"key\":\"a\",\"key_base64\":\"YQ==\",\"value_base64\":\"dg==\",\"version\":\"1\"}";
        assertThat(assertProblem(post(0, "/v0/batch-put", scanned), 400, ErrorCode.BAD_REQUEST))
                .isEqualTo("line 1: unknown field \"key\"; a line here has only key_base64, value_base64");
        assertThat(assertProblem(post(0, "/v0/batch-get", scanned), 400, ErrorCode.BAD_REQUEST))
                .isEqualTo("line 1: unknown field \"key\"; a line here has only key_base64");
    }

    @Test
    default void keysAndValuesOfALineAreChecked() {
        assertProblem(post(0, "/v0/batch-get", keyLine("")), 400, ErrorCode.KEY_INVALID);
        assertProblem(post(0, "/v0/batch-get", keyLine("a".repeat(4097))), 400, ErrorCode.KEY_INVALID);
        assertProblem(post(0, "/v0/batch-get", keyLine("a".repeat(100_000))), 400, ErrorCode.KEY_INVALID);
        assertThat(post(0, "/v0/batch-get", keyLine("a".repeat(4096))).statusCode())
                .isEqualTo(200);
        assertProblem(post(0, "/v0/batch-put", keyLine("valueless")), 400, ErrorCode.BAD_REQUEST);
        String twice = valueLine("twice", "1") + valueLine("twice", "2");
        assertProblem(post(0, "/v0/batch-put", twice), 400, ErrorCode.BAD_REQUEST);
        assertProblem(post(0, "/v0/batch-get", valueLine("a", "b")), 400, ErrorCode.BAD_REQUEST);
    }

    @Test
    default void aBatchHasAtMostTenThousandKeys() {
        StringBuilder keys = new StringBuilder();
        for (int i = 0; i < 10_000; i++) {
            keys.append(keyLine("few" + i));
        }
        assertThat(lines(post(0, "/v0/batch-get", keys.toString()))).isEmpty();
        assertProblem(post(0, "/v0/batch-get", keys + keyLine("many")), 400, ErrorCode.BATCH_TOO_LARGE);
    }

    @Test
    default void aBatchHasAtMost32MebibytesWhateverIsInIt() throws IOException {
        try (RawHttp raw = raw(0)) {
            raw.send("POST /v0/batch-put HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\n"
                    + "Content-Length: "
                    + ((32 << 20) + 1) + "\r\n\r\n");
            assertProblem(raw.read(), 400, ErrorCode.BATCH_TOO_LARGE);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/v0/batch-get", "/v0/batch-put"})
    default void parametersOfABatchAreChecked(String path) {
        String body = path.endsWith("get") ? keyLine("k") : valueLine("k", "v");
        assertProblem(post(0, path + "?ack=4&from=3", body), 400, ErrorCode.POLICY_INVALID);
        assertProblem(post(0, path + "?timeout=3600001", body), 400, ErrorCode.TIMEOUT_INVALID);
        assertProblem(post(0, path + "?id=k", body), 400, ErrorCode.BAD_REQUEST);
        assertProblem(post(0, path + "?ttl=0", body), 400, ErrorCode.TTL_INVALID);
        for (String method : new String[] {"GET", "PUT", "DELETE"}) {
            HttpResponse<byte[]> answer = send(0, method, path, new byte[0]);
            assertProblem(answer, 405, ErrorCode.METHOD_NOT_ALLOWED);
            assertThat(answer.headers().firstValue("Allow")).contains("POST, OPTIONS");
        }
    }
}
