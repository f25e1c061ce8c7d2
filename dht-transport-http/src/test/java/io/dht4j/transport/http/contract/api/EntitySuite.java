package io.dht4j.transport.http.contract.api;

import static io.dht4j.transport.http.contract.api.HttpApiSuite.base64Url;
import static io.dht4j.transport.http.contract.api.HttpApiSuite.encode;
import static io.dht4j.transport.http.fixture.HttpProblem.assertProblem;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.ErrorCode;
import io.dht4j.Version;
import io.dht4j.transport.http.fixture.Json;
import io.dht4j.transport.http.fixture.RawHttp;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Random;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Single keys: values, versions, keys of all kinds, policies, times to live, and invalid requests. */
interface EntitySuite extends HttpApiSuite {

    @Test
    @Tag("core")
    default void aValueIsReadFromEveryNodeAsItWasWritten() {
        HttpResponse<byte[]> written = put(0, "/v0/entity?id=everywhere", "value");
        assertThat(written.statusCode()).isEqualTo(201);
        assertThat(written.body()).isEmpty();
        for (int node = 0; node < 3; node++) {
            HttpResponse<byte[]> read = get(node, "/v0/entity?id=everywhere");
            assertThat(read.statusCode()).isEqualTo(200);
            assertThat(read.body()).isEqualTo("value".getBytes(UTF_8));
            assertThat(read.headers().firstValue("Content-Type")).contains("application/octet-stream");
            assertThat(read.headers().firstValue("Dht-Version"))
                    .isEqualTo(written.headers().firstValue("Dht-Version"))
                    .isPresent();
        }
    }

    @Test
    default void theVersionGrowsWithEveryWrite() {
        Version first = version(put(0, "/v0/entity?id=growing", "1"));
        Version second = version(put(1, "/v0/entity?id=growing", "2"));
        Version third = version(delete(2, "/v0/entity?id=growing"));
        assertThat(second).isGreaterThan(first);
        assertThat(third).isGreaterThan(second);
    }

    private static Version version(HttpResponse<byte[]> answer) {
        return new Version(Long.parseUnsignedLong(
                answer.headers().firstValue("Dht-Version").orElseThrow()));
    }

    @Test
    default void anAbsentKeyIsNotFound() {
        HttpResponse<byte[]> answer = get(0, "/v0/entity?id=never-written");
        assertThat(answer.statusCode()).isEqualTo(404);
        assertThat(answer.headers().firstValue("Content-Type")).contains("application/problem+json");
        assertThat(Json.object(answer.body())).containsEntry("status", 404L).doesNotContainKey("code");
    }

    @Test
    @Tag("core")
    default void aDeletedKeyIsNotFoundAndMayBeWrittenAgain() {
        put(0, "/v0/entity?id=deleted", "value");
        HttpResponse<byte[]> deleted = delete(1, "/v0/entity?id=deleted");
        assertThat(deleted.statusCode()).isEqualTo(202);
        assertThat(deleted.body()).isEmpty();
        assertThat(get(2, "/v0/entity?id=deleted").statusCode()).isEqualTo(404);
        put(2, "/v0/entity?id=deleted", "again");
        assertThat(get(0, "/v0/entity?id=deleted").body()).isEqualTo("again".getBytes(UTF_8));
    }

    @Test
    default void anAbsentKeyMayBeDeleted() {
        assertThat(delete(0, "/v0/entity?id=nothing-there").statusCode()).isEqualTo(202);
    }

    @Test
    default void anExpiredKeyIsNotFound() {
        assertThat(put(0, "/v0/entity?id=brief&ttl=1", "value").statusCode()).isEqualTo(201);
        Awaitility.await()
                .atMost(Duration.ofSeconds(10))
                .until(() -> get(1, "/v0/entity?id=brief").statusCode() == 404);
        assertThat(put(0, "/v0/entity?id=long&ttl=3600000", "value").statusCode())
                .isEqualTo(201);
        assertThat(get(1, "/v0/entity?id=long").statusCode()).isEqualTo(200);
    }

