package io.dht4j.transport.http.internal.server;

import static io.dht4j.transport.http.fixture.HttpProblem.assertProblem;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dht4j.ErrorCode;
import io.dht4j.Node;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Frame;
import io.dht4j.spi.FrameHandler;
import io.dht4j.transport.common.OpenFiles;
import io.dht4j.transport.common.options.ConnectionLimits;
import io.dht4j.transport.http.HttpTransport;
import io.dht4j.transport.http.HttpTransportOptions;
import io.dht4j.transport.http.TransportInternals;
import io.dht4j.transport.http.fixture.RawHttp;
import io.dht4j.transport.http.internal.peer.PeerProtocol;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Connections over the limits: who gets in, and who gives way. */
@Timeout(60)
class HttpConnectionLimitsTest {

    private static final String GET = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** In megabytes. */
    private static final int MORE_THAN_SOCKETS_HOLD = 8;

    private static final Buffer MEGABYTE = Buffer.buffer(new byte[1 << 20]);

    private final List<RawHttp> open = new ArrayList<>();
    private final List<AutoCloseable> closing = new ArrayList<>();

    @AfterEach
    void closeAll() throws Exception {
        for (RawHttp each : open) {
            each.close();
        }
        for (AutoCloseable each : closing) {
            each.close();
        }
    }

    private RawHttp connect(int port) throws IOException {
        RawHttp raw = new RawHttp(port);
        open.add(raw);
        return raw;
    }

    private RawHttp asked(int port) throws IOException {
        RawHttp raw = connect(port);
        raw.send(GET);
        assertThat(raw.read().text()).isEqualTo("public");
        return raw;
    }

    private HttpListener listener(ConnectionLimits limits, OptionalLong openFiles, boolean forPeers) throws Exception {
        return listener(limits, HttpListenerOptions.DEFAULT_HEAD_TIMEOUT, openFiles, forPeers);
    }

    private HttpListener listener(
            ConnectionLimits limits, Duration headTimeout, OptionalLong openFiles, boolean forPeers) throws Exception {
        HttpListener listener = new HttpListener(ListenerFixtures.limited(limits, headTimeout, forPeers), openFiles);
        closing.add(listener::close);
        listener.start().toCompletableFuture().get(10, TimeUnit.SECONDS);
        listener.attachPublic(request -> request.response().end("public"));
        return listener;
    }

    private HttpTransport transport(HttpTransportOptions options) throws Exception {
        HttpTransport transport = HttpTransport.create(options.withDrainTimeout(Duration.ofMillis(100)));
        closing.add(transport);
        FrameHandler echo = (frame, context) -> CompletableFuture.completedFuture(frame);
        transport.start(echo).toCompletableFuture().get(10, TimeUnit.SECONDS);
        TransportInternals.listener(transport)
                .attachPublic(request -> request.response().end("public"));
        return transport;
    }

