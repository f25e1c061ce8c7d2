package io.dht4j.transport.tcp;

import static io.dht4j.transport.tcp.RawConnection.record;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Node;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Frame;
import io.dht4j.spi.TransportException;
import io.dht4j.spi.TransportException.Outcome;
import io.dht4j.spi.TransportException.Reason;
import io.dht4j.testkit.transport.Calls;
import io.dht4j.transport.tcp.internal.wire.Hello;
import io.dht4j.transport.tcp.internal.wire.RecordType;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Peers that answer what no peer answers. */
class TcpTransportLyingPeerTest {

    private final TcpTransport caller = TcpTransport.create(
            TcpTransportOptions.callingOnly().withMaxFrameBytes(16 << 20).withDrainTimeout(Duration.ofMillis(100)));

    /** What a peer does with a connection, once it has read the caller's hello. */
    private interface Behaviour {
        void serve(RawConnection connection) throws IOException;
    }

    @BeforeEach
    void start() throws Exception {
        caller.start((request, context) -> CompletableFuture.completedFuture(request))
                .toCompletableFuture()
                .get(30, TimeUnit.SECONDS);
    }

    @AfterEach
    void close() {
        caller.close();
    }

    private TransportException failureOf(byte[] request, Behaviour behaviour) throws Exception {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            listener.setSoTimeout(30_000);
            Node peer = Node.of("peer", "127.0.0.1:" + listener.getLocalPort());
            CompletableFuture<byte[]> call = caller.call(
                            peer, Frame.of(request), new CallContext(System::nanoTime, TimeUnit.HOURS.toNanos(1)))
                    .toCompletableFuture();
            try (RawConnection connection = new RawConnection(listener.accept())) {
                connection.readHello();
                behaviour.serve(connection);
                return Calls.failure(call);
            }
        }
    }

    private static Behaviour answer(ByteBuffer record) {
        return connection -> {
            connection.send(RawConnection.calleeHello());
            connection.read();
            connection.send(record);
        };
    }

    @Test
    void invalidRepliesEndTheConnectionAsUnknown() throws Exception {
        ByteBuffer[] wrong = {
            record(99, 1, 0),
            record(RecordType.REQUEST, 1, 8).putLong(1),
            record(RecordType.PING, 1, 0),
            record(RecordType.CANCEL, 1, 0),
            record(RecordType.REPLY, 2, 0),
            record(RecordType.REPLY, 0, 0),
            record(RecordType.REPLY, 1, -1),
            record(RecordType.REPLY, 1, Integer.MAX_VALUE),
            record(RecordType.PART, 1, 1).put((byte) 0),
            record(RecordType.REPLY_BEGINS, 1, 4).putInt((16 << 20) + 1),
            record(RecordType.REPLY_BEGINS, 1, 4).putInt(Integer.MAX_VALUE),
            record(RecordType.REPLY_BEGINS, 1, 4).putInt(-1),
            record(RecordType.REPLY_BEGINS, 1, 5)
                    .putInt(3)
                    .put((byte) 1)
                    .put(record(RecordType.PART, 1, 3).put(new byte[3]).flip()),
            record(RecordType.REPLY_BEGINS, 1, 5)
                    .putInt(3)
                    .put((byte) 1)
                    .put(record(RecordType.REPLY, 1, 0).flip())
        };
        for (ByteBuffer record : wrong) {
            TransportException error = failureOf(new byte[1], answer(record));
            assertThat(error).hasMessageContaining("connection lost before the reply");
            assertThat(error.outcome()).isEqualTo(Outcome.UNKNOWN);
        }
    }

    @Test
    void aReplyToHalfARequestEndsTheConnection() throws Exception {
        // The peer reads one record and no more, so the rest of the request is still there.
        TransportException error = failureOf(
                new byte[16 << 20], answer(record(RecordType.REPLY, 1, 1).put((byte) 7)));
        assertThat(error).hasMessageContaining("has not been sent to its end");
        assertThat(error.outcome()).isEqualTo(Outcome.NOT_SENT);
    }

    @Test
    void refusalsAreNotSentAndFailuresUnknown() throws Exception {
        byte[] why = "not\ntoday".getBytes(UTF_8);
        TransportException refused = failureOf(
                new byte[1], answer(record(RecordType.REFUSED, 1, why.length).put(why)));
        assertThat(refused)
                .hasMessageContaining("not\\ntoday")
                .extracting("outcome")
                .isEqualTo(Outcome.NOT_SENT);
        TransportException noRoom = failureOf(
                new byte[1], answer(record(RecordType.NO_ROOM, 1, why.length).put(why)));
        assertThat(noRoom.reason()).isEqualTo(Reason.NO_ROOM);
        TransportException failed = failureOf(
                new byte[1], answer(record(RecordType.FAILED, 1, why.length).put(why)));
        assertThat(failed)
                .hasMessageContaining("not\\ntoday")
                .extracting("outcome")
                .isEqualTo(Outcome.UNKNOWN);
    }

    @Test
    void aRefusalInTheHelloIsPassedOnAndNothingWasSent() throws Exception {
        TransportException error = failureOf(
                new byte[1],
                connection ->
                        connection.send(Hello.refusal("we do not know you").encode()));
        assertThat(error).hasMessageContaining("we do not know you");
        assertThat(error.outcome()).isEqualTo(Outcome.NOT_SENT);
    }

    @Test
    void wrongHellosMeanThatNothingWasSent() throws Exception {
        byte[] later = RawConnection.calleeHello();
        later[4] = 2;
        byte[] other = RawConnection.calleeHello();
        other[0] = 'H';
        for (byte[] hello : new byte[][] {later, other, RawConnection.callerHello()}) {
            TransportException error = failureOf(new byte[1], connection -> connection.send(hello));
            assertThat(error).hasMessageContaining("cannot connect: it sent ");
            assertThat(error.outcome()).isEqualTo(Outcome.NOT_SENT);
        }
    }

    @Test
    void answersToEndedCallsAreIgnored() throws Exception {
        TransportException error = failureOf(new byte[1], connection -> {
            connection.send(RawConnection.calleeHello());
            connection.read();
            connection.send(record(RecordType.REFUSED, 1, 0));
            connection.send(record(RecordType.REPLY, 1, 2).put(new byte[2]));
            connection.send(record(RecordType.REPLY_BEGINS, 1, 6).putInt(100).put(new byte[2]));
            connection.send(record(RecordType.PART, 1, 2).put(new byte[2]));
            connection.send(record(RecordType.PONG, 0, 0));
        });
        assertThat(error.outcome()).isEqualTo(Outcome.NOT_SENT);
    }
}
