package io.dht4j.server.fuzz;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Requests of the public HTTP API, most of them with something odd in them, all of them complete: each must be
 * answered.
 */
final class HttpRequests {

    private static final List<String> METHODS =
            List.of("GET", "GET", "GET", "PUT", "PUT", "DELETE", "POST", "POST", "PATCH", "OPTIONS", "QUERY");
    private static final List<String> PATHS = List.of(
            "/v0/entity",
            "/v0/entity",
            "/v0/entity",
            "/v0/entities",
            "/v0/batch-get",
            "/v0/batch-put",
            "/v0/placement",
            "/v0/status",
            "/livez",
            "/readyz",
            "/v0",
            "/",
            "/v0/entity/",
            "/v0//entity",
            "/v0/../v0/entity",
            "/peer/v1/frame",
            "/%2e%2e/etc/passwd",
            "/v0/entity%00");
    private static final List<String> NAMES = List.of(
            "id",
            "id_base64",
            "ack",
            "from",
            "ttl",
            "timeout",
            "replicas",
            "start",
            "start_base64",
            "end",
            "end_base64",
            "limit",
            "bytes",
            "scope",
            "Id",
            "",
            "unknown");
    private static final List<String> VALUES = List.of(
            "key",
            "a+b",
            "%61",
            "%C3%A9",
            "%FF",
            "%C0%80",
            "%",
            "%z1",
            "AA",
            "AP_-",
            "A",
            "=",
            "",
            "0",
            "1",
            "2",
            "3",
            "-1",
            "+1",
            "01",
            "1.5",
            "1e3",
            "2147483648",
            "9223372036854775807",
            "99999999999999999999",
            "cluster",
            "node",
            "NODE",
            "%00",
            "a%0Ab",
            "%EF%BB%BF",
            "'\"",
            "{}",
            "x".repeat(4_096),
            "x".repeat(4_097));
    private static final List<String> LINES = List.of(
            "{\"key_base64\":\"YQ==\"}",
            "{\"key_base64\":\"YQ==\",\"value_base64\":\"b25l\"}",
            "{\"key_base64\":\"Yg==\",\"value_base64\":\"\"}",
            "{\"key_base64\":\"\"}",
            "{\"key_base64\":1}",
            "{\"key_base64\":\"YQ==\",\"key_base64\":\"Yg==\"}",
            "{\"key_base64\":\"not base64\"}",
            "{\"key_base64\":null,\"value_base64\":[]}",
            "{",
            "[]",
            "\"",
            "",
            "[".repeat(2_000),
            "{\"a\":".repeat(500));
    private static final List<String> HEADERS = List.of(
            "Accept: application/x-ndjson",
            "Accept: */*;q=0, nothing",
            "Content-Type: text/html; charset=nonsense",
            "Content-Type: application/x-ndjson",
            "Content-Type: application/x-ndjson",
            "Origin: http://evil.example",
            "Origin: null",
            "Host: other",
            "Expect: 200-maybe",
            "Authorization: Bearer what",
            "Authorization: Basic",
            "X-Long: " + "y".repeat(6_000),
            "Range: bytes=0-1",
            "If-Match: *",
            "Accept-Encoding: gzip, br",
            "Dht-Version: 1");

    private HttpRequests() {}

    /** A complete request after which the server is to close the connection. */
    static byte[] next(SplittableRandom random) {
        StringBuilder head = new StringBuilder();
        String method = Mutation.one(METHODS, random);
        head.append(method)
                .append(' ')
                .append(target(random))
                .append(" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
        for (int headers = random.nextInt(3); headers > 0; headers--) {
            head.append(Mutation.one(HEADERS, random)).append("\r\n");
        }
        byte[] body = body(random);
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        if (body.length == 0 && random.nextBoolean()) {
            all.writeBytes(bytes(head + "\r\n"));
        } else if (random.nextInt(4) == 0) {
            all.writeBytes(bytes(head + "Transfer-Encoding: chunked\r\n\r\n"));
            if (body.length > 0) {
                all.writeBytes(bytes(Integer.toHexString(body.length) + "\r\n"));
                all.writeBytes(body);
                all.writeBytes(bytes("\r\n"));
            }
            all.writeBytes(bytes("0\r\n\r\n"));
        } else {
            all.writeBytes(bytes(head + "Content-Length: " + body.length + "\r\n\r\n"));
            all.writeBytes(body);
        }
        return all.toByteArray();
    }

    private static String target(SplittableRandom random) {
        StringBuilder target = new StringBuilder(Mutation.one(PATHS, random));
        // Most have a key, or little would get any further than that.
        target.append(random.nextInt(5) > 0 ? "?id=key" + random.nextInt(20) : "?");
        for (int parameters = random.nextInt(4); parameters > 0; parameters--) {
            target.append('&').append(Mutation.one(NAMES, random));
            if (random.nextInt(10) > 0) {
                target.append('=').append(Mutation.one(VALUES, random));
            }
        }
        return target.toString();
    }

    private static byte[] body(SplittableRandom random) {
        switch (random.nextInt(4)) {
            case 0 -> {
                return new byte[0];
            }
            case 1 -> {
                return Mutation.noise(random, 3_000);
            }
            default -> {
                StringBuilder lines = new StringBuilder();
                for (int count = random.nextInt(4); count >= 0; count--) {
                    lines.append(Mutation.one(LINES, random)).append('\n');
                }
                byte[] good = bytes(lines.toString());
                return random.nextInt(3) == 0 ? Mutation.of(List.of(good), random) : good;
            }
        }
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }
}