    private static byte[] call(HttpTransport caller, HttpTransport peer) throws Exception {
        return caller.call(
                        Node.of("n2", "127.0.0.1:" + peer.port()),
                        Frame.of(new byte[] {1, 2, 3}),
                        new CallContext(System::nanoTime, PATIENCE.toNanos()))
                .toCompletableFuture()
                .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    @Test
    void silentConnectionsGiveWayHoweverManyThereAre() throws Exception {
        for (boolean forPeers : new boolean[] {true, false}) {
            HttpListener listener = listener(ConnectionLimits.defaults().withMax(16), OptionalLong.empty(), forPeers);
            for (int i = 0; i < 100; i++) {
                connect(listener.port());
            }
            for (int i = 0; i < 4; i++) {
                asked(listener.port());
            }
            await().atMost(PATIENCE).until(() -> listener.connections().open() <= 16);
        }
    }

    @Test
    void headsWithoutBodiesGiveWayToo() throws Exception {
        HttpTransport node = transport(
                HttpTransportOptions.at("127.0.0.1", 0).withMaxConnections(16).withMaxConnectionsPerAddress(4));
        for (int i = 0; i < 50; i++) {
            connect(node.port()).send("PUT / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\nhal");
            connect(node.port())
                    .send("POST " + PeerProtocol.PATH + " HTTP/1.1\r\nHost: localhost\r\n"
                            + "Dht-Deadline-Micros: 3000000000\r\nContent-Length: 4\r\n\r\nhal");
        }
        for (int i = 0; i < 4; i++) {
            asked(node.port());
        }
        HttpTransport peer = transport(HttpTransportOptions.at("127.0.0.1", 0).withConnectionsPerPeer(1));
        assertThat(call(peer, node)).containsExactly(1, 2, 3);
    }

    @Test
    void connectionThatReadsNoAnswersGivesWay() throws Exception {
        ConnectionLimits limits = new ConnectionLimits(16, OptionalInt.of(8));
        Duration heads = Duration.ofMinutes(5);
        HttpListener listener = listener(limits, heads, OptionalLong.empty(), true);
        listener.attachPublic(request -> {
            request.response().setChunked(true);
            for (int i = 0; i < MORE_THAN_SOCKETS_HOLD; i++) {
                request.response().write(MEGABYTE);
            }
            request.response().end();
        });
        for (int i = 0; i < 8; i++) {
            RawHttp unread = new RawHttp(listener.port(), 4096);
            open.add(unread);
            unread.send("PUT / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\nx");
            assertThat(unread.line()).contains("200");
        }
        listener.attachPublic(request -> request.response().end("public"));
        for (int i = 0; i < 8; i++) {
            connect(listener.port());
        }
        asked(listener.port());
        await().atMost(PATIENCE).until(() -> listener.connections().open() <= 9);
    }

    @Test
    void probesAreAnsweredWhenAllPlacesAreTaken() throws Exception {
        for (boolean forPeers : new boolean[] {true, false}) {
            ConnectionLimits limits = new ConnectionLimits(8, OptionalInt.of(8));
            Duration heads = Duration.ofSeconds(10);
            HttpListener listener = listener(limits, heads, OptionalLong.empty(), forPeers);
            int places = forPeers ? 6 : 7;
            for (int i = 0; i < places; i++) {
                asked(listener.port());
            }
            for (String path : new String[] {"/livez", "/readyz", "/livez"}) {
                RawHttp refused = connect(listener.port()).send(GET);
                assertProblem(refused.read(), 503, ErrorCode.OVERLOADED);
                RawHttp probe = connect(listener.port()).send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
                RawHttp.Answer answer = probe.read();
                assertThat(answer.status()).isEqualTo(200);
                assertThat(answer.headers()).containsEntry("Connection", "close");
                assertThat(probe.isClosedByServer()).isTrue();
            }
        }
    }

    @Test
    void aConnectionThatIsSlowToLeaveKeepsNoOtherOut() throws Exception {
        ConnectionLimits limits = new ConnectionLimits(8, OptionalInt.of(8));
        Duration heads = Duration.ofSeconds(30);
        HttpListener listener = listener(limits, heads, OptionalLong.empty(), false);
        CountDownLatch mayGoOn = new CountDownLatch(1);
        CountDownLatch stands = new CountDownLatch(1);
        listener.attachPublic(request -> {
            if (request.path().equals("/stand")) {
                stands.countDown();
                awaitLeave(mayGoOn);
            }
            request.response().end(Thread.currentThread().getName());
        });
        try {
            List<String> loops = new ArrayList<>();
            for (int i = 0; i < 7; i++) {
                loops.add(connect(listener.port()).send(GET).read().text());
            }
            assertThat(loops.get(5)).as("connections go round the two loops").isNotEqualTo(loops.get(6));
            connect(listener.port());
            await().atMost(PATIENCE).until(() -> listener.connections().open() == 8);
            // The loop of the silent connection, too.
            open.get(5).send("GET /stand HTTP/1.1\r\nHost: localhost\r\n\r\n");
            assertThat(stands.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            try (RawHttp brief = new RawHttp(listener.port())) {
                await().atMost(PATIENCE).until(() -> listener.connections().open() == 9);
                assertThat(brief.send("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
                                .read()
                                .status())
                        .isEqualTo(200);
            }
            await().atMost(PATIENCE).until(() -> listener.connections().open() == 8);
            RawHttp probe = connect(listener.port());
            mayGoOn.countDown();
            assertThat(probe.send("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
                            .read()
                            .status())
                    .isEqualTo(200);
        } finally {
            mayGoOn.countDown();
        }
    }

    private static void awaitLeave(CountDownLatch mayGoOn) {
        try {
            assertThat(mayGoOn.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError("an event loop was interrupted", e);
        }
    }

    @Test
    void theLimitOfOpenFilesLowersTheNumberOfConnections() throws Exception {
        HttpListener listener = listener(ConnectionLimits.defaults().withMax(10_000), OptionalLong.of(32), true);
        for (int i = 0; i < 100; i++) {
            connect(listener.port());
        }
        asked(listener.port());
        await().atMost(PATIENCE).until(() -> listener.connections().open() <= 8);
        assertThat(OpenFiles.connections(10_000, OptionalLong.of(1024))).isEqualTo(256);
        assertThat(OpenFiles.connections(10_000, OptionalLong.of(1 << 20))).isEqualTo(10_000);
        assertThat(OpenFiles.warning("h:1", 10_000, 256, OptionalLong.of(1024)))
                .contains("h:1", "256 connections, not 10000", "1024 files", "ulimit -n", "40000");
    }

    @Test
    void publicCallersLeavePlacesToPeersEvenOfTheSameAddress() throws Exception {
        HttpTransport node = transport(
                HttpTransportOptions.at("127.0.0.1", 0).withMaxConnections(8).withMaxConnectionsPerAddress(8));
        for (int i = 0; i < 6; i++) {
            asked(node.port());
        }
        for (int i = 0; i < 20; i++) {
            RawHttp refused = connect(node.port());
            refused.send(GET);
            RawHttp.Answer answer = refused.read();
            assertProblem(answer, 503, ErrorCode.OVERLOADED);
            assertThat(answer.headers()).containsEntry("Connection", "close").containsEntry("Retry-After", "1");
            assertThat(refused.isClosedByServer()).isTrue();
            connect(node.port());
        }
        HttpTransport peer = transport(HttpTransportOptions.at("127.0.0.1", 0).withConnectionsPerPeer(1));
        assertThat(call(peer, node)).containsExactly(1, 2, 3);
        for (int i = 0; i < 20; i++) {
            connect(node.port());
        }
        // A peer's connection does not give way.
        assertThat(call(peer, node)).containsExactly(1, 2, 3);
        open.get(0).send(GET);
        assertThat(open.get(0).read().text()).isEqualTo("public");
    }

    @Test
    void oneAddressGetsItsShareAndPlacesComeBack() throws Exception {
        ConnectionLimits limits = new ConnectionLimits(100, OptionalInt.of(2));
        HttpListener listener = listener(limits, OptionalLong.empty(), false);
        RawHttp first = asked(listener.port());
        asked(listener.port());
        RawHttp third = connect(listener.port());
        third.send(GET);
        assertThat(assertProblem(third.read(), 503, ErrorCode.OVERLOADED)).contains("this address");
        first.close();
        await().atMost(PATIENCE).untilAsserted(() -> {
            RawHttp fourth = connect(listener.port());
            fourth.send(GET);
            assertThat(fourth.read().status()).isEqualTo(200);
        });
    }

    @Test
    void lateHeadsAreCutOffAndIdleConnectionsStay() throws Exception {
        ConnectionLimits limits = new ConnectionLimits(100, OptionalInt.empty());
        Duration heads = Duration.ofSeconds(2);
        List<RawHttp> late = new ArrayList<>();
        List<RawHttp> idle = new ArrayList<>();
        List<RawHttp> sending = new ArrayList<>();
        for (boolean forPeers : new boolean[] {true, false}) {
            int port = listener(limits, heads, OptionalLong.empty(), forPeers).port();
            idle.add(asked(port));
            sending.add(asked(port).send("PUT / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\n1"));
            late.add(asked(port).send("GET / HTTP/1.1\r\nHo"));
            late.add(connect(port).send("PRI * HT"));
            late.add(connect(port).send("GET / HTTP/1.1\r\nHo"));
            late.add(connect(port));
        }
        for (RawHttp each : late) {
            assertThat(each.isClosedByServer()).isTrue();
        }
        for (RawHttp each : idle) {
            each.send(GET);
            assertThat(each.read().text()).isEqualTo("public");
        }
        for (RawHttp each : sending) {
            each.send("23");
            assertThat(each.read().text()).isEqualTo("public");
            each.send(GET);
            assertThat(each.read().text()).isEqualTo("public");
        }
    }
}
