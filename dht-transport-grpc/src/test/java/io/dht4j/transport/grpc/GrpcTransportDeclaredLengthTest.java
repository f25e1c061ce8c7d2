package io.dht4j.transport.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dht4j.transport.grpc.internal.server.PeerServer;
import io.dht4j.transport.grpc.internal.wire.PeerMethods;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Callers of the unary method that send something else than what they declare, in HTTP/2 frames made by hand. */
class GrpcTransportDeclaredLengthTest {

    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int RST_STREAM = 3;
    private static final int SETTINGS = 4;
    private static final int END_STREAM = 1;
    private static final int END_HEADERS = 4;
    private static final int STREAM = 1;

    private final AtomicInteger handled = new AtomicInteger();
    private final GrpcTransport transport = GrpcTransport.create(GrpcTransportOptions.at("127.0.0.1", 0)
            .withMode(GrpcMode.UNARY)
            .withMaxFrameBytes(8 << 20)
            .withIdleTimeout(Duration.ofSeconds(1))
            .withDrainTimeout(Duration.ofMillis(100)));

    @BeforeEach
    void start() throws Exception {
        transport
                .start((request, context) -> {
                    handled.incrementAndGet();
                    return CompletableFuture.completedFuture(request);
                })
                .toCompletableFuture()
                .get(30, TimeUnit.SECONDS);
    }

    @AfterEach
    void close() {
        transport.close();
    }

    @Test
    void aCallThatSendsWhatItDeclaredIsHandled() throws IOException {
        try (Caller caller = new Caller()) {
            caller.begin(10);
            caller.sendLast(messageHead(10), new byte[10]);
            caller.awaitEnd();
        }
        assertThat(handled).hasValue(1);
    }

    @Test
    void callOverItsDeclaredLengthEndsEarly() throws IOException {
        for (int declared : new int[] {0, 1, 100}) {
            try (Caller caller = new Caller()) {
                caller.begin(declared);
                // One byte more than declared, of a message that says that megabytes come.
                caller.send(messageHead(8 << 20), new byte[declared + 1]);
                caller.awaitEnd();
            }
            assertNothingHeld();
        }
        assertThat(handled).hasValue(0);
    }

    @Test
    void aCallWithASecondMessageIsEnded() throws IOException {
        try (Caller caller = new Caller()) {
            caller.begin(10);
            caller.send(messageHead(10), new byte[10], messageHead(8 << 20), new byte[1]);
            caller.awaitEnd();
        }
        assertNothingHeld();
        assertThat(handled).hasValue(0);
    }

    @Test
    void aCallerThatStopsWithinARequestIsIdle() throws IOException {
        try (Caller caller = new Caller()) {
            caller.begin(1 << 20);
            caller.send(messageHead(1 << 20), new byte[100]);
            // An hour before its deadline.
            caller.awaitEnd();
        }
        assertNothingHeld();
        assertThat(handled).hasValue(0);
    }

    private static byte[] messageHead(int length) {
        return new byte[] {0, (byte) (length >> 24), (byte) (length >> 16), (byte) (length >> 8), (byte) length};
    }

    private void assertNothingHeld() {
        PeerServer server = Objects.requireNonNull(transport.server());
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            assertThat(server.inFlight()).isZero();
            assertThat(server.inFlightBytes()).isZero();
        });
    }

    /** One connection with one call that never ends by itself. */
    private final class Caller implements AutoCloseable {

        private final Socket socket = new Socket(InetAddress.getLoopbackAddress(), transport.port());
        private final DataOutputStream out = new DataOutputStream(socket.getOutputStream());
        private final DataInputStream in = new DataInputStream(socket.getInputStream());

        Caller() throws IOException {
            socket.setSoTimeout(30_000);
            out.writeBytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
            frame(SETTINGS, 0, 0, new byte[0]);
        }

        void begin(int declared) throws IOException {
            ByteArrayOutputStream headers = new ByteArrayOutputStream();
            for (Map.Entry<String, String> header : Map.of(
                            ":method", "POST",
                            ":scheme", "http",
                            ":path", "/" + PeerMethods.UNARY_NAME,
                            ":authority", "localhost")
                    .entrySet()) {
                literal(headers, header.getKey(), header.getValue());
            }
            literal(headers, "content-type", "application/grpc");
            literal(headers, "te", "trailers");
            // Long enough that only a refusal ends the call in time.
            literal(headers, "grpc-timeout", "1H");
            literal(headers, "dht-length", Integer.toString(declared));
            frame(HEADERS, END_HEADERS, STREAM, headers.toByteArray());
        }

        void send(byte[]... parts) throws IOException {
            data(0, parts);
        }

        void sendLast(byte[]... parts) throws IOException {
            data(END_STREAM, parts);
        }

        private void data(int flags, byte[]... parts) throws IOException {
            ByteArrayOutputStream body = new ByteArrayOutputStream();
            for (byte[] part : parts) {
                body.write(part);
            }
            frame(DATA, flags, STREAM, body.toByteArray());
        }

        /** Reads until the server has ended the call. */
        void awaitEnd() throws IOException {
            while (true) {
                int lengthAndType = in.readInt();
                int flags = in.readUnsignedByte();
                int stream = in.readInt();
                in.skipNBytes(lengthAndType >>> 8);
                int type = lengthAndType & 0xff;
                if (stream == STREAM && (type == RST_STREAM || (type == HEADERS && (flags & 1) != 0))) {
                    return;
                }
            }
        }

        /** Neither indexed nor compressed: RFC 7541, section 6.2.2. */
        private static void literal(ByteArrayOutputStream headers, String name, String value) {
            headers.write(0);
            for (String text : new String[] {name, value}) {
                headers.write(text.length());
                headers.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
            }
        }

        private void frame(int type, int flags, int stream, byte[] payload) throws IOException {
            out.writeInt(payload.length << 8 | type);
            out.writeByte(flags);
            out.writeInt(stream);
            out.write(payload);
            out.flush();
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}
