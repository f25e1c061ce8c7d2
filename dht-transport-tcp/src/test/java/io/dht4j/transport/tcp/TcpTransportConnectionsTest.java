package io.dht4j.transport.tcp;

import static io.dht4j.testkit.transport.Calls.PATIENCE;
import static io.dht4j.testkit.transport.Calls.bytes;
import static io.dht4j.testkit.transport.Calls.echo;
import static io.dht4j.testkit.transport.Calls.reply;
import static io.dht4j.testkit.transport.Calls.within;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dht4j.spi.Transport;
import io.dht4j.testkit.transport.OpenTransports;
import io.dht4j.transport.common.contract.ConnectionsSuite;
import io.dht4j.transport.tcp.internal.server.TcpServer;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Connections: which are accepted, kept and closed. */
class TcpTransportConnectionsTest implements ConnectionsSuite<TcpTransportOptions> {

    @RegisterExtension
    final OpenTransports transports = new OpenTransports();

    private TcpTransportOptions options =
            TcpTransportOptions.at("127.0.0.1", 0).withDrainTimeout(Duration.ofMillis(100));

    @Override
    public void with(UnaryOperator<TcpTransportOptions> change) {
        options = change.apply(options);
    }

    @Override
    public void withConnectionsPerPeer(int connections) {
        options = options.withConnectionsPerPeer(connections);
    }

    @Override
    public int connections(Transport transport) {
        return server(transport).connections();
    }

    private static TcpServer server(Transport transport) {
        return Objects.requireNonNull(((TcpTransport) transport).server());
    }

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
    void aCallerThatStopsWithinARequestIsIdle() throws IOException {
        options = options.withIdleTimeout(Duration.ofSeconds(1));
        Started server = start(echo());
        try (RawConnection caller = RawConnection.greetedBy(server.port())) {
            caller.send(RawConnection.requestBegins(1, 1 << 20, bytes("only the beginning")));
            caller.awaitEnd();
        }
        await().atMost(PATIENCE).until(() -> server(server.transport()).inFlightBytes() == 0);
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
        await().atMost(PATIENCE).until(() -> connections(server.transport()) == 1);
        assertThat(reply(client.call(server, bytes("b"), within(PATIENCE)))).isEqualTo(bytes("b"));
    }

    private static byte[] concat(byte[] one, byte[] two) {
        byte[] both = Arrays.copyOf(one, one.length + two.length);
        System.arraycopy(two, 0, both, one.length, two.length);
        return both;
    }
}
