package io.dht4j.transport.tcp;

import static io.dht4j.testkit.transport.Calls.PATIENCE;
import static io.dht4j.testkit.transport.Calls.bytes;
import static io.dht4j.testkit.transport.Calls.echo;
import static io.dht4j.testkit.transport.Calls.failure;
import static io.dht4j.testkit.transport.Calls.reply;
import static io.dht4j.testkit.transport.Calls.within;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dht4j.spi.Transport;
import io.dht4j.spi.TransportException.Outcome;
import io.dht4j.testkit.transport.OpenTransports;
import io.dht4j.testkit.transport.TransportHarness;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Connections: which are accepted, kept and closed. */
class TcpTransportConnectionsTest implements TransportHarness {

    @RegisterExtension
    final OpenTransports transports = new OpenTransports();

    private TcpTransportOptions options =
            TcpTransportOptions.at("127.0.0.1", 0).withDrainTimeout(Duration.ofMillis(100));

    @Override
    public Transport newTransport() {
        return TcpTransport.create(options);
    }

    @Override
    public Transport newTransport(String address) {
        throw new UnsupportedOperationException("no test here needs an address of its choice");
    }

    @Override
    public String address(Transport transport) {
        return "127.0.0.1:" + ((TcpTransport) transport).port();
    }

    @Override
    public Predicate<Thread> ownThreads() {
        return thread -> thread.getName().startsWith("dht4j-tcp");
    }

    @Override
    public OpenTransports transports() {
        return transports;
    }

    @Test
    @Tag("full")
    void connectionsThatAreNotUsedAreClosedByTheCaller() {
        AtomicReference<Started> self = new AtomicReference<>();
        AtomicInteger connections = new AtomicInteger();
        // Looked at where one is certain to be open.
        Started server = start((request, context) -> {
            connections.set(connections(self.get()));
            return CompletableFuture.completedFuture(request);
        });
        self.set(server);
        options = options.withIdleTimeout(Duration.ofSeconds(1));
        Started client = start(echo());
        for (int round = 0; round < 2; round++) {
            assertThat(reply(client.call(server, bytes("a"), within(PATIENCE)))).isEqualTo(bytes("a"));
            assertThat(connections.getAndSet(0)).isPositive();
            await().atMost(PATIENCE).until(() -> connections(server) == 0);
        }
    }

    @Test
    void aConnectionThatThePeerHasClosedIsNotUsedAgain() {
        Started client = start(echo());
        options = options.withIdleTimeout(Duration.ofSeconds(1));
        Started server = start(echo());
        assertThat(reply(client.call(server, bytes("a"), within(PATIENCE)))).isEqualTo(bytes("a"));
        await().atMost(PATIENCE).until(() -> connections(server) == 0);
        assertThat(reply(client.call(server, bytes("b"), within(PATIENCE)))).isEqualTo(bytes("b"));
    }

    @Test
    void aRequestThatTakesLongIsNotIdle() {
        options = options.withIdleTimeout(Duration.ofSeconds(1));
        CompletableFuture<byte[]> held = new CompletableFuture<>();
        Started server = start((request, context) -> request.length == 0 ? held : echo().handle(request, context));
        Started client = start(echo());
        CompletableFuture<byte[]> slow = client.call(server, new byte[0], within(PATIENCE));
        // Another peer's connection comes and goes meanwhile.
        Started other = start(echo());
        assertThat(reply(other.call(server, bytes("a"), within(PATIENCE)))).isEqualTo(bytes("a"));
        await().atMost(PATIENCE).until(() -> connections(server) == 1);
        held.complete(bytes("at last"));
        assertThat(reply(slow)).isEqualTo(bytes("at last"));
    }

    @Test
    void aCallerThatStopsWithinARequestIsIdle() throws IOException {
        options = options.withIdleTimeout(Duration.ofSeconds(1));
        Started server = start(echo());
        try (RawConnection caller = RawConnection.greetedBy(server.port())) {
            caller.send(RawConnection.requestBegins(1, 1 << 20, bytes("only the beginning")));
            caller.awaitEnd();
        }
        await().atMost(PATIENCE)
                .until(() -> Objects.requireNonNull(((TcpTransport) server.transport()).server())
                                .inFlightBytes()
                        == 0);
    }