    @ParameterizedTest
    @Tag("core")
    @ValueSource(ints = {0, 1, 4096, 5000, 65_536, 65_537, 1_000_003, 16 << 20})
    default void valuesOfAllSizesAreBinarySafe(int size) {
        byte[] value = new byte[size];
        new Random(size).nextBytes(value);
        assertThat(put(0, "/v0/entity?id=size" + size, value).statusCode()).isEqualTo(201);
        HttpResponse<byte[]> read = get(1, "/v0/entity?id=size" + size);
        assertThat(read.statusCode()).isEqualTo(200);
        assertThat(read.body()).isEqualTo(value);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {" ", "a b", "a+b", "a&b=c", "key/with?all#of%it", "\n\r\t\0", "ключ", "鍵", "😀", "\uFFFD", "é"})
    default void keysAreAnyTextPercentEncoded(String key) {
        String target = "/v0/entity?id=" + encode(key);
        assertThat(put(0, target, "of " + key).statusCode()).isEqualTo(201);
        assertThat(get(1, target).body()).isEqualTo(("of " + key).getBytes(UTF_8));
        String same = "/v0/entity?id_base64=" + base64Url(key.getBytes(UTF_8));
        assertThat(get(2, same).body()).isEqualTo(("of " + key).getBytes(UTF_8));
    }

    @Test
    default void aPlusIsASpaceAndAnEncodedPlusIsAPlus() {
        put(0, "/v0/entity?id=plus+sign", "space");
        put(0, "/v0/entity?id=plus%2Bsign", "plus");
        assertThat(get(0, "/v0/entity?id=plus%20sign").body()).isEqualTo("space".getBytes(UTF_8));
        assertThat(get(0, "/v0/entity?id=plus%2bsign").body()).isEqualTo("plus".getBytes(UTF_8));
    }

