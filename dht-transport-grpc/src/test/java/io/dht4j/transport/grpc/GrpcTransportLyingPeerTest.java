package io.dht4j.transport.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Node;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Frame;
import io.dht4j.spi.TransportException;
import io.dht4j.spi.TransportException.Outcome;
import io.dht4j.transport.grpc.internal.wire.PeerMethods;
import io.dht4j.transport.grpc.internal.wire.RecordHead;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Peers that speak gRPC and do not keep to what is agreed on a stream. None may make a call hang, or be believed too
 * much.
 */
class GrpcTransportLyingPeerTest {

    private final GrpcTransport caller = GrpcTransport.create(
            GrpcTransportOptions.callingOnly().withMaxFrameBytes(8 << 20).withDrainTimeout(Duration.ofMillis(100)));

    private Consumer<ServerCall<InputStream, InputStream>> answer = call -> {};
    private Server peer;

    @BeforeEach
    void start() throws Exception {
        peer = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .addService(ServerServiceDefinition.builder(PeerMethods.SERVICE)
                        .addMethod(PeerMethods.stream(), (call, headers) -> {
                            call.sendHeaders(new Metadata());
                            call.request(1);
                            return new ServerCall.Listener<InputStream>() {
                                @Override
                                public void onMessage(InputStream message) {
                                    answer.accept(call);
                                }
                            };
                        })
                        .build())
                .build()
                .start();
        caller.start((request, context) -> {
                    throw new AssertionError("nobody calls it");
                })
                .toCompletableFuture()
                .get(30, TimeUnit.SECONDS);
    }

    @AfterEach
    void close() throws InterruptedException {
        caller.close();
        peer.shutdownNow();
        assertThat(peer.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
    }

    private static ByteBuffer record(int type, long id, int length) {
        return ByteBuffer.allocate(100).put((byte) type).putLong(id).putInt(length);
    }

    private static void send(ServerCall<InputStream, InputStream> call, ByteBuffer message) {
        call.sendMessage(new ByteArrayInputStream(message.array(), 0, message.position()));
    }

    /** With an hour's time: only an end that does not wait for it passes. */
    private TransportException failureOf(byte[] request) throws Exception {
        try {
            byte[] reply = call(request).get(30, TimeUnit.SECONDS);
            throw new AssertionError("a reply of " + reply.length + " bytes");
        } catch (ExecutionException e) {
            assertThat(e.getCause()).isInstanceOf(TransportException.class);
            return (TransportException) e.getCause();
        }
    }

    private CompletableFuture<byte[]> call(byte[] request) {
        Node node = Node.of("peer", "127.0.0.1:" + peer.getPort());
        return caller.call(node, Frame.of(request), new CallContext(System::nanoTime, TimeUnit.HOURS.toNanos(1)))
                .toCompletableFuture();
    }

    @Test
    void answersWithoutACallAreIgnored() throws Exception {
        answer = call -> {
            send(call, record(RecordHead.REPLY, 99, 1).put((byte) 1));
            send(call, record(RecordHead.FAILED, 98, 1).put((byte) 'x'));
            send(call, record(RecordHead.REFUSED, 97, 0));
            send(call, record(RecordHead.NO_ROOM, 94, 1).put((byte) 'x'));
            send(call, record(RecordHead.PART, 96, 2).putShort((short) 1));
            send(call, record(RecordHead.REPLY_BEGINS, 95, 1).putInt(1_000).put((byte) 1));
            send(call, record(RecordHead.REPLY, 1, 1).put((byte) 7));
        };
        assertThat(call(new byte[1]).get(30, TimeUnit.SECONDS)).containsExactly(7);
    }

    @Test
    void invalidReplyEndsTheConnectionAsUnknown() throws Exception {
        for (ByteBuffer wrong : new ByteBuffer[] {
            record(42, 1, 0),
            record(RecordHead.REPLY, 1, 50),
            record(RecordHead.REPLY, 1, -1),
            record(RecordHead.CANCEL, 1, 0),
            record(RecordHead.REQUEST, 1, 0).putLong(1),
            record(RecordHead.PART, 1, 1).put((byte) 1),
            record(RecordHead.REPLY_BEGINS, 1, 0).putInt((8 << 20) + 1),
            record(RecordHead.REPLY_BEGINS, 1, 0).putInt(Integer.MAX_VALUE),
            record(RecordHead.REPLY_BEGINS, 1, 0).putInt(-1),
            ByteBuffer.allocate(100).put((byte) RecordHead.REPLY)
        }) {
            answer = call -> send(call, wrong.duplicate());
            TransportException error = failureOf(new byte[1]);
            assertThat(error).hasMessageContaining("the peer sent what is no reply");
            assertThat(error.outcome()).isEqualTo(Outcome.UNKNOWN);
        }
    }

    @Test
    void aReplyThatIsLongerThanAnnouncedEndsTheConnection() throws Exception {
        answer = call -> {
            send(call, record(RecordHead.REPLY_BEGINS, 1, 1).putInt(3).put((byte) 1));
            send(call, record(RecordHead.PART, 1, 3).put(new byte[3]));
        };
        assertThat(failureOf(new byte[1]).outcome()).isEqualTo(Outcome.UNKNOWN);
    }

    @Test
    void aReplyToHalfARequestEndsTheConnection() throws Exception {
        // The peer reads one message and no more, so the rest of the request is still there.
        answer = call -> send(call, record(RecordHead.REPLY, 1, 1).put((byte) 7));
        byte[] large = new byte[8 << 20];
        TransportException error = failureOf(large);
        assertThat(error).hasMessageContaining("has not been sent to its end");
    }

    @Test
    void streamEndIsNotSentOnlyIfThePeerSaysSo() throws Exception {
        answer = call -> call.close(Status.UNAVAILABLE.withDescription("not today"), PeerMethods.notSent());
        TransportException refused = failureOf(new byte[1]);
        assertThat(refused).hasMessageContaining("not today");
        assertThat(refused.outcome()).isEqualTo(Outcome.NOT_SENT);
        for (Status status : new Status[] {Status.OK, Status.UNAVAILABLE, Status.PERMISSION_DENIED}) {
            answer = call -> call.close(status, new Metadata());
            assertThat(failureOf(new byte[1]).outcome()).as("%s", status).isEqualTo(Outcome.UNKNOWN);
        }
    }

    @Test
    void missingServiceIsReportedAsUnimplemented() throws Exception {
        Server other = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .build()
                .start();
        try {
            Node node = Node.of("other", "127.0.0.1:" + other.getPort());
            assertThat(caller.call(
                                    node,
                                    Frame.of(new byte[1]),
                                    new CallContext(System::nanoTime, TimeUnit.HOURS.toNanos(1)))
                            .toCompletableFuture())
                    .failsWithin(Duration.ofSeconds(30))
                    .withThrowableThat()
                    .withMessageContaining("UNIMPLEMENTED");
        } finally {
            other.shutdownNow();
            assertThat(other.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
        }
    }
}
