package io.dht4j.transport.grpc;

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
import io.dht4j.transport.grpc.internal.server.PeerServer;
import java.io.ByteArrayOutputStream;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the two modes share. */
abstract class GrpcTransportContract extends SocketTransportContract {

    GrpcTransportOptions options;

    GrpcTransportContract(GrpcMode mode) {
        options = GrpcTransportOptions.at("127.0.0.1", 0).withMode(mode).withDrainTimeout(Duration.ofMillis(100));
    }

    @Override
    public Transport newTransport() {
        return GrpcTransport.create(options);
    }

    @Override
    public Transport newTransport(String address) {
        int port = Integer.parseInt(address.substring(address.indexOf(':') + 1));
        return GrpcTransport.create(GrpcTransportOptions.at("127.0.0.1", port)
                .withMode(options.mode())
                .withDrainTimeout(Duration.ofMillis(100)));
    }

    @Override
    public String address(Transport transport) {
        return "127.0.0.1:" + ((GrpcTransport) transport).port();
    }

    @Override
    public int maxFrameBytes() {
        return options.limits().maxFrameBytes();
    }

    @Override
    public Predicate<Thread> ownThreads() {
        return thread -> thread.getName().startsWith("dht4j-grpc");
    }

    @Override
    public Transport newNarrowTransport() {
        return GrpcTransport.create(options.withMaxQueuedPerPeer(20).withMaxInFlight(10));
    }

    @Override
    public int requestsAtNarrowTransport() {
        return 10;
    }

    @Override
    public boolean greets() {
        return true;
    }

    /** Settings, headers of an answer to the first call, and a frame of data that is longer than what comes of it. */
    @Override
    public byte[] beginningOfReply() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes(new byte[] {0, 0, 0, 4, 0, 0, 0, 0, 0});
        // ":status: 200" from the static table, "content-type: application/grpc" as a literal.
        byte[] type = bytes("application/grpc");
        bytes.writeBytes(new byte[] {0, 0, (byte) (4 + type.length), 1, 4, 0, 0, 0, 3, (byte) 0x88, 0x0f, 0x10});
        bytes.write(type.length);
        bytes.writeBytes(type);
        bytes.writeBytes(new byte[] {0, 0, 100, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 95});
        bytes.writeBytes(bytes("the first few"));
        return bytes.toByteArray();
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
        calls.subList(10, 50).forEach(GrpcTransportContract::assertNoRoom);
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
        calls.subList(1, 20).forEach(GrpcTransportContract::assertNoRoom);
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
        for (int round = 0; round < 2; round++) {
            assertThat(reply(client.call(server, bytes("a"), within(PATIENCE)))).isEqualTo(bytes("a"));
            await().atMost(PATIENCE).until(() -> connections(server) == 0);
        }
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
    void nodesOfBothModesCallEachOther() {
        Started one = start(echo());
        options = options.withMode(options.mode() == GrpcMode.UNARY ? GrpcMode.STREAM : GrpcMode.UNARY);
        Started two = start(echo());
        assertThat(reply(one.call(two, bytes("a"), within(PATIENCE)))).isEqualTo(bytes("a"));
        assertThat(reply(two.call(one, bytes("b"), within(PATIENCE)))).isEqualTo(bytes("b"));
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
    void aPeerMayBeNamedOrHaveAnAddressOfVersion6() {
        Started server = start(echo());
        Started client = start(echo());
        int port = ((GrpcTransport) server.transport()).port();
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
        try (GrpcTransport caller =
                GrpcTransport.create(GrpcTransportOptions.callingOnly().withMode(options.mode()))) {
            caller.start(echo()).toCompletableFuture().join();
            assertThat(caller.port()).isZero();
            assertThat(reply(caller.call(server.node(), Frame.of(bytes("a")), within(PATIENCE))
                            .toCompletableFuture()))
                    .isEqualTo(bytes("a"));
        }
    }

    @Test
    void plaintextBeyondThisMachineHasToBeAskedFor() {
        GrpcTransportOptions everywhere = GrpcTransportOptions.at("0.0.0.0", 0).withMode(options.mode());
        try (GrpcTransport refused = GrpcTransport.create(everywhere);
                GrpcTransport allowed = GrpcTransport.create(everywhere.withPlaintextAllowed())) {
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

    private static void assertNoRoom(CompletableFuture<byte[]> call) {
        assertThat(failure(call)).extracting("outcome", "reason").containsExactly(Outcome.NOT_SENT, Reason.NO_ROOM);
    }

    private static int connections(Started started) {
        return server(started).connections();
    }

    private static PeerServer server(Started started) {
        return Objects.requireNonNull(((GrpcTransport) started.transport()).server());
    }

    private static void assertHoldsNothing(Started started) {
        await().atMost(PATIENCE).untilAsserted(() -> {
            assertThat(server(started).inFlight()).isZero();
            assertThat(server(started).inFlightBytes()).isZero();
        });
    }
}
