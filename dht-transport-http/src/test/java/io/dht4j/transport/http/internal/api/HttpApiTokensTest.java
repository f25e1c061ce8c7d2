package io.dht4j.transport.http.internal.api;

import static io.dht4j.transport.http.fixture.HttpProblem.assertProblem;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.ErrorCode;
import io.dht4j.transport.http.HttpApi;
import io.dht4j.transport.http.HttpApiOptions;
import io.dht4j.transport.http.fixture.ApiNodes;
import io.dht4j.transport.http.fixture.RawHttp;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who may do what when the API has tokens, and that nobody learns what they are. */
@Timeout(60)
class HttpApiTokensTest {

    private static final String READ = "read-read-read-read-1";
    private static final String WRITE = "write-write-write-write-1";
    private static final String BOTH = "both-both-both-both-1";
    private static final String ADMIN = "admin-admin-admin-admin-1";
    private static final String STRANGE = "strange-strange-strange-1";

    @TempDir
    private static Path directory;

    private static Path file;
    private static ApiNodes nodes;

    @BeforeAll
    static void startNodes() throws IOException {
        file = directory.resolve("tokens");
        write(file, "read " + READ, "write " + WRITE, "read,write " + BOTH, "admin " + ADMIN);
        nodes = ApiNodes.agreed(HttpApiOptions.defaults().withTokens(file).withMaxValueBytes(1000));
    }

    @AfterAll
    static void stopNodes() {
        nodes.close();
    }

    private static void write(Path path, String... lines) throws IOException {
        Files.writeString(path, String.join("\n", lines) + "\n");
    }

    private static HttpResponse<byte[]> send(String method, String target, String... headers) {
        byte[] body = method.equals("PUT") ? "value".getBytes(UTF_8) : new byte[0];
        return nodes.send(0, method, target, body, headers);
    }

    private static String[] bearer(String token) {
        return new String[] {"Authorization", "Bearer " + token};
    }

