package io.dht4j.transport.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dht4j.Node;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Frame;
import io.dht4j.transport.grpc.internal.server.PeerServer;
import io.dht4j.transport.grpc.internal.wire.PeerMethods;
import io.dht4j.transport.grpc.internal.wire.RecordHead;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What no transport sends, at the peer endpoint: bytes that are no HTTP/2, and messages that are no records. */
class GrpcTransportFuzzTest {

    private static final byte[] PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1);
    private static final byte[] SETTINGS = {0, 0, 0, 4, 0, 0, 0, 0, 0};

    private final GrpcTransport transport = GrpcTransport.create(GrpcTransportOptions.at("127.0.0.1", 0)
            .withMaxFrameBytes(1 << 20)
            .withMaxInFlight(100)
            .withMaxInFlightBytes(8 << 20)
            .withDrainTimeout(Duration.ofMillis(100)));

    private ManagedChannel channel;

    @BeforeEach
    void start() throws Exception {
        channel = start(transport);
    }

    /** Starts a transport that sends each request back, and returns a channel to it. */
    private static ManagedChannel start(GrpcTransport echo) throws Exception {
        echo.start((request, context) -> CompletableFuture.completedFuture(request))
                .toCompletableFuture()
                .get(30, TimeUnit.SECONDS);
        return NettyChannelBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), echo.port()))
                .usePlaintext()
                .build();
    }

    @AfterEach
    void close() throws InterruptedException {
        channel.shutdownNow();
        assertThat(channel.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
        transport.close();
    }

    @Test
    void invalidHttp2BytesCloseTheirConnection() throws Exception {
        for (int seed = 0; seed < 300; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            byte[] noise = new byte[random.nextInt(2_000)];
            random.nextBytes(noise);
            byte[] bytes = switch (random.nextInt(4)) {
                case 0 -> noise;
                case 1 -> concat(PREFACE, noise);
                case 2 -> concat(concat(PREFACE, SETTINGS), noise);
                default -> concat(concat(PREFACE, SETTINGS), frameOf(noise, random));
            };
            exchange(bytes);
            if (seed % 50 == 0) {
                assertServes();
            }
        }
        assertServes();
        assertNothingHeld();
    }

    /** A frame with a right length and anything else. */
    private static byte[] frameOf(byte[] noise, SplittableRandom random) {
        ByteBuffer frame = ByteBuffer.allocate(9 + noise.length);
        frame.put((byte) 0).putShort((short) noise.length);
        frame.put((byte) random.nextInt(11)).put((byte) random.nextInt()).putInt(random.nextInt(4));
        return frame.put(noise).array();
    }

    @Test
    void malformedMessagesEndTheirStreamAndGoodCallsAreServed() throws Exception {
        for (int seed = 0; seed < 300; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            Answer answer = new Answer();
            ClientCall<InputStream, InputStream> call = open(answer);
            for (int i = random.nextInt(4); i >= 0; i--) {
                call.sendMessage(new ByteArrayInputStream(badMessage(random)));
            }
            call.halfClose();
            Status status = answer.get();
            assertThat(status.getCode()).as("seed %d", seed).isIn(Status.Code.OK, Status.Code.INVALID_ARGUMENT);
            if (!status.isOk()) {
                assertThat(status.getDescription()).as("seed %d", seed).startsWith("malformed message: ");
            }
            if (seed % 50 == 0) {
                assertServes();
            }
        }
        assertServes();
        assertNothingHeld();
    }

    private static byte[] badMessage(SplittableRandom random) {
        byte[] noise = new byte[random.nextInt(500)];
        random.nextBytes(noise);
        byte[] good = records(random);
        return switch (random.nextInt(4)) {
            case 0 -> noise;
            case 1 -> Arrays.copyOf(good, random.nextInt(good.length));
            case 2 -> {
                for (int i = random.nextInt(5); i >= 0; i--) {
                    good[random.nextInt(good.length)] = (byte) random.nextInt();
                }
                yield good;
            }
            default -> concat(good, noise);
        };
    }

    /** Good records, at least if nothing came before them. */
    private static byte[] records(SplittableRandom random) {
        ByteBuffer records = ByteBuffer.allocate(10_000);
        for (int i = random.nextInt(10); i >= 0; i--) {
            byte[] frame = new byte[random.nextInt(200)];
            records.put((byte) RecordHead.REQUEST).putLong(i).putInt(frame.length);
            records.putLong(1 + random.nextInt(1_000_000)).put(frame);
            if (random.nextInt(4) == 0) {
                records.put((byte) RecordHead.CANCEL).putLong(i).putInt(0);
            }
        }
        records.put((byte) RecordHead.REQUEST_BEGINS).putLong(100).putInt(3);
        records.putLong(1_000_000).putInt(6).put(new byte[3]);
        records.put((byte) RecordHead.PART).putLong(100).putInt(3).put(new byte[3]);
        return Arrays.copyOf(records.array(), records.position());
    }

    @Test
    void refusalNamesTheFaultOfTheMessage() throws Exception {
        assertRefused(
                "record of unknown type 99",
                buffer -> buffer.put((byte) 99).putLong(1).putInt(0));
        assertRefused(
                "message ends within the head",
                buffer -> buffer.put((byte) RecordHead.REQUEST).putInt(1));
        assertRefused(
                "record of 2147483647 bytes",
                buffer -> buffer.put((byte) RecordHead.PART).putLong(1).putInt(Integer.MAX_VALUE));
        assertRefused(
                "record of -1 bytes",
                buffer -> buffer.put((byte) RecordHead.REQUEST)
                        .putLong(1)
                        .putInt(-1)
                        .putLong(1));
        assertRefused(
                "a remaining time of -1",
                buffer -> buffer.put((byte) RecordHead.REQUEST)
                        .putLong(1)
                        .putInt(0)
                        .putLong(-1));
        assertRefused(
                "frame of 1 bytes that begins with 2",
                buffer -> buffer.put((byte) RecordHead.REQUEST_BEGINS)
                        .putLong(1)
                        .putInt(2)
                        .putLong(1)
                        .putInt(1)
                        .putShort((short) 0));
        assertRefused(
                "a record of type 4 from the calling peer",
                buffer -> buffer.put((byte) RecordHead.REPLY).putLong(1).putInt(0));
        assertNothingHeld();
    }

    private void assertRefused(String why, UnaryOperator<ByteBuffer> record) throws Exception {
        ByteBuffer message = record.apply(ByteBuffer.allocate(100));
        Answer answer = new Answer();
        ClientCall<InputStream, InputStream> call = open(answer);
        call.sendMessage(new ByteArrayInputStream(message.array(), 0, message.position()));
        Status status = answer.get();
        assertThat(status.getCode()).as(why).isEqualTo(Status.Code.INVALID_ARGUMENT);
        assertThat(status.getDescription()).contains(why);
    }

    @Test
    void aFrameThatIsAnnouncedTooLargeIsRefusedBeforeItComes() throws Exception {
        ByteBuffer message = ByteBuffer.allocate(100);
        message.put((byte) RecordHead.REQUEST_BEGINS).putLong(7).putInt(1);
        message.putLong(1_000_000).putInt(Integer.MAX_VALUE).put((byte) 0);
        assertIsAnsweredByRefusal(message, "a frame may have 1048576 bytes, not 2147483647");
    }

    @Test
    void olderCallersAreRefusedWithoutTheNoRoomReason() throws Exception {
        ByteBuffer message = ByteBuffer.allocate(1_000);
        for (int i = 0; i < 9; i++) {
            message.put((byte) RecordHead.REQUEST_BEGINS).putLong(i).putInt(1);
            message.putLong(600_000_000).putInt(1 << 20).put((byte) 0);
        }
        assertIsAnsweredByRefusal(message, "8388608 bytes are under way");
    }

    private void assertIsAnsweredByRefusal(ByteBuffer message, String why) throws Exception {
        Answer answer = new Answer();
        ClientCall<InputStream, InputStream> call = open(answer);
        call.sendMessage(new ByteArrayInputStream(message.array(), 0, message.position()));
        call.halfClose();
        assertThat(answer.get()).extracting(Status::getCode).isEqualTo(Status.Code.OK);
        byte[] replies = answer.messages.remove();
        assertThat(replies[0]).isEqualTo((byte) RecordHead.REFUSED);
        assertThat(new String(replies, StandardCharsets.UTF_8)).contains(why);
        assertNothingHeld();
    }

    @Test
    void announcedBytesCountUntilTheStreamEnds() throws Exception {
        Answer answer = new Answer();
        ClientCall<InputStream, InputStream> call = open(answer);
        ByteBuffer message = ByteBuffer.allocate(1_000);
        for (int i = 0; i < 8; i++) {
            message.put((byte) RecordHead.REQUEST_BEGINS).putLong(i).putInt(1);
            message.putLong(600_000_000).putInt(1 << 20).put((byte) 0);
        }
        call.sendMessage(new ByteArrayInputStream(message.array(), 0, message.position()));
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(server().inFlightBytes()).isEqualTo(8 << 20));
        assertThat(echo(new byte[1]))
                .failsWithin(Duration.ofSeconds(30))
                .withThrowableThat()
                .withMessageContaining("8388608 bytes are under way");
        call.cancel("enough", null);
        assertNothingHeld();
        assertServes();
    }

    @Test
    void aCallerThatStopsWithinARequestIsIdle() throws Exception {
        GrpcTransportOptions options = GrpcTransportOptions.at("127.0.0.1", 0).withIdleTimeout(Duration.ofSeconds(1));
        try (GrpcTransport impatient = GrpcTransport.create(options)) {
            ManagedChannel other = start(impatient);
            try {
                Answer answer = new Answer();
                ClientCall<InputStream, InputStream> call = open(other, answer);
                ByteBuffer message = ByteBuffer.allocate(100);
                message.put((byte) RecordHead.REQUEST_BEGINS).putLong(1).putInt(1);
                message.putLong(TimeUnit.HOURS.toMicros(1)).putInt(1 << 20).put((byte) 0);
                call.sendMessage(new ByteArrayInputStream(message.array(), 0, message.position()));
                assertThat(answer.get().getDescription()).startsWith("nothing moved for 1000 ms");
            } finally {
                other.shutdownNow();
            }
        }
    }

    @Test
    void aPeerThatTakesNoRepliesIsNotReadFrom() throws Exception {
        Answer answer = new Answer();
        ClientCall<InputStream, InputStream> call = channel.newCall(PeerMethods.stream(), CallOptions.DEFAULT);
        call.start(answer, new Metadata());
        // Without request(), no reply is taken.
        byte[] frame = new byte[50_000];
        long sent = 0;
        long most = 100_000_000;
        long end = System.nanoTime() + Duration.ofSeconds(2).toNanos();
        while (sent < most && System.nanoTime() - end < 0) {
            if (call.isReady()) {
                ByteBuffer message = ByteBuffer.allocate(100_000);
                message.put((byte) RecordHead.REQUEST).putLong(sent).putInt(frame.length);
                message.putLong(600_000_000).put(frame);
                call.sendMessage(new ByteArrayInputStream(message.array(), 0, message.position()));
                sent += frame.length;
            } else {
                Thread.onSpinWait();
            }
        }
        // What the bounds let in, and what is on its way in both directions.
        assertThat(sent).isLessThan(most);
        assertThat(server().inFlight()).isLessThanOrEqualTo(100);
        assertThat(server().inFlightBytes()).isLessThanOrEqualTo((8 << 20) + (1 << 20));
        assertServesOrIsFull();
        call.cancel("enough", null);
        assertNothingHeld();
        assertServes();
    }

    private void assertServesOrIsFull() {
        assertThat(echo(new byte[1]).handle((reply, error) -> reply == null ? error.getMessage() : "served"))
                .succeedsWithin(Duration.ofSeconds(30))
                .matches(text -> text.equals("served") || text.contains("under way"));
    }

    private ClientCall<InputStream, InputStream> open(Answer answer) {
        return open(channel, answer);
    }

    private static ClientCall<InputStream, InputStream> open(ManagedChannel to, Answer answer) {
        ClientCall<InputStream, InputStream> call = to.newCall(PeerMethods.stream(), CallOptions.DEFAULT);
        call.start(answer, new Metadata());
        call.request(Integer.MAX_VALUE);
        return call;
    }

    /** What a stream brings. */
    private static final class Answer extends ClientCall.Listener<InputStream> {

        private final CompletableFuture<Status> end = new CompletableFuture<>();
        private final Queue<byte[]> messages = new ConcurrentLinkedQueue<>();

        @Override
        public void onMessage(InputStream message) {
            try {
                messages.add(message.readAllBytes());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            end.complete(status);
        }

        Status get() throws Exception {
            return end.get(30, TimeUnit.SECONDS);
        }
    }

    /** Sends bytes and waits until the server closes, or has nothing to say for a moment. */
    private void exchange(byte[] bytes) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), transport.port())) {
            socket.getOutputStream().write(bytes);
            socket.shutdownOutput();
            socket.setSoTimeout(30_000);
            socket.getInputStream().readAllBytes();
        } catch (SocketException e) {
            // The server hung up while it was written to, as it may.
            return;
        }
    }

    private PeerServer server() {
        return Objects.requireNonNull(transport.server());
    }

    private CompletableFuture<byte[]> echo(byte[] frame) {
        Node self = Node.of("self", "127.0.0.1:" + transport.port());
        return transport
                .call(
                        self,
                        Frame.of(frame),
                        new CallContext(System::nanoTime, Duration.ofSeconds(30).toNanos()))
                .toCompletableFuture();
    }

    private void assertServes() {
        byte[] frame = {1, 2, 3};
        assertThat(echo(frame)).succeedsWithin(Duration.ofSeconds(30)).isEqualTo(frame);
    }

    private void assertNothingHeld() {
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            assertThat(server().inFlight()).isZero();
            assertThat(server().inFlightBytes()).isZero();
        });
    }

    private static byte[] concat(byte[] first, byte[] second) {
        byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }
}