    @Test
    void connectionsOverTheBoundAreClosedAndTheirCallsWereNotSent() {
        options = options.withMaxConnections(1);
        Recorder recorder = new Recorder(echo());
        Started server = start(recorder);
        Started client = start(echo());
        Started other = start(echo());
        assertThat(reply(client.call(server, bytes("a"), within(PATIENCE)))).isEqualTo(bytes("a"));
        assertThat(failure(other.call(server, bytes("a"), within(PATIENCE))).outcome())
                .isEqualTo(Outcome.NOT_SENT);
        assertThat(reply(client.call(server, bytes("b"), within(PATIENCE)))).isEqualTo(bytes("b"));
        client.transport().close();
        await().atMost(PATIENCE).until(() -> connections(server) == 0);
        assertThat(reply(other.call(server, bytes("c"), within(PATIENCE)))).isEqualTo(bytes("c"));
        assertThat(recorder.count()).isEqualTo(3);
    }

    @Test
    void connectionsOverTheBoundOfAnAddressAreClosedBeforeTheirHandshake() throws Exception {
        options = options.withMaxConnectionsPerAddress(2);
        Started server = start(echo());
        Started client = start(echo());
        assertThat(reply(client.call(server, bytes("a"), within(PATIENCE)))).isEqualTo(bytes("a"));
        int port = Integer.parseInt(server.address().substring(server.address().lastIndexOf(':') + 1));
        try (Socket silent = new Socket("127.0.0.1", port);
                Socket refused = new Socket("127.0.0.1", port)) {
            refused.setSoTimeout((int) PATIENCE.toMillis());
            assertThat(refused.getInputStream().read()).isEqualTo(-1);
            assertThat(silent.isConnected()).isTrue();
            assertThat(connections(server)).isEqualTo(2);
            assertThat(reply(client.call(server, bytes("b"), within(PATIENCE)))).isEqualTo(bytes("b"));
        }
    }

    @Test
    void silentConnectionsGiveWayToAPeer() throws Exception {
        options = options.withMaxConnections(2);
        Started server = start(echo());
        Started client = start(echo());
        int port = Integer.parseInt(server.address().substring(server.address().lastIndexOf(':') + 1));
        List<Socket> silent = new ArrayList<>();
        try {
            for (int i = 0; i < 50; i++) {
                silent.add(new Socket("127.0.0.1", port));
            }
            assertThat(reply(client.call(server, bytes("a"), within(PATIENCE)))).isEqualTo(bytes("a"));
            for (int i = 0; i < 50; i++) {
                silent.add(new Socket("127.0.0.1", port));
            }
            await().atMost(PATIENCE).until(() -> connections(server) == 2);
            // Its connection did not give way, being a peer's.
            assertThat(reply(client.call(server, bytes("b"), within(PATIENCE)))).isEqualTo(bytes("b"));
        } finally {
            for (Socket each : silent) {
                each.close();
            }
        }
    }

    @Test
    void aPeerMayBeCalledOverSeveralConnections() {
        options = options.withConnectionsPerPeer(3);
        Started server = start(echo());
        Started client = start(echo());
        for (int i = 0; i < 1_000 && connections(server) < 3; i++) {
            assertThat(reply(client.call(server, bytes("a"), within(PATIENCE)))).isEqualTo(bytes("a"));
        }
        assertThat(connections(server)).isEqualTo(3);
    }

    @Test
    void callersThatAreSlowToBeginAreCutOffAndOthersAreNot() throws IOException {
        options = options.withHelloTimeout(Duration.ofSeconds(1));
        Started server = start(echo());
        Started client = start(echo());
        assertThat(reply(client.call(server, bytes("a"), within(PATIENCE)))).isEqualTo(bytes("a"));
        byte[] hello = RawConnection.callerHello();
        byte[] halfAHead = {0, 0, 0, 9};
        try (RawConnection silent = RawConnection.to(server.port());
                RawConnection halfAHello = RawConnection.to(server.port());
                RawConnection afterHello = RawConnection.to(server.port())) {
            halfAHello.send(Arrays.copyOf(hello, 7));
            afterHello.send(concat(hello, halfAHead));
            silent.awaitEnd();
            halfAHello.awaitEnd();
            afterHello.awaitEnd();
        }
        await().atMost(PATIENCE).until(() -> connections(server) == 1);
        assertThat(reply(client.call(server, bytes("b"), within(PATIENCE)))).isEqualTo(bytes("b"));
    }

    private static byte[] concat(byte[] one, byte[] two) {
        byte[] both = Arrays.copyOf(one, one.length + two.length);
        System.arraycopy(two, 0, both, one.length, two.length);
        return both;
    }

    private static int connections(Started started) {
        return Objects.requireNonNull(((TcpTransport) started.transport()).server())
                .connections();
    }
}
