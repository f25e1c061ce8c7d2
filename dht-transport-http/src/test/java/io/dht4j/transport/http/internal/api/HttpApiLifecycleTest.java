package io.dht4j.transport.http.internal.api;

import static io.dht4j.transport.http.fixture.HttpProblem.assertProblem;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.Cluster;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.Topology;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.spi.TlsFiles;
import io.dht4j.spi.TransportException;
import io.dht4j.store.memory.MemoryStore;
import io.dht4j.testkit.network.FreePorts;
import io.dht4j.transport.http.HttpApi;
import io.dht4j.transport.http.HttpApiOptions;
import io.dht4j.transport.http.HttpRemote;
import io.dht4j.transport.http.HttpTransport;
import io.dht4j.transport.http.HttpTransportOptions;
import io.dht4j.transport.http.fixture.ApiNodes;
import io.dht4j.transport.http.fixture.RawHttp;
import io.dht4j.transport.http.fixture.RawHttp2;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An API on a port of its own, and closing. */
@Timeout(60)
class HttpApiLifecycleTest {

    private static ApiNodes nodes;

    @BeforeAll
    static void startNodes() {
        nodes = ApiNodes.three();
    }

    @AfterAll
    static void stopNodes() {
        nodes.close();
    }

    @Test
    void anApiMayHaveAPortOfItsOwn() throws IOException {
        int port;
        try (HttpApi own = HttpApi.listening("127.0.0.1", 0, nodes.cluster(0), HttpApiOptions.defaults())) {
            port = own.port();
            assertThat(port).isPositive().isNotEqualTo(nodes.port(0));
            nodes.put(1, "/v0/entity?id=own", "value");
            try (RawHttp raw = new RawHttp(port)) {
                raw.send("GET /v0/entity?id=own HTTP/1.1\r\nHost: localhost\r\n\r\n");
                assertThat(raw.read().text()).isEqualTo("value");
            }
        }
        assertThatThrownBy(() -> new Socket("127.0.0.1", port)).isInstanceOf(ConnectException.class);
        assertThat(nodes.get(0, "/v0/entity?id=own").statusCode()).isEqualTo(200);
    }

    @Test
    void plaintextBeyondTheMachineIsRefusedOnTheCallersThread() {
        assertThatThrownBy(() -> HttpApi.listening("0.0.0.0", 0, nodes.cluster(0), HttpApiOptions.defaults()))
                .isExactlyInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("withPlaintextAllowed()")
                .satisfies(refused -> assertThat(refused.getStackTrace())
                        .anyMatch(frame -> frame.getClassName().equals(HttpApiLifecycleTest.class.getName())));
    }

    @Test
    void aMissingFileOfTlsIsRefusedOnTheCallersThread(@TempDir Path directory) {
        Path missing = directory.resolve("missing.pem");
        HttpApiOptions options = HttpApiOptions.defaults().withTls(TlsFiles.server(missing, missing));
        assertThatThrownBy(() -> HttpApi.listening("127.0.0.1", 0, nodes.cluster(0), options))
                .isExactlyInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(missing.toString());
    }

    @Test
    void aPortOfItsOwnKnowsNothingOfPeers() throws IOException {
        try (HttpApi own = HttpApi.listening("127.0.0.1", 0, nodes.cluster(0), HttpApiOptions.defaults());
                RawHttp raw = new RawHttp(own.port())) {
            raw.send("POST /peer/v1/frame HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nframe");
            RawHttp.Answer answer = raw.read();
            assertProblem(answer, 400, ErrorCode.UNKNOWN_RESOURCE);
            // For a peer that takes it for another's port.
            assertThat(answer.headers()).containsEntry("Dht-Outcome", "not-sent");
        }
    }

