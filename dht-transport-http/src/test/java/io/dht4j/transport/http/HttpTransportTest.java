package io.dht4j.transport.http;

import static io.dht4j.testkit.transport.Calls.PATIENCE;
import static io.dht4j.testkit.transport.Calls.bytes;
import static io.dht4j.testkit.transport.Calls.echo;
import static io.dht4j.testkit.transport.Calls.failure;
import static io.dht4j.testkit.transport.Calls.reply;
import static io.dht4j.testkit.transport.Calls.within;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dht4j.Node;
import io.dht4j.spi.Frame;
import io.dht4j.spi.Transport;
import io.dht4j.spi.TransportException.Outcome;
import io.dht4j.spi.TransportException.Reason;
import io.dht4j.transport.common.contract.ListenersSuite;
import io.dht4j.transport.common.contract.RefusedRequestsSuite;
import io.dht4j.transport.http.contract.CallersConnections;
import io.dht4j.transport.http.contract.HttpClientContract;
import io.dht4j.transport.http.internal.server.HttpTransportServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The transport with the client that it has by default. */
@Tag("jdk")
class HttpTransportTest extends HttpClientContract
        implements RefusedRequestsSuite<HttpTransportOptions>, ListenersSuite<HttpTransportOptions> {

    HttpTransportTest() {
        super(HttpClientKind.VERTX);
    }

    @Override
    public void with(UnaryOperator<HttpTransportOptions> change) {
        options = change.apply(options);
    }

    @Override
    public HttpTransportOptions at(String host, int port) {
        return HttpTransportOptions.at(host, port);
    }

    @Override
    public HttpTransportOptions callingOnly() {
        return HttpTransportOptions.callingOnly();
    }

    @Override
    public Transport create(HttpTransportOptions own) {
        return HttpTransport.create(own);
    }

    @Override
    public int inFlight(Transport transport) {
        return server(transport).inFlight();
    }

    @Override
    public long inFlightBytes(Transport transport) {
        return server(transport).inFlightBytes();
    }

    private static HttpTransportServer server(Transport transport) {
        return Objects.requireNonNull(((HttpTransport) transport).server());
    }

    @Test
    void callsOverTheByteLimitAreNotSentUnlessAlone() {
        options = options.withMaxQueuedBytesPerPeer(2_000);
        CompletableFuture<byte[]> held = new CompletableFuture<>();
        Started server = start((request, context) -> held);
        Started client = start(echo());
        List<CompletableFuture<byte[]>> calls = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            calls.add(client.call(server, new byte[5_000], within(PATIENCE)));
        }
        List<CompletableFuture<byte[]>> refused = calls.stream()
                .filter(CompletableFuture::isCompletedExceptionally)
                .toList();
        assertThat(refused).hasSize(19);
        refused.forEach(call -> assertThat(failure(call).outcome()).isEqualTo(Outcome.NOT_SENT));
        refused.forEach(call -> assertThat(failure(call).reason()).isEqualTo(Reason.NO_ROOM));
        held.complete(bytes("b"));
        calls.stream()
                .filter(call -> !refused.contains(call))
                .forEach(call -> assertThat(reply(call)).isEqualTo(bytes("b")));
        assertThat(reply(client.call(server, new byte[5_000], within(PATIENCE))))
                .isEqualTo(bytes("b"));
    }

    @Test
    void connectionsThatAreNotUsedAreClosedByTheCaller() {
        AtomicInteger connections = new AtomicInteger();
        Started server = startCounting(connections);
        options = options.withIdleTimeout(Duration.ofSeconds(3));
        Started client = start(echo());
        for (int round = 0; round < 2; round++) {
            assertThat(reply(client.call(server, bytes("a"), within(PATIENCE)))).isEqualTo(bytes("a"));
            assertThat(connections.getAndSet(0)).isPositive();
            await().atMost(PATIENCE).until(() -> connections(server) == 0);
        }
    }

    @Test
    void unusedConnectionsAreClosedAfterThePeersIdleTimeout() {
        Started client = start(echo());
        options = options.withIdleTimeout(Duration.ofSeconds(3));
        AtomicInteger connections = new AtomicInteger();
        Started server = startCounting(connections);
        assertThat(reply(client.call(server, bytes("a"), within(PATIENCE)))).isEqualTo(bytes("a"));
        assertThat(connections).hasPositiveValue();
        await().atMost(PATIENCE).until(() -> connections(server) == 0);
    }

    /** An echo that looks at its connections where one is certain to be open. */
    private Started startCounting(AtomicInteger connections) {
        AtomicReference<Started> self = new AtomicReference<>();
        Started server = start((request, context) -> {
            connections.set(connections(self.get()));
            return CompletableFuture.completedFuture(request);
        });
        self.set(server);
        return server;
    }

    /**
     * From when on the caller knows of it: a call at the moment of the closing may be lost with the connection, and has
     * an unknown outcome.
     */
    @Test
    void aConnectionThatThePeerHasClosedIsNotUsedAgain() throws IOException {
        try (ServerSocket listener = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            listener.setSoTimeout((int) PATIENCE.toMillis());
            Node peer = Node.of("peer", "127.0.0.1:" + listener.getLocalPort());
            Started client = start(echo());
            for (int round = 0; round < 3; round++) {
                CompletableFuture<byte[]> call = client.transport()
                        .call(peer, Frame.of(bytes("question")), within(PATIENCE))
                        .toCompletableFuture();
                try (Socket connection = listener.accept()) {
                    connection.setSoTimeout((int) PATIENCE.toMillis());
                    readTo("question", connection.getInputStream());
                    connection.getOutputStream().write(bytes("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nanswer"));
                    assertThat(reply(call)).isEqualTo(bytes("answer"));
                    connection.shutdownOutput();
                    assertThat(connection.getInputStream().read()).isEqualTo(-1);
                }
                CallersConnections.awaitClosed(client.transport(), peer.address());
            }
        }
    }

    private static void readTo(String end, InputStream in) throws IOException {
        StringBuilder read = new StringBuilder();
        while (read.indexOf(end) < 0) {
            int next = in.read();
            assertThat(next).as("end of the request after %s", read).isNotEqualTo(-1);
            read.append((char) next);
        }
    }

    private static int connections(Started started) {
        return ((HttpTransport) started.transport()).listener().connections().open();
    }

    @Test
    void optionsOutOfRangeAreNamedWithValueAndRange() {
        assertThatThrownBy(() -> HttpTransportOptions.at("127.0.0.1", 65_536))
                .hasMessage("port must be 0 to 65535, not 65536");
        assertThatThrownBy(() -> HttpTransportOptions.at(" ", 1)).hasMessageContaining("host");
        assertThatThrownBy(() -> options.withConnectionsPerPeer(0))
                .hasMessage("connectionsPerPeer must be 1 to 10000, not 0");
        assertThatThrownBy(() -> options.withMaxFrameBytes(0)).hasMessageContaining("maxFrameBytes must be 1024 to");
        assertThatThrownBy(() -> options.withMaxInFlightBytes(1)).hasMessageContaining("maxInFlightBytes must be");
        assertThatThrownBy(() -> options.withConnectTimeout(Duration.ZERO))
                .hasMessage("connectTimeout must be 1ms to 10m, not 0s");
        assertThatThrownBy(() -> options.withIdleTimeout(Duration.ofDays(1))).hasMessageContaining("idleTimeout");
    }
}