    @Test
    default void aKeyHasUpTo4096BytesHoweverItIsEncoded() {
        String longest = "/v0/entity?id=" + "%F0%9F%98%80".repeat(1024);
        assertThat(put(0, longest, "long").statusCode()).isEqualTo(201);
        assertThat(get(1, longest).body()).isEqualTo("long".getBytes(UTF_8));
        assertProblem(get(0, longest + "a"), 400, ErrorCode.KEY_INVALID);
        assertProblem(get(0, "/v0/entity?id=" + "a".repeat(4097)), 400, ErrorCode.KEY_INVALID);
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "PUT", "DELETE"})
    default void aKeyIsRequired(String method) {
        byte[] body = method.equals("PUT") ? "value".getBytes(UTF_8) : new byte[0];
        for (String target :
                new String[] {"/v0/entity", "/v0/entity?", "/v0/entity?id", "/v0/entity?id=", "/v0/entity?ack=1&from=2"
                }) {
            assertProblem(send(0, method, target, body), 400, ErrorCode.KEY_INVALID);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"id=%80", "id=%C3%28", "id=%ED%A0%80", "id=a&id=a", "id=&id=a"})
    default void aKeyMustBeWellFormedAndStandOnce(String query) {
        assertProblem(get(0, "/v0/entity?" + query), 400, ErrorCode.KEY_INVALID);
        assertProblem(put(0, "/v0/entity?" + query, "v"), 400, ErrorCode.KEY_INVALID);
        assertProblem(delete(0, "/v0/entity?" + query), 400, ErrorCode.KEY_INVALID);
    }

    @ParameterizedTest
    @ValueSource(strings = {"id=%", "id=%4", "id=a%4", "id=%zz", "id=%4x", "id=%+1", "id=\u00e9", "id=%\uff11\uff11"})
    default void malformedPercentEncodingIsRefused(String query) throws Exception {
        try (RawHttp raw = raw(0)) {
            raw.send(("GET /v0/entity?" + query + " HTTP/1.1\r\nHost: localhost\r\n\r\n").getBytes(UTF_8));
            RawHttp.Answer answer = raw.read();
            assertProblem(answer, 400, ErrorCode.KEY_INVALID);
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
    default void aPolicyOutOfRangeIsRefused(String policy) {
        assertProblem(get(0, "/v0/entity?id=k&" + policy), 400, ErrorCode.POLICY_INVALID);
        assertProblem(put(0, "/v0/entity?id=k&" + policy, "v"), 400, ErrorCode.POLICY_INVALID);
        assertProblem(delete(0, "/v0/entity?id=k&" + policy), 400, ErrorCode.POLICY_INVALID);
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
    default void aPolicyInRangeIsUsed(String policy) {
        // A separate key for each policy: within a millisecond an earlier delete on another node may be newer than a
        // write.
        String id = "policy" + policy.replaceAll("\\W", "-");
        String target = "/v0/entity?id=" + id + "&" + policy;
        assertThat(put(0, target, policy).statusCode()).isEqualTo(201);
        assertThat(get(1, "/v0/entity?id=" + id + "&ack=3&from=3").body()).isEqualTo(policy.getBytes(UTF_8));
        assertThat(delete(2, target).statusCode()).isEqualTo(202);
    }

    @ParameterizedTest
    @ValueSource(strings = {"ordering=real-time", "ordering=linearizable", "ordering=linearizable&ack=2&from=2"})
    default void anOrderingIsUsed(String ordering) {
        String target = "/v0/entity?id=order" + ordering.replaceAll("\\W", "-") + "&" + ordering;
        assertThat(put(0, target, ordering).statusCode()).isEqualTo(201);
        assertThat(get(1, target).body()).isEqualTo(ordering.getBytes(UTF_8));
        assertThat(delete(2, target).statusCode()).isEqualTo(202);
        assertThat(get(0, target).statusCode()).isEqualTo(404);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"ordering=", "ordering=LINEARIZABLE", "ordering=none", "ordering=real-time&ordering=real-time"})
    default void anUnknownOrderingIsRefused(String ordering) {
        assertProblem(get(0, "/v0/entity?id=k&" + ordering), 400, ErrorCode.BAD_REQUEST);
        assertProblem(put(0, "/v0/entity?id=k&" + ordering, "v"), 400, ErrorCode.BAD_REQUEST);
        assertProblem(delete(0, "/v0/entity?id=k&" + ordering), 400, ErrorCode.BAD_REQUEST);
    }

    @Test
    default void aLinearizableCallNeedsAMajority() {
        String target = "/v0/entity?id=k&ordering=linearizable&ack=1&from=2";
        assertProblem(get(0, target), 400, ErrorCode.POLICY_INVALID);
        assertProblem(put(0, target, "v"), 400, ErrorCode.POLICY_INVALID);
        assertProblem(delete(0, target), 400, ErrorCode.POLICY_INVALID);
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
    default void aTimeToLiveOutOfRangeIsRefused(String ttl) {
        assertProblem(put(0, "/v0/entity?id=k&" + ttl, "v"), 400, ErrorCode.TTL_INVALID);
    }

    @Test
    default void aTimeToLiveIsForWritesOnly() {
        assertThat(put(0, "/v0/entity?id=k&ttl=31536000000000", "v").statusCode())
                .isEqualTo(201);
        assertProblem(get(0, "/v0/entity?id=k&ttl=1000"), 400, ErrorCode.TTL_INVALID);
        assertProblem(delete(0, "/v0/entity?id=k&ttl=1000"), 400, ErrorCode.TTL_INVALID);
    }

    @Test
    default void anUnknownParameterIsRefused() {
        assertProblem(get(0, "/v0/entity?id=k&akc=1"), 400, ErrorCode.BAD_REQUEST);
        assertProblem(get(0, "/v0/entity?id=k&%69d=k"), 400, ErrorCode.BAD_REQUEST);
        assertProblem(get(0, "/v0/status?id=k"), 400, ErrorCode.BAD_REQUEST);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"/v0/entity?id=k", "/v0/entity", "/v0/entities?start=a", "/v0/placement?id=k", "/v0/status"})
    default void anyOtherMethodIsNotAllowed(String target) {
        for (String method : new String[] {"POST", "PATCH", "PROPFIND", "get"}) {
            HttpResponse<byte[]> answer =
                    send(0, method, target, method.equals("POST") ? "body".getBytes(UTF_8) : new byte[0]);
            assertThat(answer.statusCode()).as(method).isEqualTo(405);
            assertThat(answer.headers().firstValue("Allow"))
                    .contains(
                            target.startsWith("/v0/entity") ? "GET, HEAD, PUT, DELETE, OPTIONS" : "GET, HEAD, OPTIONS");
            assertProblem(answer, 405, ErrorCode.METHOD_NOT_ALLOWED);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
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
    default void anyOtherPathIsABadRequest(String target) {
        for (String method : new String[] {"GET", "PUT", "DELETE", "POST"}) {
            byte[] body = method.startsWith("P") ? "value".getBytes(UTF_8) : new byte[0];
            assertProblem(send(0, method, target, body), 400, ErrorCode.UNKNOWN_RESOURCE);
        }
    }

    @Test
    default void aKeyMayBeGivenInBase64AndBeAnyBytes() {
        byte[][] keys = {{0}, {(byte) 0xFF}, {(byte) 0xC3, '('}, "text".getBytes(UTF_8), new byte[4096]};
        for (byte[] key : keys) {
            String id = base64Url(key);
            String padded = id + "=".repeat((4 - id.length() % 4) % 4);
            assertThat(put(0, "/v0/entity?id_base64=" + id, "of " + id).statusCode())
                    .isEqualTo(201);
            assertThat(get(1, "/v0/entity?id_base64=" + padded).body()).isEqualTo(("of " + id).getBytes(UTF_8));
        }
        assertThat(get(2, "/v0/entity?id=text").statusCode()).isEqualTo(200);
        assertThat(delete(2, "/v0/entity?id_base64=_w").statusCode()).isEqualTo(202);
        assertThat(get(0, "/v0/entity?id_base64=_w==").statusCode()).isEqualTo(404);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "id_base64=",
                "id_base64",
                "id_base64=%2Fw",
                "id_base64=+w",
                "id_base64=_",
                "id_base64=_w=",
                "id_base64=_x",
                "id_base64=_w==_w==",
                "id_base64=%20_w",
                "id_base64=_w&id_base64=_w",
                "id=a&id_base64=YQ"
            })
    default void malformedBase64IsRefused(String query) {
        assertProblem(get(0, "/v0/entity?" + query), 400, ErrorCode.KEY_INVALID);
        assertProblem(put(0, "/v0/entity?" + query, "v"), 400, ErrorCode.KEY_INVALID);
        assertProblem(delete(0, "/v0/entity?" + query), 400, ErrorCode.KEY_INVALID);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "3600001", "", "1s", "1.5", "1&timeout=1"})
    default void aTimeoutOutOfRangeIsRefused(String timeout) {
        assertProblem(get(0, "/v0/entity?id=k&timeout=" + timeout), 400, ErrorCode.TIMEOUT_INVALID);
        assertProblem(put(0, "/v0/entity?id=k&timeout=" + timeout, "v"), 400, ErrorCode.TIMEOUT_INVALID);
        assertProblem(delete(0, "/v0/entity?id=k&timeout=" + timeout), 400, ErrorCode.TIMEOUT_INVALID);
    }

    @Test
    default void aTimeoutInRangeIsTaken() {
        assertThat(put(0, "/v0/entity?id=patient&timeout=3600000", "v").statusCode())
                .isEqualTo(201);
        assertThat(get(1, "/v0/entity?id=patient&timeout=60000").statusCode()).isEqualTo(200);
        assertThat(delete(2, "/v0/entity?id=patient&timeout=60000").statusCode())
                .isEqualTo(202);
    }

    @Test
    default void aValueThatExpiresReportsWhen() {
        put(0, "/v0/entity?id=expiring&ttl=3600000", "v");
        HttpResponse<byte[]> read = get(1, "/v0/entity?id=expiring");
        assertThat(Long.parseLong(read.headers().firstValue("Dht-Expires-At").orElseThrow()))
                .isGreaterThan(System.currentTimeMillis());
        put(0, "/v0/entity?id=lasting", "v");
        assertThat(get(1, "/v0/entity?id=lasting").headers().firstValue("Dht-Expires-At"))
                .isEmpty();
    }
}
