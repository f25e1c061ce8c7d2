package io.dht4j.transport.http.contract.api;

import static io.dht4j.transport.http.contract.api.HttpApiSuite.base64Url;
import static io.dht4j.transport.http.contract.api.HttpApiSuite.encode;
import static io.dht4j.transport.http.contract.api.HttpApiSuite.json;
import static io.dht4j.transport.http.contract.api.HttpApiSuite.lines;
import static io.dht4j.transport.http.contract.api.HttpApiSuite.unbase64;
import static io.dht4j.transport.http.contract.api.HttpApiSuite.versionOf;
import static io.dht4j.transport.http.fixture.HttpProblem.assertProblem;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.ErrorCode;
import io.dht4j.transport.http.fixture.Json;
import io.dht4j.transport.http.fixture.RawHttp;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Scans: ranges, order, limits, both formats, and invalid scans. */
interface ScanSuite extends HttpApiSuite {

    /** The prefix sorts after the keys of all tests and is used by no other test. */
    String PREFIX = "scan:";

    private static String[] keys() {
        return new String[] {"a", "ab", "b", "ba", "c", "é", "鍵"};
    }

    /** Writes the entries that the tests expect, before all of them. */
    default void writeEntriesToScan() {
        for (String key : keys()) {
            put(0, "/v0/entity?id=" + encode(PREFIX + key), "value of " + key);
        }
        put(1, "/v0/entity?id=scan:deleted", "gone");
        delete(2, "/v0/entity?id=scan:deleted");
    }

    private String scan(int node, String query, String... headers) {
        HttpResponse<byte[]> answer = get(node, "/v0/entities?" + query, headers);
        assertThat(answer.statusCode()).as(new String(answer.body(), UTF_8)).isEqualTo(200);
        if (answer.version() == HttpClient.Version.HTTP_1_1) {
            assertThat(answer.headers().firstValue("Transfer-Encoding")).contains("chunked");
        }
        return new String(answer.body(), UTF_8);
    }

    private static String entries(String... keys) {
        StringBuilder text = new StringBuilder();
        for (String key : keys) {
            text.append(PREFIX).append(key).append("\nvalue of ").append(key);
        }
        return text.toString();
    }

    @Test
    @Tag("core")
    default void aScanShowsEveryNodeTheSameEntriesInOrder() {
        for (int node = 0; node < 3; node++) {
            assertThat(scan(node, "start=scan:&end=scan;")).isEqualTo(entries(keys()));
        }
    }

    @Test
    default void startIsIncludedAndEndIsNot() {
        assertThat(scan(0, "start=scan:ab&end=scan:c")).isEqualTo(entries("ab", "b", "ba"));
        assertThat(scan(0, "start=scan:aa&end=scan:ba%00")).isEqualTo(entries("ab", "b", "ba"));
        assertThat(scan(0, "start=scan:%C3&end=scan:%FF")).isEqualTo(entries("é", "鍵"));
    }

