package io.dht4j.transport.http.internal.server;

import static io.dht4j.transport.http.fixture.HttpProblem.assertProblem;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.ErrorCode;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.FrameHandler;
import io.dht4j.transport.http.HttpApi;
import io.dht4j.transport.http.HttpApiOptions;
import io.dht4j.transport.http.HttpTransport;
import io.dht4j.transport.http.HttpTransportOptions;
import io.dht4j.transport.http.fixture.ApiNodes;
import io.dht4j.transport.http.fixture.RawHttp;
import io.dht4j.transport.http.fixture.RawHttp.Answer;
import io.dht4j.transport.http.fixture.RawHttp2;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What the pages of other sites can make a browser send to a node, on every path, and what they can do with answers.
 */
@Timeout(60)
class HttpBrowserGuardTest {

    private static final String TOKEN = "any-token-any-token-1";

    @TempDir
    private static Path directory;

    private static ApiNodes open;
    private static ApiNodes withTokens;

    @BeforeAll
    static void startNodes() throws IOException {
        Path tokens = Files.writeString(directory.resolve("tokens"), "read,write,admin " + TOKEN + "\n");
        open = ApiNodes.of(1, builder -> builder, HttpApiOptions.defaults().withPublicHost("kv.example"));
        withTokens =
                ApiNodes.of(1, builder -> builder, HttpApiOptions.defaults().withTokens(tokens));
    }

    @AfterAll
    static void stopNodes() {
        open.close();
        withTokens.close();
    }

    private static Answer frame(int port, String... headers) throws IOException {
        return ask(
                port,
                "POST /peer/v1/frame",
                String.join("\r\n", headers) + "\r\nDht-Deadline-Micros: 30000000\r\nContent-Length: 5\r\n\r\nframe");
    }

    private static Answer get(int port, String target, String... headers) throws IOException {
        return ask(port, "GET " + target, String.join("\r\n", headers) + "\r\n\r\n");
    }

    private static Answer ask(int port, String request, String rest) throws IOException {
        try (RawHttp raw = new RawHttp(port)) {
            return raw.send(request + " HTTP/1.1\r\n" + rest).read();
        }
    }

