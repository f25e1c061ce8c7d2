package io.dht4j.transport.http.internal.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.transport.http.HttpApiOptions;
import io.dht4j.transport.http.fixture.ApiNodes;
import io.dht4j.transport.http.fixture.RawHttp2;
import io.dht4j.transport.http.internal.peer.PeerProtocol;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.StreamHandler;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What costs a client of HTTP/2 nothing, and the server something. */
@Timeout(60)
class HttpFloodTest {

    /** More streams than a client may reset. */
    private static final int TOO_MANY = 6_400;

    private static final long ENHANCE_YOUR_CALM = 11;

    private static ApiNodes nodes;

    @BeforeAll
    static void startNodes() {
        nodes = ApiNodes.of(1, builder -> builder, HttpApiOptions.defaults());
    }

    @AfterAll
    static void stopNodes() {
        nodes.close();
    }

    private interface Step {
        void send(RawHttp2 client) throws IOException;
    }

    private static void flood(RawHttp2 client, int times, Step step) throws IOException {
        try {
            for (int i = 0; i < times; i++) {
                step.send(client);
            }
        } catch (SocketException closed) {
            // By the server, which is what is asked for; what it has said before is still to be read.
            assertThat(closed).hasMessageMatching("(?i).*(broken pipe|reset|abort).*");
        }
    }

    private static void beginAndReset(RawHttp2 client) throws IOException {
        client.reset(client.request("PUT", "/v0/entity?id=reset", false));
    }

    @Test
    void streamsThatAreResetOverAndOverEndTheConnection() throws IOException {
        try (RawHttp2 client = new RawHttp2(nodes.port(0))) {
            flood(client, TOO_MANY, HttpFloodTest::beginAndReset);
            assertThat(client.untilClosed()).hasValue(ENHANCE_YOUR_CALM);
        }
    }

