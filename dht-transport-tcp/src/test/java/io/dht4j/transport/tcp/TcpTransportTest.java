package io.dht4j.transport.tcp;

import static io.dht4j.testkit.transport.Calls.PATIENCE;
import static io.dht4j.testkit.transport.Calls.bytes;
import static io.dht4j.testkit.transport.Calls.echo;
import static io.dht4j.testkit.transport.Calls.failure;
import static io.dht4j.testkit.transport.Calls.reply;
import static io.dht4j.testkit.transport.Calls.within;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dht4j.Node;
import io.dht4j.spi.Frame;
import io.dht4j.spi.Transport;
import io.dht4j.spi.TransportException;
import io.dht4j.spi.TransportException.Outcome;
import io.dht4j.spi.TransportException.Reason;
import io.dht4j.testkit.transport.SocketTransportContract;
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
import org.junit.jupiter.api.Test;

class TcpTransportTest extends SocketTransportContract {

    private TcpTransportOptions options =
            TcpTransportOptions.at("127.0.0.1", 0).withDrainTimeout(Duration.ofMillis(100));

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
    void callsOverTheBoundOfCallsFailAtOnceAsNotSent() {
        options = options.withMaxQueuedPerPeer(10);
        CompletableFuture<byte[]> held = new CompletableFuture<>();
        Started server = start((request, context) -> held);
        Started client = start(echo());
        List<CompletableFuture<byte[]>> calls = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            calls.add(client.call(server, bytes("a"), within(PATIENCE)));
        }
        assertThat(calls.subList(10, 50)).allSatisfy(call -> assertThat(call).isCompletedExceptionally());
        calls.subList(10, 50).forEach(TcpTransportTest::assertNoRoom);
        held.complete(bytes("b"));
        calls.subList(0, 10).forEach(call -> assertThat(reply(call)).isEqualTo(bytes("b")));
        assertThat(reply(client.call(server, bytes("a"), within(PATIENCE)))).isEqualTo(bytes("b"));
    }

    @Test
    void callsOverTheBoundOfBytesFailAtOnceAsNotSentButASingleLargeOnePasses() {
        options = options.withMaxQueuedBytesPerPeer(1_000);
        CompletableFuture<byte[]> held = new CompletableFuture<>();
        Started server = start((request, context) -> held);
        Started client = start(echo());
        List<CompletableFuture<byte[]>> calls = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            calls.add(client.call(server, new byte[5_000], within(PATIENCE)));
        }
        assertThat(calls.subList(1, 20)).allSatisfy(call -> assertThat(call).isCompletedExceptionally());
        calls.subList(1, 20).forEach(TcpTransportTest::assertNoRoom);
        held.complete(bytes("b"));
        assertThat(reply(calls.get(0))).isEqualTo(bytes("b"));
        assertThat(reply(client.call(server, new byte[5_000], within(PATIENCE))))
                .isEqualTo(bytes("b"));
    }

    @Test
    void whatAPeerRefusesForLackOfRoomWasNotSent() {
        options = options.withMaxInFlight(3);
        CompletableFuture<byte[]> held = new CompletableFuture<>();
        Recorder recorder = new Recorder((request, context) -> held);
        Started server = start(recorder);
        Started client = start(echo());
        List<CompletableFuture<byte[]>> calls = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            calls.add(client.call(server, bytes("a"), within(PATIENCE)));
        }
        recorder.awaitCount(3);
        assertThat(failure(client.call(server, bytes("a"), within(PATIENCE))))
                .hasMessageContaining("3 requests are under way")
                .extracting("outcome", "reason")
                .containsExactly(Outcome.NOT_SENT, Reason.NO_ROOM);
        held.complete(bytes("b"));
        calls.forEach(call -> assertThat(reply(call)).isEqualTo(bytes("b")));
        assertThat(reply(client.call(server, bytes("a"), within(PATIENCE)))).isEqualTo(bytes("b"));
        assertThat(recorder.count()).isEqualTo(4);
        assertHoldsNothing(server);
    }

    @Test
    void whatAPeerRefusesForItsBytesWasNotSent() {
        options = options.withMaxFrameBytes(100_000).withMaxInFlightBytes(250_000);
        CompletableFuture<byte[]> held = new CompletableFuture<>();
        Recorder recorder = new Recorder((request, context) -> held);
        Started server = start(recorder);
        Started client = start(echo());
        CompletableFuture<byte[]> one = client.call(server, new byte[100_000], within(PATIENCE));
        CompletableFuture<byte[]> two = client.call(server, new byte[100_000], within(PATIENCE));
        recorder.awaitCount(2);
        assertThat(failure(client.call(server, new byte[100_000], within(PATIENCE))))
                .hasMessageContaining("250000 bytes are under way")
                .extracting("outcome", "reason")
                .containsExactly(Outcome.NOT_SENT, Reason.NO_ROOM);
        held.complete(bytes("b"));
        assertThat(reply(one)).isEqualTo(bytes("b"));
        assertThat(reply(two)).isEqualTo(bytes("b"));
        assertThat(recorder.count()).isEqualTo(2);
        assertHoldsNothing(server);
    }

    @Test
    void whatAPeerRefusesForItsSizeWasNotSent() {
        Started client = start(echo());
        options = options.withMaxFrameBytes(100_000);
        Recorder recorder = new Recorder(echo());
        Started server = start(recorder);
        assertThat(reply(client.call(server, new byte[100_000], within(PATIENCE))))
                .hasSize(100_000);
        for (int size : new int[] {100_001, 1 << 20}) {
            assertThat(failure(client.call(server, new byte[size], within(PATIENCE))))
                    .hasMessageContaining("a frame may have 100000 bytes, not " + size)
                    .extracting("outcome", "reason")
                    .containsExactly(Outcome.NOT_SENT, Reason.OTHER);
        }
        assertThat(recorder.count()).isEqualTo(1);
        assertThat(reply(client.call(server, bytes("next"), within(PATIENCE)))).isEqualTo(bytes("next"));
        assertHoldsNothing(server);
    }

    @Test
    void aFailedHandlerIsNamedToTheCallerInOneLine() {
        Started server = start((request, context) -> {
            throw new IllegalStateException("the reason\nof it");
        });
        Started client = start(echo());
        assertThat(failure(client.call(server, bytes("a"), within(PATIENCE))))
                .hasMessageContaining("the reason\\nof it")
                .extracting("outcome")
                .isEqualTo(Outcome.UNKNOWN);
        assertHoldsNothing(server);
    }

    @Test
    void requestsThatAreNeverAnsweredAreForgottenAtTheirDeadline() {
        Recorder recorder = new Recorder((request, context) -> new CompletableFuture<>());
        Started server = start(recorder);
        Started client = start(echo());
        List<CompletableFuture<byte[]>> calls = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            calls.add(client.call(server, new byte[1_000], within(Duration.ofMillis(500))));
        }
        calls.forEach(call -> assertThat(call).failsWithin(PATIENCE));
        assertHoldsNothing(server);
    }

    @Test
    void aPeerMayBeNamedOrHaveAnAddressOfVersion6() {
        Started server = start(echo());
        Started client = start(echo());
        int port = ((TcpTransport) server.transport()).port();
        Node named = Node.of("server", "localhost:" + port);
        assertThat(reply(client.transport()
                        .call(named, Frame.of(bytes("a")), within(PATIENCE))
                        .toCompletableFuture()))
                .isEqualTo(bytes("a"));
        Node unknown = Node.of("server", "no-such-host.invalid:" + port);
        assertThat(failure(client.transport()
                                .call(unknown, Frame.of(bytes("a")), within(PATIENCE))
                                .toCompletableFuture())
                        .outcome())
                .isEqualTo(Outcome.NOT_SENT);
        Node nobody = Node.of("server", "[::1]:" + port);
        assertThat(failure(client.transport()
                                .call(nobody, Frame.of(bytes("a")), within(PATIENCE))
                                .toCompletableFuture())
                        .outcome())
                .isEqualTo(Outcome.NOT_SENT);
    }

    @Test
    void aTransportThatOnlyCallsDoesNotListen() {
        Started server = start(echo());
        try (TcpTransport caller = TcpTransport.create(TcpTransportOptions.callingOnly())) {
            caller.start(echo()).toCompletableFuture().join();
            assertThat(caller.port()).isZero();
            assertThat(reply(caller.call(server.node(), Frame.of(bytes("a")), within(PATIENCE))
                            .toCompletableFuture()))
                    .isEqualTo(bytes("a"));
        }
    }

    @Test
    void plaintextBeyondThisMachineHasToBeAskedFor() {
        TcpTransportOptions everywhere = TcpTransportOptions.at("0.0.0.0", 0);
        try (TcpTransport refused = TcpTransport.create(everywhere);
                TcpTransport allowed = TcpTransport.create(everywhere.withPlaintextAllowed())) {
            assertThat(refused.start(echo()).toCompletableFuture())
                    .failsWithin(PATIENCE)
                    .withThrowableThat()
                    .havingCause()
                    .isInstanceOf(TransportException.class)
                    .withMessageContaining("0.0.0.0")
                    .withMessageContaining("withPlaintextAllowed()");
            assertThat(allowed.start(echo()).toCompletableFuture()).succeedsWithin(PATIENCE);
        }
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
    void aPeerThatTakesAConnectionAndDoesNotGreetIsGivenUpInTimeAndNothingWasSent() throws IOException {
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

    private static void assertNoRoom(CompletableFuture<byte[]> call) {
        assertThat(failure(call)).extracting("outcome", "reason").containsExactly(Outcome.NOT_SENT, Reason.NO_ROOM);
    }

    private static TcpServer server(Started started) {
        return Objects.requireNonNull(((TcpTransport) started.transport()).server());
    }

    private static void assertHoldsNothing(Started started) {
        await().atMost(PATIENCE).untilAsserted(() -> {
            assertThat(server(started).inFlight()).isZero();
            assertThat(server(started).inFlightBytes()).isZero();
        });
    }
}