    @Test
    default void boundsMayBeGivenInBase64() {
        String start = base64Url(PREFIX.getBytes(UTF_8));
        String end = base64Url((byte) 's', (byte) 'c', (byte) 'a', (byte) 'n', (byte) ':', (byte) 0xC3);
        assertThat(scan(0, "start_base64=" + start + "&end_base64=" + end))
                .isEqualTo(entries("a", "ab", "b", "ba", "c"));
        assertThat(scan(0, "start=scan:b&end_base64=" + end)).isEqualTo(entries("b", "ba", "c"));
        assertProblem(get(0, "/v0/entities?start=a&start_base64=" + start), 400, ErrorCode.SCAN_INVALID);
        assertProblem(get(0, "/v0/entities?start=b&end=a"), 400, ErrorCode.SCAN_INVALID);
        assertProblem(get(0, "/v0/entities?start=a&end=b&end_base64=" + end), 400, ErrorCode.SCAN_INVALID);
        for (String malformed : new String[] {"", "*", "YQ=", "YR", "Y", "YQ==YQ==", "%2B%2B%2B%2B", "a+a+"}) {
            assertProblem(get(0, "/v0/entities?start_base64=" + malformed), 400, ErrorCode.SCAN_INVALID);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"start=scan:b&end=scan:b", "start=%FF%FF%FF", "start=scan:deleted&end=scan:deletee"})
    default void aScanMayFindNothing(String query) {
        assertThat(scan(0, query)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 2", "7, 7", "8, 7", "999999999999999999, 7"})
    default void aLimitEndsTheScan(long limit, int expected) {
        String query = "start=scan:&end=scan;&limit=" + limit;
        assertThat(scan(1, query)).isEqualTo(entries(Arrays.copyOf(keys(), expected)));
        assertThat(scan(1, query, "Accept", "application/x-ndjson").lines().count())
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "16, 1", "17, 2", "1000, 7"})
    default void aNumberOfBytesEndsTheScanBehindTheEntryThatReachesIt(int bytes, int expected) {
        // The first entry has a key of six bytes and a value of ten.
        String query = "start=scan:&end=scan;&bytes=" + bytes;
        assertThat(scan(1, query)).isEqualTo(entries(Arrays.copyOf(keys(), expected)));
        assertThat(scan(1, query, "Accept", "application/x-ndjson").lines().count())
                .isEqualTo(expected);
    }

    @Test
    default void everyEntryIsAChunkOfItsOwn() throws IOException {
        try (RawHttp raw = raw(0)) {
            raw.send("GET /v0/entities?start=scan:&limit=2 HTTP/1.1\r\nHost: localhost\r\n\r\n");
            while (!raw.line().isEmpty()) {
                // Other tests cover the head.
            }
            assertThat(raw.chunk()).isEqualTo(entries("a").getBytes(UTF_8));
            assertThat(raw.chunk()).isEqualTo(entries("ab").getBytes(UTF_8));
            assertThat(raw.chunk()).isEmpty();
        }
    }

    @Test
    default void aNodesOwnEntriesAreThoseOfWhichItIsAReplica() {
        TreeSet<String> first = new TreeSet<>();
        for (int i = 0; i < 50; i++) {
            String key = "own" + i;
            put(i % 3, "/v0/entity?ack=1&from=1&id=" + key, "value of " + key);
            List<?> replicas = Json.list(json(get(0, "/v0/placement?id=" + key)), "replicas");
            if (replicas.get(0).equals("n2")) {
                first.add(key);
            }
        }
        String range = "start=own&end=owo&scope=";
        assertThat(keysOf(get(1, "/v0/entities?" + range + "node", "Accept", "application/x-ndjson")))
                .containsExactlyElementsOf(first);
        assertThat(keysOf(get(1, "/v0/entities?" + range + "cluster", "Accept", "application/x-ndjson")))
                .hasSize(50);
    }

    private static List<Object> keysOf(HttpResponse<byte[]> answer) {
        List<Object> keys = new ArrayList<>();
        lines(answer).forEach(line -> keys.add(line.get("key")));
        return keys;
    }

    @Test
    default void aLineOfJsonHoldsKeyValueVersionAndExpiry() {
        byte[] binary = {0, 10, 13, -1, 34};
        byte[] notText = {'j', 's', 'o', 'o', (byte) 0xFF};
        String version = versionOf(put(0, "/v0/entity?id=json%22%0Akey&ttl=3600000", binary));
        put(1, "/v0/entity?id_base64=" + base64Url(notText), new byte[0]);
        List<Map<String, Object>> lines = lines(
                get(2, "/v0/entities?start=json&end=jsop", "Accept", "text/plain;q=0.1, Application/X-NDJSON;q=1"));
        assertThat(lines).hasSize(2);
        Map<String, Object> first = lines.get(0);
        assertThat(first).containsEntry("key", "json\"\nkey").containsEntry("version", version);
        assertThat(unbase64(first, "key_base64")).isEqualTo("json\"\nkey".getBytes(UTF_8));
        assertThat(unbase64(first, "value_base64")).isEqualTo(binary);
        assertThat((Long) first.get("expires_at")).isGreaterThan(System.currentTimeMillis());
        Map<String, Object> second = lines.get(1);
        assertThat(second.keySet()).containsExactlyInAnyOrder("key_base64", "value_base64", "version");
        assertThat(unbase64(second, "key_base64")).isEqualTo(notText);
        assertThat(second).containsEntry("value_base64", "");
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
                "start=a&bytes=0",
                "start=a&bytes=many",
                "start=a&scope=all",
                "start=a&scope=",
                "start=a&scope=Node",
                "start=a&start=b",
                "start=a&end=b&end=b",
                "start=%zz",
                "start=a&end=%"
            })
    default void aMalformedScanIsRefused(String query) throws IOException {
        try (RawHttp raw = raw(0)) {
            raw.send("GET /v0/entities?" + query + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
            assertProblem(raw.read(), 400, ErrorCode.SCAN_INVALID);
        }
    }

    @Test
    default void aScanHasAPolicyAndATimeout() {
        assertThat(scan(0, "start=scan:&end=scan;&ack=3&from=3&timeout=60000")).isEqualTo(entries(keys()));
        assertProblem(get(0, "/v0/entities?start=a&ack=4&from=3"), 400, ErrorCode.POLICY_INVALID);
        assertProblem(get(0, "/v0/entities?start=a&timeout=0"), 400, ErrorCode.TIMEOUT_INVALID);
        assertProblem(get(0, "/v0/entities?start=a&ttl=1"), 400, ErrorCode.TTL_INVALID);
    }

    @Test
    default void aSnapshotShowsItsTimeOnEveryNode() {
        put(0, "/v0/entity?id=snapshot:a", "before");
        put(1, "/v0/entity?id=snapshot:b", "before");
        HttpResponse<byte[]> opened = send(0, "POST", "/v0/snapshots?lease=60000", new byte[0]);
        assertThat(opened.statusCode()).isEqualTo(201);
        String snapshot = "start=snapshot:&end=snapshot;&snapshot=" + versionOf(opened);
        put(2, "/v0/entity?id=snapshot:a", "after");
        delete(2, "/v0/entity?id=snapshot:b");
        put(2, "/v0/entity?id=snapshot:c", "after");

        for (int node = 0; node < 3; node++) {
            assertThat(scan(node, snapshot)).isEqualTo("snapshot:a\nbeforesnapshot:b\nbefore");
        }
        assertThat(delete(1, "/v0/snapshots?snapshot=" + versionOf(opened)).statusCode())
                .isEqualTo(202);
        for (int node = 0; node < 3; node++) {
            assertProblem(get(node, "/v0/entities?" + snapshot), 410, ErrorCode.SNAPSHOT_GONE);
        }
        assertThat(scan(0, "start=snapshot:&end=snapshot;")).isEqualTo("snapshot:a\naftersnapshot:c\nafter");
        delete(0, "/v0/entity?id=snapshot:a");
        delete(0, "/v0/entity?id=snapshot:c");
    }

    @Test
    default void aMalformedRequestForASnapshotIsRefused() {
        for (String lease : List.of("0", "999", "3600001", "soon")) {
            assertProblem(send(0, "POST", "/v0/snapshots?lease=" + lease, new byte[0]), 400, ErrorCode.BAD_REQUEST);
        }
        assertProblem(send(0, "POST", "/v0/snapshots", new byte[1]), 400, ErrorCode.BAD_REQUEST);
        for (String snapshot : List.of("", "-1", "x", "18446744073709551616")) {
            assertProblem(get(0, "/v0/entities?start=a&snapshot=" + snapshot), 400, ErrorCode.SCAN_INVALID);
            assertProblem(delete(0, "/v0/snapshots?snapshot=" + snapshot), 400, ErrorCode.SCAN_INVALID);
        }
        assertProblem(delete(0, "/v0/snapshots"), 400, ErrorCode.SCAN_INVALID);
        assertProblem(get(0, "/v0/entities?start=a&scope=node&snapshot=5"), 400, ErrorCode.SCAN_INVALID);
        assertProblem(get(0, "/v0/entities?start=a&snapshot=18446744073709551615"), 410, ErrorCode.SNAPSHOT_GONE);
        assertProblem(get(0, "/v0/snapshots"), 405, ErrorCode.METHOD_NOT_ALLOWED);
    }

    @Test
    default void aBoundHasAtMost4096Bytes() {
        assertThat(scan(0, "start=" + "%7f".repeat(4096) + "&end=" + "%7f".repeat(4096)))
                .isEmpty();
        assertProblem(get(0, "/v0/entities?start=" + "a".repeat(4097)), 400, ErrorCode.SCAN_INVALID);
        assertProblem(get(0, "/v0/entities?start=a&end=" + "a".repeat(4097)), 400, ErrorCode.SCAN_INVALID);
    }

    @Test
    default void aHttp10ClientGetsAScanThatEndsWithTheConnection() throws IOException {
        try (RawHttp raw = raw(0)) {
            raw.send("GET /v0/entities?start=scan:&limit=1 HTTP/1.0\r\n\r\n");
            while (!raw.line().isEmpty()) {
                // Only the body is relevant here.
            }
            String entry = entries("a");
            assertThat(new String(raw.exactly(entry.length()), UTF_8)).isEqualTo(entry);
            assertThat(raw.isClosedByServer()).isTrue();
        }
    }
}
