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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** What the two modes share. */
abstract class GrpcTransportContract extends SocketTransportContract implements GrpcConnectionsSuite {

    GrpcTransportOptions options;

    GrpcTransportContract(GrpcMode mode) {
        options = GrpcTransportOptions.at("127.0.0.1", 0).withMode(mode).withDrainTimeout(Duration.ofMillis(100));
    }

    @Override
    public void with(UnaryOperator<GrpcTransportOptions> change) {
        options = change.apply(options);
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
    void nodesOfBothModesCallEachOther() {
        Started one = start(echo());
        options = options.withMode(options.mode() == GrpcMode.UNARY ? GrpcMode.STREAM : GrpcMode.UNARY);
        Started two = start(echo());
        assertThat(reply(one.call(two, bytes("a"), within(PATIENCE)))).isEqualTo(bytes("a"));
        assertThat(reply(two.call(one, bytes("b"), within(PATIENCE)))).isEqualTo(bytes("b"));
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