    @ParameterizedTest
    @CsvSource({
        "GET, /v0/entity?id=k, read both admin",
        "PUT, /v0/entity?id=k, write both admin",
        "GET, /v0/atomic?map=m&id=k, read both admin",
        "PUT, /v0/atomic?map=m&id=k, write both admin",
        "DELETE, /v0/atomic?map=m&id=k, write both admin",
        "POST, /v0/atomic/add?map=m&id=added, write both admin",
        "POST, /v0/atomic/set?map=m&id=set&expected=0&number=0, write both admin",
        "POST, /v0/atomic/touch?map=m&id=k&ttl=1, write both admin",
        "DELETE, /v0/entity?id=k, write both admin",
        "GET, /v0/entities?start=a, read both admin",
        "GET, /v0/entities?start=a&scope=node, admin",
        "POST, /v0/snapshots?lease=1000, admin",
        "DELETE, /v0/snapshots?snapshot=5, admin",
        "GET, /v0/placement?id=k, read both admin",
        "GET, /v0/partitions, read both admin",
        "GET, /v0/status, read write both admin",
        "GET, /v0/slow-calls, read both admin",
        "GET, /v0/replicas?id=k, read both admin",
    })
    void eachRequestNeedsItsScope(String method, String target, String allowed) {
        String[][] tokens = {{"read", READ}, {"write", WRITE}, {"both", BOTH}, {"admin", ADMIN}};
        for (String[] token : tokens) {
            HttpResponse<byte[]> answer = send(method, target, bearer(token[1]));
            if ((" " + allowed + " ").contains(" " + token[0] + " ")) {
                assertThat(answer.statusCode()).as(token[0]).isIn(200, 201, 202, 204, 404);
            } else {
                assertProblem(answer, 403, ErrorCode.PERMISSION_DENIED);
                assertThat(new String(answer.body(), UTF_8)).doesNotContain(token[1]);
            }
        }
        HttpResponse<byte[]> strange = send(method, target, bearer(STRANGE));
        assertProblem(strange, 401, ErrorCode.UNAUTHENTICATED);
        assertThat(strange.headers().firstValue("WWW-Authenticate")).contains("Bearer realm=\"dht4j\"");
        assertThat(new String(strange.body(), UTF_8)).doesNotContain(STRANGE);
        HttpResponse<byte[]> none = send(method, target);
        assertProblem(none, 401, ErrorCode.UNAUTHENTICATED);
        assertThat(none.headers().firstValue("WWW-Authenticate")).contains("Bearer realm=\"dht4j\"");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Bearer",
                "Bearer ",
                "Basic " + ADMIN,
                ADMIN,
                "Bearer " + ADMIN + " ",
                "Bearer " + ADMIN + ", Bearer " + READ,
                "Bearer  " + ADMIN,
                "Bearer" + ADMIN,
                "Bearer " + ADMIN + "\u00e9"
            })
    void aMalformedHeaderIsNoToken(String header) throws IOException {
        try (RawHttp raw = new RawHttp(nodes.port(0))) {
            // A space at the end of a header does not belong to it.
            String shown = header.endsWith(" ") && header.length() > 8 ? header + "x" : header;
            raw.send("GET /v0/status HTTP/1.1\r\nHost: localhost\r\nAuthorization: " + shown + "\r\n\r\n");
            RawHttp.Answer answer = raw.read();
            assertProblem(answer, 401, ErrorCode.UNAUTHENTICATED);
        }
    }

    @Test
    void aDoubledHeaderIsNoToken() throws IOException {
        try (RawHttp raw = new RawHttp(nodes.port(0))) {
            String line = "Authorization: Bearer " + ADMIN + "\r\n";
            raw.send("GET /v0/status HTTP/1.1\r\nHost: localhost\r\n" + line + line + "\r\n");
            assertThat(raw.read().status()).isEqualTo(401);
            raw.send("GET /v0/status HTTP/1.1\r\nHost: localhost\r\nAuthorization: bearer " + ADMIN + "\r\n\r\n");
            assertThat(raw.read().status()).isEqualTo(200);
        }
    }

    @Test
    void aTokenIsAskedForBeforeAnythingElseIsLookedAt() throws IOException {
        assertProblem(send("GET", "/nowhere"), 401, ErrorCode.UNAUTHENTICATED);
        assertProblem(send("GET", "/nowhere", bearer(WRITE)), 400, ErrorCode.UNKNOWN_RESOURCE);
        assertProblem(send("POST", "/v0/entity"), 401, ErrorCode.UNAUTHENTICATED);
        assertProblem(send("POST", "/v0/entity", bearer(READ)), 405, ErrorCode.METHOD_NOT_ALLOWED);
        assertProblem(send("GET", "/v0/entity?ack=many"), 401, ErrorCode.UNAUTHENTICATED);
        try (RawHttp raw = new RawHttp(nodes.port(0))) {
            raw.send("PUT /v0/entity?id=k HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900\r\n"
                    + "Expect: 100-continue\r\n\r\n");
            assertThat(raw.read().status()).isEqualTo(401);
            assertThat(raw.isClosedByServer()).isTrue();
        }
    }

    @Test
    void theFileIsReadAgainWhenItChanges() throws IOException {
        Path changing = directory.resolve("changing");
        write(changing, "read " + READ);
        HttpApiOptions options = HttpApiOptions.defaults().withTokens(changing);
        try (ApiNodes own = ApiNodes.of(1, builder -> builder, options)) {
            assertThat(own.get(0, "/v0/status", bearer(READ)).statusCode()).isEqualTo(200);
            write(changing, "admin " + ADMIN, "# read " + READ);
            Awaitility.await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
                assertThat(own.get(0, "/v0/status", bearer(READ)).statusCode()).isEqualTo(401);
                assertThat(own.get(0, "/v0/status", bearer(ADMIN)).statusCode()).isEqualTo(200);
            });
        }
    }

    @Test
    void aMissingFileIsNamedAtStart() {
        HttpApiOptions options = HttpApiOptions.defaults().withTokens(directory.resolve("missing"));
        assertThatThrownBy(() -> HttpApi.listening("127.0.0.1", 0, nodes.cluster(0), options))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("missing");
    }

    @Test
    void peersNeedNoToken() {
        try (ApiNodes three = ApiNodes.three(HttpApiOptions.defaults().withTokens(file))) {
            assertThat(three.put(0, "/v0/entity?id=k&ack=3&from=3", "v".getBytes(UTF_8), bearer(WRITE))
                            .statusCode())
                    .isEqualTo(201);
        }
    }

    @Test
    void aTokenThatIsTakenBackEndsWhatGoesOnWithIt() throws IOException {
        Path changing = directory.resolve("changing");
        write(changing, "read " + READ, "write " + WRITE, "admin " + ADMIN);
        HttpApiOptions options = HttpApiOptions.defaults().withTokens(changing);
        int values = 50;
        byte[] value = new byte[400_000];
        try (ApiNodes own = ApiNodes.of(1, builder -> builder, options)) {
            for (int i = 0; i < values; i++) {
                assertThat(own.put(0, "/v0/entity?id=scanned" + i, value, bearer(ADMIN))
                                .statusCode())
                        .isEqualTo(201);
            }
            try (RawHttp scanning = new RawHttp(own.port(0), 4096);
                    RawHttp sending = new RawHttp(own.port(0))) {
                scanning.send("GET /v0/entities?start=s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + READ
                        + "\r\n\r\n");
                assertThat(scanning.line()).isEqualTo("HTTP/1.1 200 OK");
                sending.send("PUT /v0/entity?id=k HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + WRITE
                        + "\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
                assertThat(sending.read().status()).isEqualTo(100);

                write(changing, "admin " + ADMIN);

                // Without a byte from the client.
                assertProblem(sending.read(), 401, ErrorCode.UNAUTHENTICATED);
                assertThat(scanning.untilClosed().length()).isLessThan(values * value.length);
            }
            assertThat(own.get(0, "/v0/entity?id=k", bearer(ADMIN)).statusCode())
                    .isEqualTo(404);
        }
    }
}
