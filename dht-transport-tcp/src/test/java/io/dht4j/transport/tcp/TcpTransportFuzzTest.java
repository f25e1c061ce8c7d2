package io.dht4j.transport.tcp;

import static io.dht4j.transport.tcp.RawConnection.record;
import static io.dht4j.transport.tcp.RawConnection.request;
import static io.dht4j.transport.tcp.RawConnection.requestBegins;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dht4j.Node;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Frame;
import io.dht4j.testkit.SearchEffort;
import io.dht4j.transport.tcp.internal.server.TcpServer;
import io.dht4j.transport.tcp.internal.wire.Hello;
import io.dht4j.transport.tcp.internal.wire.RecordType;
import java.io.IOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What no transport sends, at the peer endpoint. */
class TcpTransportFuzzTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final TcpTransport transport = TcpTransport.create(TcpTransportOptions.at("127.0.0.1", 0)
            .withMaxFrameBytes(1 << 20)
            .withMaxInFlight(100)
            .withMaxInFlightBytes(8 << 20)
            .withDrainTimeout(Duration.ofMillis(100)));

    @BeforeEach
    void start() throws Exception {
        transport
                .start((request, context) -> CompletableFuture.completedFuture(request))
                .toCompletableFuture()
                .get(30, TimeUnit.SECONDS);
    }

    @AfterEach
    void close() {
        transport.close();
    }

    @Test
    void malformedBytesCloseTheirConnectionOnly() throws Exception {
        for (int seed = 0; seed < SearchEffort.of(300); seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            byte[] noise = new byte[random.nextInt(2_000)];
            random.nextBytes(noise);
            byte[] hello = RawConnection.callerHello();
            byte[] records = damaged(records(random), random);
            byte[] bytes = switch (random.nextInt(5)) {
                case 0 -> noise;
                case 1 -> concat(hello, noise);
                case 2 -> concat(damaged(hello, random), records);
                case 3 -> concat(hello, concat(records, noise));
                default -> concat(hello, records);
            };
            exchange(bytes);
            if (seed % 50 == 0) {
                assertServes();
            }
        }
        assertServes();
        assertNothingHeld();
    }

    private static byte[] damaged(byte[] good, SplittableRandom random) {
        byte[] bytes = Arrays.copyOf(good, random.nextInt(good.length) + 1);
        for (int i = random.nextInt(5); i > 0; i--) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
        }
        return bytes;
    }

    /** Good records, at least if nothing came before them. */
    private static byte[] records(SplittableRandom random) {
        ByteBuffer records = ByteBuffer.allocate(20_000);
        int count = random.nextInt(10);
        for (int i = 1; i <= count; i++) {
            records.put(request(i, new byte[random.nextInt(200)]).flip());
            if (random.nextInt(4) == 0) {
                records.put(record(RecordType.CANCEL, i, 0).flip());
            }
        }
        records.put(record(RecordType.PING, 5, 0).flip());
        records.put(requestBegins(100, 6, new byte[3]).flip());
        records.put(record(RecordType.PART, 100, 3).put(new byte[3]).flip());
        return Arrays.copyOf(records.array(), records.position());
    }

    private static byte[] concat(byte[] one, byte[] two) {
        byte[] both = Arrays.copyOf(one, one.length + two.length);
        System.arraycopy(two, 0, both, one.length, two.length);
        return both;
    }

    /** Sends bytes and waits until the server closes. */
    private void exchange(byte[] bytes) throws IOException {
        try (RawConnection caller = RawConnection.to(transport.port())) {
            caller.send(bytes);
            caller.endOutput();
            caller.awaitEnd();
        } catch (SocketException e) {
            // The server hung up while it was written to, as it may.
            return;
        }
    }

    @Test
    void wrongRecordsEndTheirConnectionAndNothingIsHeld() throws Exception {
        ByteBuffer[] wrong = {
            record(99, 1, 0),
            record(RecordType.REPLY, 1, 1).put((byte) 0),
            record(RecordType.PONG, 1, 0),
            record(RecordType.REQUEST, 1, 7),
            record(RecordType.REQUEST, 1, -1),
            record(RecordType.REQUEST, 1, Integer.MAX_VALUE),
            record(RecordType.REQUEST, 1, 8).putLong(-1),
            record(RecordType.REQUEST, 0, 8).putLong(1),
            record(RecordType.REQUEST, -1, 8).putLong(1),
            record(RecordType.REQUEST_BEGINS, 1, 14).putLong(1).putInt(1).putShort((short) 0),
            record(RecordType.REQUEST_BEGINS, 1, 13).putLong(1).putInt(-1).put((byte) 0),
            record(RecordType.PART, 1, 1).put((byte) 0),
            record(RecordType.PART, 1, 0),
            record(RecordType.CANCEL, 1, 0),
            request(1, new byte[1]).put(request(1, new byte[1]).flip()),
            request(5, new byte[1]).put(request(4, new byte[1]).flip()),
            requestBegins(1, 3, new byte[1])
                    .put(record(RecordType.PART, 1, 3).put(new byte[3]).flip())
        };
        for (ByteBuffer record : wrong) {
            try (RawConnection caller = RawConnection.greetedBy(transport.port())) {
                caller.send(record);
                caller.awaitEnd();
            }
        }
        assertNothingHeld();
        assertServes();
    }

    @Test
    void wrongHellosEndTheirConnection() throws Exception {
        byte[] hello = RawConnection.callerHello();
        for (int at : new int[] {0, 3, 5, 6, 7, 9, 12}) {
            byte[] wrong = hello.clone();
            wrong[at] = (byte) 0xfe;
            assertEnds(wrong);
        }
        byte[] noVersion = hello.clone();
        noVersion[4] = 0;
        assertEnds(noVersion);
        assertEnds(RawConnection.calleeHello());
        assertServes();
    }

    private void assertEnds(byte[] hello) throws IOException {
        try (RawConnection caller = RawConnection.to(transport.port())) {
            caller.send(hello);
            caller.awaitEnd();
        }
    }

    @Test
    void aCallerOfALaterVersionIsAnsweredInThisOne() throws Exception {
        byte[] later = RawConnection.callerHello();
        later[4] = (byte) 200;
        try (RawConnection caller = RawConnection.to(transport.port())) {
            caller.send(later);
            assertThat(caller.readHello()).isEqualTo(new Hello(Hello.Kind.CALLEE, Hello.VERSION, "", ""));
            caller.send(request(7, new byte[] {1, 2}));
            assertThat(caller.read())
                    .usingRecursiveComparison()
                    .isEqualTo(new RawConnection.Received(RecordType.REPLY, 7, new byte[] {1, 2}));
        }
    }

    @Test
    void aFrameThatIsAnnouncedTooLargeIsRefusedBeforeItComes() throws Exception {
        try (RawConnection caller = RawConnection.greetedBy(transport.port())) {
            caller.send(requestBegins(7, Integer.MAX_VALUE, new byte[1]));
            RawConnection.Received answer = caller.read();
            assertThat(answer.type()).isEqualTo(RecordType.REFUSED);
            assertThat(answer.id()).isEqualTo(7);
            assertThat(new String(answer.bytes(), UTF_8)).contains("a frame may have 1048576 bytes, not 2147483647");
            // The rest of it is dropped, and the connection goes on.
            caller.send(record(RecordType.PART, 7, 3).put(new byte[3]));
            caller.send(request(8, new byte[1]));
            assertThat(caller.read().type()).isEqualTo(RecordType.REPLY);
        }
        assertNothingHeld();
    }

    @Test
    void announcedBytesCountUntilTheConnectionEnds() throws Exception {
        try (RawConnection caller = RawConnection.greetedBy(transport.port())) {
            for (int i = 1; i <= 8; i++) {
                caller.send(requestBegins(i, 1 << 20, new byte[1]));
            }
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(server().inFlightBytes()).isEqualTo(8 << 20));
            caller.send(requestBegins(9, 1 << 20, new byte[1]));
            RawConnection.Received refusal = caller.read();
            assertThat(refusal.type()).isEqualTo(RecordType.NO_ROOM);
            assertThat(new String(refusal.bytes(), UTF_8)).contains("8388608 bytes are under way");
            assertThat(echo(new byte[1]))
                    .failsWithin(PATIENCE)
                    .withThrowableThat()
                    .withMessageContaining("8388608 bytes are under way");
        }
        assertNothingHeld();
        assertServes();
    }

    @Test
    void aPeerThatTakesNoRepliesIsNotReadFrom() throws Exception {
        List<Thread> writers = new ArrayList<>();
        try (RawConnection caller = RawConnection.greetedBy(transport.port())) {
            AtomicLong sent = new AtomicLong();
            long most = 500_000_000;
            Thread writer = new Thread(() -> {
                try {
                    for (long id = 1; sent.get() < most; id++) {
                        caller.send(request(id, new byte[30_000]));
                        sent.addAndGet(30_000);
                    }
                } catch (IOException e) {
                    // The test closes the connection.
                    return;
                }
            });
            writers.add(writer);
            writer.start();
            long[] before = {-1};
            await().atMost(PATIENCE).pollInterval(Duration.ofMillis(300)).until(() -> {
                long now = sent.get();
                boolean stands = now > 0 && now == before[0];
                before[0] = now;
                return stands;
            });
            // What the bounds let in, and what the system holds in both directions.
            assertThat(sent.get()).isLessThan(most);
            assertThat(server().inFlight()).isLessThanOrEqualTo(100);
            assertThat(server().inFlightBytes()).isLessThanOrEqualTo((8 << 20) + (1 << 20));
            assertServes();
        }
        await().atMost(PATIENCE).until(() -> !writers.get(0).isAlive());
        assertNothingHeld();
    }

    @Test
    void aFloodOfPingsEndsItsConnection() throws Exception {
        try (RawConnection caller = RawConnection.greetedBy(transport.port())) {
            for (int i = 0; i < 1_000; i++) {
                caller.send(record(RecordType.PING, i, 0));
                assertThat(caller.read().type()).isEqualTo(RecordType.PONG);
            }
            caller.send(record(RecordType.PING, 7, 0));
            caller.awaitEnd();
        }
        assertServes();
    }

    @Test
    void manyRequestsInOneWriteAreAnsweredInOneConnection() throws Exception {
        try (RawConnection caller = RawConnection.greetedBy(transport.port())) {
            ByteBuffer all = ByteBuffer.allocate(100_000);
            for (int i = 1; i <= 50; i++) {
                all.put(request(i, new byte[] {(byte) i}).flip());
            }
            caller.send(all);
            List<Long> ids = new ArrayList<>();
            for (int i = 1; i <= 50; i++) {
                RawConnection.Received answer = caller.read();
                assertThat(answer.bytes()).containsExactly((byte) answer.id());
                ids.add(answer.id());
            }
            assertThat(ids).doesNotHaveDuplicates().hasSize(50);
        } catch (SocketTimeoutException e) {
            throw new AssertionError("an answer is missing", e);
        }
    }

    private TcpServer server() {
        return Objects.requireNonNull(transport.server());
    }

    private CompletableFuture<byte[]> echo(byte[] frame) {
        Node self = Node.of("self", "127.0.0.1:" + transport.port());
        return transport
                .call(self, Frame.of(frame), new CallContext(System::nanoTime, PATIENCE.toNanos()))
                .toCompletableFuture();
    }

    private void assertServes() {
        assertThat(echo(new byte[] {1, 2, 3})).succeedsWithin(PATIENCE).isEqualTo(new byte[] {1, 2, 3});
    }

    private void assertNothingHeld() {
        await().atMost(PATIENCE).untilAsserted(() -> {
            assertThat(server().inFlight()).isZero();
            assertThat(server().inFlightBytes()).isZero();
        });
    }
}
