package io.dht4j.transport.common.contract;

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
import io.dht4j.testkit.transport.TransportHarness;
import io.dht4j.transport.common.options.PeerTransportOptions;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The connections between peers: how many there are, which make room, and when they end. */
public interface ConnectionsSuite<T extends PeerTransportOptions<T>> extends TransportHarness {

    /** Changes the options of the transports that are started from now on. */
    void with(UnaryOperator<T> change);

    /** Changes the number of connections to each peer of the transports that are started from now on. */
    void withConnectionsPerPeer(int connections);

    /** Returns the number of connections that a started transport has accepted. */
    int connections(Transport transport);

    @Test
    @Tag("full")
    default void connectionsThatAreNotUsedAreClosedByTheCaller() {
        AtomicReference<Started> self = new AtomicReference<>();
        AtomicInteger connections = new AtomicInteger();
        // Looked at where one is certain to be open.
        Started server = start((request, context) -> {
            connections.set(connections(self.get().transport()));
            return CompletableFuture.completedFuture(request);
        });
        self.set(server);
        with(options -> options.withIdleTimeout(Duration.ofSeconds(1)));
        Started client = start(echo());
        for (int round = 0; round < 2; round++) {
            assertThat(reply(client.call(server, bytes("a"), within(PATIENCE)))).isEqualTo(bytes("a"));
            assertThat(connections.getAndSet(0)).isPositive();
            await().atMost(PATIENCE).until(() -> connections(server.transport()) == 0);
        }
    }

    @Test
    default void aConnectionThatThePeerHasClosedIsNotUsedAgain() {
        Started client = start(echo());
        with(options -> options.withIdleTimeout(Duration.ofSeconds(1)));
        Started server = start(echo());
        for (int round = 0; round < 2; round++) {
            assertThat(reply(client.call(server, bytes("a"), within(PATIENCE)))).isEqualTo(bytes("a"));
            await().atMost(PATIENCE).until(() -> connections(server.transport()) == 0);
        }
    }

    @Test
    default void aRequestThatTakesLongIsNotIdle() {
        with(options -> options.withIdleTimeout(Duration.ofSeconds(1)));
        CompletableFuture<byte[]> held = new CompletableFuture<>();
        Started server = start((request, context) -> request.length == 0 ? held : echo().handle(request, context));
        Started client = start(echo());
        CompletableFuture<byte[]> slow = client.call(server, new byte[0], within(PATIENCE));
        // Another peer's connection comes and goes meanwhile.
        Started other = start(echo());
        assertThat(reply(other.call(server, bytes("a"), within(PATIENCE)))).isEqualTo(bytes("a"));
        await().atMost(PATIENCE).until(() -> connections(server.transport()) == 1);
        held.complete(bytes("at last"));
        assertThat(reply(slow)).isEqualTo(bytes("at last"));
    }

    @Test
    default void callsOfExcessConnectionsAreNotSent() {
        with(options -> options.withMaxConnections(1));
        Recorder recorder = new Recorder(echo());
        Started server = start(recorder);
        Started client = start(echo());
        Started other = start(echo());
        assertThat(reply(client.call(server, bytes("a"), within(PATIENCE)))).isEqualTo(bytes("a"));
        assertThat(failure(other.call(server, bytes("a"), within(PATIENCE))).outcome())
                .isEqualTo(Outcome.NOT_SENT);
        assertThat(reply(client.call(server, bytes("b"), within(PATIENCE)))).isEqualTo(bytes("b"));
        client.transport().close();
        await().atMost(PATIENCE).until(() -> connections(server.transport()) == 0);
        assertThat(reply(other.call(server, bytes("c"), within(PATIENCE)))).isEqualTo(bytes("c"));
        assertThat(recorder.count()).isEqualTo(3);
    }

    @Test
    default void excessConnectionsOfAnAddressAreClosed() throws Exception {
        with(options -> options.withMaxConnectionsPerAddress(2));
        Started server = start(echo());
        Started client = start(echo());
        assertThat(reply(client.call(server, bytes("a"), within(PATIENCE)))).isEqualTo(bytes("a"));
        int port = server.port();
        try (Socket silent = new Socket("127.0.0.1", port);
                Socket refused = new Socket("127.0.0.1", port)) {
            refused.setSoTimeout((int) PATIENCE.toMillis());
            assertThat(refused.getInputStream().read()).isEqualTo(-1);
            assertThat(silent.isConnected()).isTrue();
            assertThat(connections(server.transport())).isEqualTo(2);
            assertThat(reply(client.call(server, bytes("b"), within(PATIENCE)))).isEqualTo(bytes("b"));
        }
    }

    @Test
    default void silentConnectionsGiveWayToAPeer() throws Exception {
        with(options -> options.withMaxConnections(2));
        Started server = start(echo());
        Started client = start(echo());
        int port = server.port();
        List<Socket> silent = new ArrayList<>();
        try {
            for (int i = 0; i < 50; i++) {
                silent.add(new Socket("127.0.0.1", port));
            }
            assertThat(reply(client.call(server, bytes("a"), within(PATIENCE)))).isEqualTo(bytes("a"));
            for (int i = 0; i < 50; i++) {
                silent.add(new Socket("127.0.0.1", port));
            }
            await().atMost(PATIENCE).until(() -> connections(server.transport()) == 2);
            // Its connection did not give way, being a peer's.
            assertThat(reply(client.call(server, bytes("b"), within(PATIENCE)))).isEqualTo(bytes("b"));
        } finally {
            for (Socket each : silent) {
                each.close();
            }
        }
    }

    @Test
    default void aPeerMayBeCalledOverSeveralConnections() {
        withConnectionsPerPeer(3);
        Started server = start(echo());
        Started client = start(echo());
        for (int i = 0; i < 1_000 && connections(server.transport()) < 3; i++) {
            assertThat(reply(client.call(server, bytes("a"), within(PATIENCE)))).isEqualTo(bytes("a"));
        }
        assertThat(connections(server.transport())).isEqualTo(3);
    }
}
