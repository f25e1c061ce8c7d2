package io.dht4j.transport.grpc.api;

import static io.dht4j.transport.grpc.api.GrpcApiNodes.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.security.Tls;
import io.dht4j.testkit.tls.TestCertificates;
import io.dht4j.transport.grpc.GrpcTransport;
import io.dht4j.transport.grpc.GrpcTransportOptions;
import io.dht4j.v1.KeyValueGrpc;
import io.dht4j.v1.StatusRequest;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A connection over which nothing comes but what costs its sender nothing is ended, and the sender told why. */
@Timeout(60)
class GrpcApiFloodTest {

    private static final byte[] PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int PRIORITY = 2;
    private static final int RST_STREAM = 3;
    private static final int SETTINGS = 4;
    private static final int PING = 6;
    private static final int GOAWAY = 7;
    private static final int ENHANCE_YOUR_CALM = 11;

    @TempDir
    private static Path directory;

    private static TestCertificates authority;
    private static final SteeredCluster CLUSTER = new SteeredCluster();
    private static GrpcApi plain;
    private static GrpcApi secure;

    /** What comes again and again. */
    enum Flood {
        SETTINGS_WITHOUT_END(1100, out -> frame(out, SETTINGS, 0, 0)),
        ACKNOWLEDGEMENTS(1100, out -> frame(out, SETTINGS, 1, 0)),
        PRIORITIES(1100, out -> frame(out, PRIORITY, 0, 3, 0, 0, 0, 1, 16)),
        UNKNOWN_FRAMES(1100, out -> frame(out, 99, 0, 0, 1, 2, 3)),
        PINGS(100, out -> frame(out, PING, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8)),
        EMPTY_DATA(1100, out -> frame(out, DATA, 0, 1)),
        RESETS(6100, out -> {});

        private final int count;
        private final Consumer<ByteArrayOutputStream> frame;

        Flood(int count, Consumer<ByteArrayOutputStream> frame) {
            this.count = count;
            this.frame = frame;
        }

        byte[] bytes() {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            out.writeBytes(PREFACE);
            frame(out, SETTINGS, 0, 0);
            if (this == EMPTY_DATA) {
                call(out, 1);
            }
            for (int i = 0; i < count; i++) {
                if (this == RESETS) {
                    call(out, 2 * i + 1);
                    frame(out, RST_STREAM, 0, 2 * i + 1, 0, 0, 0, 8);
                } else {
                    frame.accept(out);
                }
            }
            return out.toByteArray();
        }
    }

    private static void frame(ByteArrayOutputStream out, int type, int flags, int stream, int... payload) {
        out.writeBytes(ByteBuffer.allocate(9)
                .put((byte) 0)
                .putShort((short) payload.length)
                .put((byte) type)
                .put((byte) flags)
                .putInt(stream)
                .array());
        for (int each : payload) {
            out.write(each);
        }
    }

    /** The head of a check of the health, without its message. */
    private static void call(ByteArrayOutputStream out, int stream) {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        header(head, ":method", "POST");
        header(head, ":scheme", "http");
        header(head, ":path", "/grpc.health.v1.Health/Check");
        header(head, ":authority", "localhost");
        header(head, "content-type", "application/grpc");
        header(head, "te", "trailers");
        byte[] bytes = head.toByteArray();
        int[] payload = new int[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            payload[i] = bytes[i];
        }
        frame(out, HEADERS, 4, stream, payload);
    }

    /** A literal that is not indexed. */
    private static void header(ByteArrayOutputStream out, String name, String value) {
        out.write(0);
        for (String text : new String[] {name, value}) {
            out.write(text.length());
            out.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
        }
    }

    @BeforeAll
    static void start() {
        authority = TestCertificates.in(directory);
        GrpcApiOptions options = GrpcApiOptions.defaults().withDrainTimeout(Duration.ZERO);
        plain = GrpcApi.listening("127.0.0.1", 0, CLUSTER, options);
        secure = GrpcApi.listening(
                "127.0.0.1",
                0,
                CLUSTER,
                options.withTls(authority.issue("localhost", "127.0.0.1").server()));
    }