    @Test
    @SuppressWarnings("NullAway") // tests the checks
    void aMissingArgumentIsNamed() {
        HttpApiOptions defaults = HttpApiOptions.defaults();
        assertThatNullPointerException()
                .isThrownBy(() -> HttpApi.listening("127.0.0.1", 0, null, defaults))
                .withMessage("cluster");
        assertThatNullPointerException()
                .isThrownBy(() -> HttpApi.listening("127.0.0.1", 0, nodes.cluster(0), null))
                .withMessage("options");
        assertThatNullPointerException()
                .isThrownBy(() -> HttpApi.sharing(null, nodes.cluster(0), defaults))
                .withMessage("transport");
        assertThatNullPointerException()
                .isThrownBy(() -> HttpRemote.create(null))
                .withMessage("options");
    }

    @Test
    void closedTransportOrClusterIsRefused() {
        HttpApiOptions defaults = HttpApiOptions.defaults();
        HttpTransport transport = HttpTransport.create(HttpTransportOptions.at("127.0.0.1", FreePorts.find()));
        Cluster closed = ClusterBuilder.of("n1", Topology.of(Node.of("n1", "127.0.0.1:" + FreePorts.find())))
                .transport(transport)
                .store(new MemoryStore())
                .start();
        HttpApi first = HttpApi.sharing(transport, closed, defaults);
        assertThatIllegalStateException()
                .isThrownBy(() -> HttpApi.sharing(transport, closed, defaults))
                .withMessageContaining("already: close that one first");
        first.close();
        HttpApi.sharing(transport, closed, defaults).close();

        closed.close();
        assertThatIllegalStateException()
                .isThrownBy(() -> HttpApi.sharing(transport, nodes.cluster(0), defaults))
                .withMessageEndingWith(" is closed");
        assertThatIllegalStateException()
                .isThrownBy(() -> HttpApi.listening("127.0.0.1", 0, closed, defaults))
                .withMessage("the API cannot serve the cluster: this node is closed");
    }

    @Test
    void aBusyPortIsNamed() {
        assertThatThrownBy(() ->
                        HttpApi.listening("127.0.0.1", nodes.port(0), nodes.cluster(0), HttpApiOptions.defaults()))
                .isInstanceOf(TransportException.class)
                .hasMessageContaining("127.0.0.1:" + nodes.port(0))
                .hasStackTraceContaining("at " + getClass().getName())
                .hasRootCauseInstanceOf(BindException.class);
        assertThat(nodes.get(0, "/v0/status").statusCode()).isEqualTo(200);
    }

    @ParameterizedTest
    @DisplayName("an announced stop shows in readiness and ends each connection with an answer")
    @ValueSource(booleans = {true, false})
    void announcedStopEndsConnectionsWithAnAnswer(boolean shared) throws Exception {
        try (ApiNodes one = ApiNodes.of(1, builder -> builder, HttpApiOptions.defaults())) {
            HttpApi api =
                    shared ? one.api(0) : HttpApi.listening("127.0.0.1", 0, one.cluster(0), HttpApiOptions.defaults());
            try (RawHttp before = new RawHttp(api.port())) {
                before.send("GET /v0/status HTTP/1.1\r\nHost: localhost\r\n\r\n");
                assertThat(before.read().headers()).doesNotContainKeys("Dht-Stopping", "Connection");

                api.announceStop();
                before.send("PUT /v0/entity?id=k HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\nlate");
                assertLast(before, 201);
            }
            for (String path : List.of("/v0/entity?id=k", "/v0/entities?start=a", "/livez")) {
                try (RawHttp after = new RawHttp(api.port())) {
                    after.send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
                    assertLast(after, 200);
                }
            }
            try (RawHttp probe = new RawHttp(api.port())) {
                probe.send("GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n");
                assertThat(assertLast(probe, 503).text()).contains("draining");
            }
            api.close();
        }
    }