    /** Window increments that are errors, on which the server has to reset the stream. */
    @ParameterizedTest
    @ValueSource(ints = {0, Integer.MAX_VALUE})
    void errorsThatMakeTheServerResetStreamsEndTheConnection(int increment) throws Exception {
        try (RawHttp2 client = new RawHttp2(nodes.port(0))) {
            // The server stops reading from a client that takes no answers.
            CompletableFuture<OptionalLong> goodbye = CompletableFuture.supplyAsync(() -> {
                try {
                    return client.untilClosed();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            flood(
                    client,
                    TOO_MANY,
                    raw -> raw.windowUpdate(raw.request("PUT", "/v0/entity?id=reset", false), increment));
            // A reset of the system, for what the server has not read, may overtake what the server says.
            assertThat(goodbye.get(30, TimeUnit.SECONDS).orElse(ENHANCE_YOUR_CALM))
                    .isEqualTo(ENHANCE_YOUR_CALM);
        }
    }

    @Test
    void pingsWithoutEndEndTheConnection() throws IOException {
        try (RawHttp2 client = new RawHttp2(nodes.port(0))) {
            flood(client, 400, RawHttp2::ping);
            assertThat(client.untilClosed()).hasValue(ENHANCE_YOUR_CALM);
        }
    }

    @Test
    void settingsWithoutEndEndTheConnection() throws IOException {
        try (RawHttp2 client = new RawHttp2(nodes.port(0))) {
            flood(client, 100, RawHttp2::settings);
            assertThat(client.untilClosed()).hasValue(ENHANCE_YOUR_CALM);
        }
    }

    @Test
    void anUnknownExpectationFails() throws IOException {
        try (RawHttp2 client = new RawHttp2(nodes.port(0))) {
            client.request("PUT", "/v0/entity?id=expected", false, "expect", "200-ok");
            String body = new String(client.readUntil(RawHttp2.DATA).payload(), StandardCharsets.UTF_8);
            assertThat(body).contains("\"status\":417");
        }
        assertThat(nodes.get(0, "/v0/entity?id=expected").statusCode()).isEqualTo(404);
    }

    @Test
    void aSecondHostIsRefused() throws IOException {
        try (RawHttp2 client = new RawHttp2(nodes.port(0))) {
            int refused =
                    client.requestWithoutAuthority("GET", "/livez", true, "host", "localhost", "host", "other.example");
            RawHttp2.Frame reset = client.readUntil(RawHttp2.RST_STREAM);
            assertThat(reset.stream()).isEqualTo(refused);
            assertThat(reset.payload()).containsExactly(0, 0, 0, 1);

            int taken = client.requestWithoutAuthority("GET", "/livez", true, "host", "localhost");
            assertThat(client.readUntil(RawHttp2.DATA).stream()).isEqualTo(taken);
        }
    }

    /** Requests whose streams are reset before the server's library knows them, and then the end of the connection. */
    @ParameterizedTest
    @ValueSource(strings = {"host", "authority"})
    void malformedRequestsLeaveNoStackTraceInTheLog(String malformed) throws IOException {
        Queue<String> failures = new ConcurrentLinkedQueue<>();
        Handler log = new StreamHandler() {
            @Override
            public synchronized void publish(LogRecord entry) {
                if (entry.getThrown() instanceof RuntimeException) {
                    failures.add(entry.getLoggerName() + ": " + entry.getThrown());
                }
            }
        };
        Logger root = Logger.getLogger("");
        root.addHandler(log);
        try (RawHttp2 client = new RawHttp2(nodes.port(0))) {
            client.readUntil(RawHttp2.SETTINGS);
            client.hold();
            for (int i = 0; i < 3; i++) {
                if (malformed.equals("host")) {
                    client.requestWithoutAuthority("GET", "/livez", true, "host", "localhost", "host", "other.example");
                } else {
                    client.requestWithoutAuthority("GET", "/livez", true, ":authority", "a b");
                }
            }
            // An error of the connection: no stream has the number 0.
            client.body(0, new byte[1]);
            client.flush();
            client.untilClosed();
            awaitEventLoops();
        } finally {
            root.removeHandler(log);
        }
        assertThat(failures).isEmpty();
    }

    /** Lets each event loop end the task in which it closes a connection: connections go to the loops in turn. */
    private static void awaitEventLoops() throws IOException {
        for (int i = 0; i < 2 * Runtime.getRuntime().availableProcessors(); i++) {
            try (RawHttp2 next = new RawHttp2(nodes.port(0))) {
                next.request("GET", "/livez", true);
                assertThat(next.readUntil(RawHttp2.DATA).payload()).isNotEmpty();
            }
        }
    }

    @Test
    void aFewAreEverydayMatters() throws IOException {
        try (RawHttp2 client = new RawHttp2(nodes.port(0))) {
            // A proxy gives up the calls of all its users on one connection.
            flood(client, 1_000, HttpFloodTest::beginAndReset);
            flood(client, 100, RawHttp2::ping);
            flood(client, 20, RawHttp2::settings);
            int stream = client.request("GET", "/livez", true);
            RawHttp2.Frame body = client.readUntil(RawHttp2.DATA);
            assertThat(body.stream()).isEqualTo(stream);
            assertThat(new String(body.payload(), StandardCharsets.UTF_8)).isEqualTo("alive\n");
        }
    }

    @Test
    void peersMayGiveUpManyCalls() throws IOException {
        try (RawHttp2 client = new RawHttp2(nodes.port(0))) {
            int frame = client.request(
                    "POST", PeerProtocol.PATH, false, "dht-deadline-micros", "30000000", "content-length", "3");
            client.body(frame, new byte[3]);
            assertThat(client.readUntil(RawHttp2.DATA).stream()).isEqualTo(frame);
            flood(client, TOO_MANY, HttpFloodTest::beginAndReset);
            flood(client, 400, RawHttp2::ping);
            client.request("GET", "/livez", true);
            assertThat(client.readUntil(RawHttp2.DATA).payload()).isNotEmpty();
        }
    }
}