    @AfterAll
    static void close() {
        plain.close();
        secure.close();
    }

    @ParameterizedTest
    @EnumSource(Flood.class)
    void aFloodInPlaintextEndsItsConnection(Flood flood) throws Exception {
        assertEnds(new Socket("127.0.0.1", plain.port()), flood);
        assertServes(NettyChannelBuilder.forAddress("127.0.0.1", plain.port())
                .usePlaintext()
                .build());
    }

    @ParameterizedTest
    @EnumSource(
            value = Flood.class,
            names = {"SETTINGS_WITHOUT_END", "PINGS"})
    void aFloodOverTlsEndsItsConnection(Flood flood) throws Exception {
        assertEnds(connectSecurely(), flood);
        assertServes(NettyChannelBuilder.forAddress("127.0.0.1", secure.port())
                .sslContext(GrpcSslContexts.forClient()
                        .trustManager(authority.authority().toFile())
                        .build())
                .build());
    }

    @ParameterizedTest
    @EnumSource(
            value = Flood.class,
            names = {"SETTINGS_WITHOUT_END", "PRIORITIES"})
    void aFloodAtThePortForPeersEndsItsConnection(Flood flood) throws Exception {
        try (GrpcTransport peer = GrpcTransport.create(GrpcTransportOptions.at("127.0.0.1", 0))) {
            peer.start((frame, context) -> CompletableFuture.completedFuture(frame))
                    .toCompletableFuture()
                    .get(30, TimeUnit.SECONDS);
            assertEnds(new Socket("127.0.0.1", peer.port()), flood);
        }
    }

    private static Socket connectSecurely() throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        try (Tls trusting = Tls.load(authority.trusting(), warning -> {})) {
            context.init(null, new TrustManager[] {trusting.trustManager()}, new SecureRandom());
            SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket("127.0.0.1", secure.port());
            SSLParameters parameters = socket.getSSLParameters();
            parameters.setApplicationProtocols(new String[] {"h2"});
            socket.setSSLParameters(parameters);
            socket.startHandshake();
            return socket;
        }
    }

    private static void assertEnds(Socket connection, Flood flood) throws Exception {
        try (Socket socket = connection) {
            socket.setSoTimeout((int) PATIENCE.toMillis());
            byte[] bytes = flood.bytes();
            Thread writer = new Thread(() -> {
                try {
                    socket.getOutputStream().write(bytes);
                    socket.getOutputStream().flush();
                } catch (IOException e) {
                    // The server has ended it before all was sent.
                }
            });
            writer.start();
            assertThat(errorOfGoAway(new DataInputStream(socket.getInputStream())))
                    .isEqualTo(ENHANCE_YOUR_CALM);
            writer.join();
            assertThat(isOver(socket)).isTrue();
        }
    }

    private static int errorOfGoAway(DataInputStream in) throws IOException {
        while (true) {
            int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
            int type = in.readUnsignedByte();
            in.readUnsignedByte();
            in.readInt();
            byte[] payload = in.readNBytes(length);
            if (type == GOAWAY && ByteBuffer.wrap(payload).getInt(4) != 0) {
                return ByteBuffer.wrap(payload).getInt(4);
            }
        }
    }

    private static boolean isOver(Socket socket) {
        try {
            byte[] rest = new byte[4096];
            int read = 0;
            while (read >= 0) {
                read = socket.getInputStream().read(rest);
            }
            return true;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    private static void assertServes(ManagedChannel channel) throws Exception {
        try {
            KeyValueGrpc.newFutureStub(channel)
                    .status(StatusRequest.getDefaultInstance())
                    .get(30, TimeUnit.SECONDS);
        } finally {
            GrpcApiNodes.close(channel);
        }
    }
}