    private static RawHttp.Answer assertLast(RawHttp client, int status) throws IOException {
        RawHttp.Answer answer = client.read();
        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.headers()).containsEntry("Dht-Stopping", "true").containsEntry("Connection", "close");
        assertThat(client.isClosedByServer()).isTrue();
        return answer;
    }

    @Test
    void announcedStopSendsGoAwayAndServesOn() throws Exception {
        try (ApiNodes one = ApiNodes.of(1, builder -> builder, HttpApiOptions.defaults());
                RawHttp2 client = new RawHttp2(one.port(0))) {
            client.request("GET", "/v0/status", true);
            client.flush();
            client.readUntil(RawHttp2.DATA);

            one.api(0).announceStop();
            assertThat(client.readUntil(RawHttp2.GOAWAY).goAwayCode()).isZero();
            int late = client.request("GET", "/v0/status", true);
            client.flush();
            assertThat(client.readUntil(RawHttp2.HEADERS).stream()).isEqualTo(late);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void closingLetsARequestUnderWayEnd(boolean shared) throws Exception {
        try (ApiNodes one = ApiNodes.of(1, builder -> builder, HttpApiOptions.defaults())) {
            HttpApi api =
                    shared ? one.api(0) : HttpApi.listening("127.0.0.1", 0, one.cluster(0), HttpApiOptions.defaults());
            try (RawHttp slow = new RawHttp(api.port());
                    RawHttp other = new RawHttp(api.port())) {
                other.send("GET /v0/status HTTP/1.1\r\nHost: localhost\r\n\r\n");
                assertThat(other.read().status()).isEqualTo(200);
                slow.send("PUT /v0/entity?id=k HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n"
                        + "Expect: 100-continue\r\n\r\n");
                assertThat(slow.read().status()).isEqualTo(100);
                CompletableFuture<Void> closed = CompletableFuture.runAsync(api::close);
                if (shared) {
                    Awaitility.await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> {
                        other.send("GET /v0/entity?id=k HTTP/1.1\r\nHost: localhost\r\n\r\n");
                        RawHttp.Answer answer = other.read();
                        assertProblem(answer, 503, ErrorCode.NOT_SERVING);
                        assertThat(answer.headers()).containsEntry("Retry-After", "1");
                    });
                    other.send("GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n"
                            + "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n");
                    RawHttp.Answer ready = other.read();
                    assertThat(ready.status()).isEqualTo(503);
                    assertThat(ready.text()).contains("draining");
                    assertThat(other.read().status()).isEqualTo(200);
                }
                assertThat(closed).isNotDone();
                slow.send("late");
                assertThat(slow.read().status()).isEqualTo(201);
                closed.get();
                assertThat(one.cluster(0)
                                .get(Key.of("k"))
                                .toCompletableFuture()
                                .get()
                                .orElseThrow()
                                .text())
                        .isEqualTo("late");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void closingInAnActionIsRefusedAtOnce(boolean shared) {
        try (ApiNodes nodes = ApiNodes.three();
                HttpApi own = HttpApi.listening("127.0.0.1", 0, nodes.cluster(0), HttpApiOptions.defaults())) {
            HttpApi api = shared ? nodes.api(0) : own;
            CompletableFuture<String> closed = new CompletableFuture<>();
            Awaitility.await().until(() -> {
                Thread caller = Thread.currentThread();
                nodes.cluster(0)
                        .put(Key.of("k"), new byte[1])
                        .thenRun(() -> {
                            if (Thread.currentThread() != caller) {
                                closed.complete(failureOfClosing(api));
                            }
                        })
                        .toCompletableFuture()
                        .get();
                return closed.isDone();
            });
            assertThat(closed.join()).contains("the HTTP API cannot be closed on this thread: it runs");
            assertThat(nodes.get(0, "/v0/entity?id=k").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void closingOnAnEventLoopIsRefusedWithARemedy() {
        try (ApiNodes one = ApiNodes.three()) {
            CompletableFuture<String> closed = new CompletableFuture<>();
            one.api(0).metrics(() -> {
                closed.complete(failureOfClosing(one.api(0)));
                return CompletableFuture.completedFuture("");
            });
            one.get(0, "/metrics");
            assertThat(closed.join()).contains("the HTTP API cannot be closed on this thread", "thenRunAsync");
        }
    }

    @Test
    void aClosedApiMayBeClosedAgainInAnAction() {
        try (ApiNodes nodes = ApiNodes.three()) {
            nodes.api(0).close();
            nodes.cluster(1)
                    .put(Key.of("k"), new byte[1])
                    .thenRun(() -> nodes.api(0).close())
                    .toCompletableFuture()
                    .join();
        }
    }

    private static String failureOfClosing(HttpApi api) {
        try {
            api.close();
            return "closed";
        } catch (IllegalStateException e) {
            return String.valueOf(e.getMessage());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void closingCutsWhatDoesNotEnd(boolean shared) throws Exception {
        HttpApiOptions options = HttpApiOptions.defaults().withDrainTimeout(Duration.ofMillis(100));
        try (ApiNodes one = ApiNodes.of(1, builder -> builder, options)) {
            HttpApi api = shared ? one.api(0) : HttpApi.listening("127.0.0.1", 0, one.cluster(0), options);
            try (RawHttp slow = new RawHttp(api.port())) {
                slow.send("PUT /v0/entity?id=k HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n"
                        + "Expect: 100-continue\r\n\r\n");
                assertThat(slow.read().status()).isEqualTo(100);
                api.close();
                assertThat(slow.isClosedByServer()).isTrue();
                api.close();
            }
        }
    }

    @Test
    void aSharedPortServesPeersWhenItsApiIsClosed() {
        try (ApiNodes own = ApiNodes.three()) {
            own.api(1).close();
            own.api(2).close();
            assertThat(own.put(0, "/v0/entity?id=k&ack=3&from=3", "value").statusCode())
                    .isEqualTo(201);
            assertThat(own.get(1, "/v0/entity?id=k").statusCode()).isEqualTo(503);
        }
    }

    @Test
    void closingOnAnEventLoopIsRefused() throws Exception {
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        CountDownLatch chained = new CountDownLatch(1);
        try (ApiNodes own = ApiNodes.three()) {
            own.api(0);
            io.vertx.core.Vertx vertx = io.vertx.core.Vertx.vertx();
            vertx.runOnContext(ignored -> {
                try {
                    own.api(0).close();
                } catch (IllegalStateException e) {
                    thrown.complete(e);
                }
                chained.countDown();
            });
            chained.await();
            vertx.close().toCompletionStage().toCompletableFuture().get();
            assertThat(thrown.getNow(null)).isInstanceOf(IllegalStateException.class);
            assertThat(own.get(0, "/v0/status").statusCode()).isEqualTo(200);
        } catch (ExecutionException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void optionsOutOfRangeAreNamed() {
        HttpApiOptions options = HttpApiOptions.defaults();
        assertThatThrownBy(() -> options.withMaxInFlight(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("maxInFlight must be 1 to 1000000, not 0");
        assertThatThrownBy(() -> options.withMaxValueBytes(-1)).hasMessageContaining("maxValueBytes");
        assertThatThrownBy(() -> options.withMaxBodyBytesInFlight((16 << 20) - 1))
                .hasMessageContaining("maxBodyBytesInFlight must be at least maxValueBytes, which is 16777216");
        assertThatThrownBy(() -> options.withBodyTimeout(Duration.ZERO)).hasMessageContaining("bodyTimeout");
        assertThatThrownBy(() -> options.withWriteTimeout(Duration.ofDays(1))).hasMessageContaining("writeTimeout");
        assertThatThrownBy(() -> options.withIdleTimeout(Duration.ofMillis(1))).hasMessageContaining("idleTimeout");
        assertThatThrownBy(() -> options.withDrainTimeout(Duration.ofMillis(-1)))
                .hasMessageContaining("drainTimeout");
    }
}
