package io.dht4j.transport.tcp;

import static io.dht4j.testkit.transport.Calls.bytes;
import static io.dht4j.testkit.transport.Calls.echo;
import static io.dht4j.testkit.transport.Calls.failure;
import static io.dht4j.testkit.transport.Calls.within;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Node;
import io.dht4j.spi.Frame;
import io.dht4j.spi.Transport;
import io.dht4j.spi.TransportException.Outcome;
import io.dht4j.spi.TransportException.Reason;
import io.dht4j.testkit.transport.SocketTransportContract;
import io.dht4j.transport.common.contract.ListenersSuite;
import io.dht4j.transport.common.contract.MultiplexedCallsSuite;
import io.dht4j.transport.common.contract.RefusedRequestsSuite;
import io.dht4j.transport.tcp.internal.server.TcpServer;
import io.dht4j.transport.tcp.internal.wire.Hello;
import io.dht4j.transport.tcp.internal.wire.RecordType;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("jdk")
class TcpTransportTest extends SocketTransportContract
        implements MultiplexedCallsSuite<TcpTransportOptions>,
                RefusedRequestsSuite<TcpTransportOptions>,
                ListenersSuite<TcpTransportOptions> {

    private TcpTransportOptions options =
            TcpTransportOptions.at("127.0.0.1", 0).withDrainTimeout(Duration.ofMillis(100));

    @Override
    public void with(UnaryOperator<TcpTransportOptions> change) {
        options = change.apply(options);
    }

    @Override
    public TcpTransportOptions at(String host, int port) {
        return TcpTransportOptions.at(host, port);
    }

    @Override
    public TcpTransportOptions callingOnly() {
        return TcpTransportOptions.callingOnly();
    }

    @Override
    public Transport create(TcpTransportOptions own) {
        return TcpTransport.create(own);
    }

    @Override
    public int inFlight(Transport transport) {
        return server(transport).inFlight();
    }

    @Override
    public long inFlightBytes(Transport transport) {
        return server(transport).inFlightBytes();
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
        int port = Integer.parseInt(address.substring(address.indexOf(':') + 1));
        return TcpTransport.create(TcpTransportOptions.at("127.0.0.1", port).withDrainTimeout(Duration.ofMillis(100)));
    }

    @Override
    public String address(Transport transport) {
        return "127.0.0.1:" + ((TcpTransport) transport).port();
    }

    @Override
    public int maxFrameBytes() {
        return options.limits().maxFrameBytes();
    }

    @Override
    public Predicate<Thread> ownThreads() {
        return thread -> thread.getName().startsWith("dht4j-tcp");
    }

    @Override
    public Transport newNarrowTransport() {
        return TcpTransport.create(options.withMaxQueuedPerPeer(20).withMaxInFlight(10));
    }

    @Override
    public int requestsAtNarrowTransport() {
        return 10;
    }

    @Override
    public boolean greets() {
        return true;
    }

    /** A hello, and a reply that is longer than what comes of it. */
    @Override
    public byte[] beginningOfReply() {
        ByteBuffer bytes = ByteBuffer.allocate(100);
        bytes.put(Hello.ofCallee(Optional.empty(), Hello.VERSION).encode());
        bytes.putInt(100).put((byte) RecordType.REPLY).putLong(1).put(bytes("the first few"));
        return Arrays.copyOf(bytes.array(), bytes.position());
    }

    @Test
    void whatAPeerDoesNotReadStaysWithTheCallerAndWasNotSent() throws IOException {
        options = options.withMaxQueuedBytesPerPeer(64 << 20);
        try (ServerSocket server = new ServerSocket()) {
            server.setReceiveBufferSize(16 << 10);
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            Started client = start(echo());
            Node peer = Node.of("peer", "127.0.0.1:" + server.getLocalPort());
            byte[] frame = new byte[30_000];
            List<CompletableFuture<byte[]>> calls = new ArrayList<>();
            for (int i = 0; i < 2_500; i++) {
                calls.add(client.transport()
                        .call(peer, Frame.of(frame), within(Duration.ofSeconds(3)))
                        .toCompletableFuture());
            }
            // More than the bound fails at once.
            assertThat(calls.subList(2_300, 2_500))
                    .allSatisfy(call -> assertThat(call).isCompletedExceptionally());
            try (Socket socket = server.accept()) {
                // It says that it is there, and never reads.
                socket.getOutputStream()
                        .write(Hello.ofCallee(Optional.empty(), Hello.VERSION).encode());
                socket.getOutputStream().flush();
                long unknown = calls.stream()
                        .filter(call -> failure(call).outcome() == Outcome.UNKNOWN)
                        .count();
                // What the system's buffers take: the rest was never given to it.
                assertThat(unknown * frame.length).isPositive().isLessThan(32 << 20);
            }
        }
    }

    @Test
    void peerThatAcceptsAndDoesNotGreetTimesOutAsNotSent() throws IOException {
        options = options.withConnectTimeout(Duration.ofMillis(300));
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Started client = start(echo());
            Node peer = Node.of("peer", "127.0.0.1:" + server.getLocalPort());
            // An hour: only an answer that does not wait for the deadline passes.
            assertThat(failure(client.transport()
                            .call(peer, Frame.of(bytes("a")), within(Duration.ofHours(1)))
                            .toCompletableFuture()))
                    .hasMessageContaining("no hello in time")
                    .extracting("outcome")
                    .isEqualTo(Outcome.NOT_SENT);
        }
    }

    /** As an HTTP server does, which waits for the end of a line. */
    @Test
    void aCallThatEndsBeforeThePeerGreetsSaysSo() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Started client = start(echo());
            Node peer = Node.of("peer", "127.0.0.1:" + server.getLocalPort());
            assertThat(failure(client.transport()
                            .call(peer, Frame.of(bytes("a")), within(Duration.ofSeconds(2)))
                            .toCompletableFuture()))
                    .hasMessageEndingWith("deadline passed before the call was sent, no hello came; does a node of this"
                            + " transport listen there?")
                    .extracting("outcome", "reason")
                    .containsExactly(Outcome.NOT_SENT, Reason.SILENT);
        }
    }
}