    private static int port(boolean tokens) {
        return (tokens ? withTokens : open).port(0);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aPageWhoseNameLeadsHereSendsNoFrames(boolean tokens) throws IOException {
        for (String host :
                List.of("rebound.example", "rebound.example:8080", "localhost.evil", "n1.evil", "127.0.0.1.evil")) {
            Answer refused = frame(port(tokens), "Host: " + host);
            assertThat(assertProblem(refused, 421, ErrorCode.BAD_REQUEST)).contains("public host");
            assertThat(refused.headers()).containsEntry("Dht-Outcome", "not-sent");
        }
    }

    @Test
    void theHostOfAWholeTargetCountsToo() throws IOException {
        int port = open.port(0);
        String rest = "Host: localhost\r\nDht-Deadline-Micros: 30000000\r\nContent-Length: 5\r\n\r\nframe";
        assertProblem(ask(port, "POST http://rebound.example/peer/v1/frame", rest), 421, ErrorCode.BAD_REQUEST);
        assertProblem(ask(port, "POST http://127.0.0.1@evil/peer/v1/frame", rest), 400, ErrorCode.BAD_REQUEST);
        assertThat(ask(port, "POST http://localhost:1/peer/v1/frame", rest).status())
                .isEqualTo(200);
        assertThat(get(port, "http://127.0.0.1/v0/status", "Host: localhost").status())
                .isEqualTo(200);
    }

    @ParameterizedTest
    @CsvSource({
        "Origin: http://evil.example",
        "Origin: http://localhost",
        "Origin: null",
        "Sec-Fetch-Site: cross-site",
        "Sec-Fetch-Site: same-site",
        "Sec-Fetch-Site: same-origin"
    })
    void noBrowserSendsFrames(String header) throws IOException {
        for (boolean tokens : new boolean[] {false, true}) {
            Answer refused = frame(port(tokens), "Host: localhost", header, "Sec-Dht-Peer: 1");
            assertThat(assertProblem(refused, 403, ErrorCode.PERMISSION_DENIED)).contains("browser");
            assertThat(refused.headers()).containsEntry("Dht-Outcome", "not-sent");
        }
    }

    @Test
    void noBrowserSendsFramesOverHttp2() throws IOException {
        try (RawHttp2 client = new RawHttp2(open.port(0))) {
            client.requestWithoutAuthority("POST", "/peer/v1/frame", true, ":authority", "rebound.example");
            assertThat(text(client)).contains("\"status\":421");
            client.request("POST", "/peer/v1/frame", true, "origin", "http://localhost");
            assertThat(text(client)).contains("\"status\":403");
            client.request("POST", "/peer/v1/frame", true);
            assertThat(text(client)).contains("Dht-Deadline-Micros must be");
        }
    }

    @Test
    void aRequestWithoutATargetIsRefusedOverHttp2() throws IOException {
        try (RawHttp2 client = new RawHttp2(open.port(0))) {
            client.connect("localhost:1");
            assertThat(text(client)).contains("\"status\":400", "UNKNOWN_RESOURCE");
            client.connect("rebound.example:1");
            assertThat(text(client)).contains("\"status\":421");
        }
    }

    /** Only IPv6 has zones: without this, a name that begins as an address or as localhost would be one. */
    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1%ab.evil.example", "localhost%ab.evil.example", "kv.example%ab.evil.example"})
    void aNameHasNoZone(String host) throws IOException {
        for (String target : List.of("/v0/status", "http://" + host + "/v0/status")) {
            assertProblem(get(open.port(0), target, "Host: " + host), 421, ErrorCode.BAD_REQUEST);
        }
        assertProblem(frame(open.port(0), "Host: " + host), 421, ErrorCode.BAD_REQUEST);
    }

    private static String text(RawHttp2 client) throws IOException {
        return new String(client.readUntil(RawHttp2.DATA).payload(), StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "localhost",
                "LOCALHOST.:1",
                "127.0.0.1:8080",
                "[::1]:8080",
                "[fe80::1%eth0]:7000",
                "192.0.2.7",
                "kv.example"
            })
    void aNodeThatDoesNotMarkItsRequestsCallsByAddressOrName(String host) throws IOException {
        assertThat(frame(open.port(0), "Host: " + host).status()).isEqualTo(200);
    }

    /** Aliases, headless services and NAT: what a peer calls this node is no page's choice. */
    @Test
    void aNodeCallsByAnyName() throws IOException {
        assertThat(frame(open.port(0), "Host: alias.example:7000", "Sec-Dht-Peer: 1")
                        .status())
                .isEqualTo(200);
    }

    @Test
    void theHostOfTheNodesOwnAddressInTheTopologyIsItsName() throws Exception {
        HttpTransportOptions options = HttpTransportOptions.at("127.0.0.1", 0).withPublicHost("Given.example");
        try (HttpTransport transport = HttpTransport.create(options)) {
            transport.endpoints(List.of(Node.of("n1", "One.example:7000"), Node.of("n2", "two.example:7000")));
            transport.start(new Named()).toCompletableFuture().get(30, TimeUnit.SECONDS);
            assertThat(frame(transport.port(), "Host: one.example:7000").status())
                    .isEqualTo(200);
            assertThat(frame(transport.port(), "Host: given.example").status()).isEqualTo(200);
            assertThat(frame(transport.port(), "Host: two.example:7000").status())
                    .isEqualTo(421);
            transport.endpoints(List.of(Node.of("n1", "moved.example:7000")));
            assertThat(frame(transport.port(), "Host: moved.example:7000").status())
                    .isEqualTo(200);
        }
    }

    private static final class Named implements FrameHandler {

        @Override
        public CompletionStage<byte[]> handle(byte[] request, CallContext context) {
            return CompletableFuture.completedFuture(request);
        }

        @Override
        public Optional<NodeId> self() {
            return Optional.of(new NodeId("n1"));
        }
    }

    @ParameterizedTest
    @CsvSource({"cross-site, 403", "same-site, 403", "same-origin, 200", "none, 200"})
    void pagesOfOtherSitesIncludeNothing(String site, int status) throws IOException {
        for (String target : List.of("/v0/status", "/v0/nodes?x", "/metrics", "/console/console.js", "/console")) {
            for (boolean tokens : new boolean[] {false, true}) {
                Answer answer = get(
                        port(tokens),
                        target,
                        "Host: localhost",
                        "Sec-Fetch-Site: " + site,
                        "Sec-Fetch-Mode: no-cors",
                        "Sec-Fetch-Dest: script",
                        "Authorization: Bearer " + TOKEN);
                if (status == 403) {
                    assertThat(assertProblem(answer, 403, ErrorCode.PERMISSION_DENIED))
                            .contains("Sec-Fetch-Site");
                } else {
                    assertThat(answer.status()).isIn(200, 400);
                }
            }
        }
    }

    @Test
    void aLinkOfAnotherSiteLeadsToTheConsoleAndToNothingElse() throws IOException {
        String[] link = {
            "Host: localhost", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"
        };
        assertThat(get(open.port(0), "/console", link).status()).isEqualTo(200);
        assertThat(get(open.port(0), "/v0/entity?id=k", link).status()).isEqualTo(403);
        link[3] = "Sec-Fetch-Dest: iframe";
        assertThat(get(open.port(0), "/console", link).status()).isEqualTo(403);
    }

    @Test
    void everyAnswerForbidsOtherSitesToUseIt() throws IOException {
        int port = open.port(0);
        String host = "Host: localhost";
        assertForbidsUse(200, get(port, "/v0/status", host));
        assertForbidsUse(201, ask(port, "PUT /v0/entity?id=js", host + "\r\nContent-Length: 1\r\n\r\nx"));
        assertForbidsUse(200, get(port, "/v0/entity?id=js", host));
        assertForbidsUse(404, get(port, "/v0/entity?id=absent", host));
        assertForbidsUse(200, get(port, "/v0/entities?start=a", host));
        assertForbidsUse(400, get(port, "/nothing", host));
        assertForbidsUse(400, get(port, "/metrics", host));
        assertForbidsUse(200, get(port, "/livez", host));
        assertForbidsUse(200, get(port, "/readyz", host));
        assertForbidsUse(200, get(port, "/console", host));
        assertForbidsUse(308, get(port, "/console/", host));
        assertForbidsUse(405, ask(port, "POST /v0/status", host + "\r\nContent-Length: 0\r\n\r\n"));
        assertForbidsUse(421, get(port, "/v0/status", "Host: evil.example"));
        assertForbidsUse(403, get(port, "/v0/status", host, "Origin: http://evil.example"));
        assertForbidsUse(401, get(withTokens.port(0), "/v0/status", host));
        assertForbidsUse(405, get(port, "/peer/v1/frame", host));
        assertForbidsUse(421, frame(port, "Host: evil.example"));
        // The decoder, and the rules before any handler.
        assertForbidsUse(400, get(port, "/v0/status", host, "Long: " + "x".repeat(20_000)));
        assertForbidsUse(400, get(port, "/v0/status", host, host));
        assertForbidsUse(417, get(port, "/v0/status", host, "Expect: much"));
        assertForbidsUse(501, get(port, "/v0/status", host, "Transfer-Encoding: gzip"));
        try (RawHttp raw = new RawHttp(port)) {
            assertForbidsUse(505, raw.send("PRI * HTTP/2.0\r\n\r\nno\r\n\r\n").read());
        }
    }

    @Test
    void aNodeThatDoesNotServeYetForbidsItToo() throws Exception {
        try (HttpTransport transport = HttpTransport.create(HttpTransportOptions.at("127.0.0.1", 0))) {
            transport.start(new Named()).toCompletableFuture().get(30, TimeUnit.SECONDS);
            assertForbidsUse(503, get(transport.port(), "/v0/status", "Host: localhost"));
        }
        HttpApi api = HttpApi.listening("127.0.0.1", 0, open.cluster(0), HttpApiOptions.defaults());
        try (api) {
            assertForbidsUse(421, frame(api.port(), "Host: evil.example"));
        }
    }

    private static void assertForbidsUse(int status, Answer answer) {
        assertThat(answer.status()).as(answer.text()).isEqualTo(status);
        assertThat(answer.headers())
                .containsEntry("X-Content-Type-Options", "nosniff")
                .containsEntry("Cross-Origin-Resource-Policy", "same-origin");
    }
}
