package io.dht4j.simulator.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.Node;
import io.dht4j.ScanScope;
import io.dht4j.Topology;
import io.dht4j.Version;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Frame;
import io.dht4j.spi.Store;
import io.dht4j.spi.Transport;
import io.dht4j.testkit.SearchEffort;
import io.dht4j.testkit.network.LoopbackNetwork;
import io.dht4j.testkit.store.ModelStore;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Hostile frames against a node. Whatever arrives, the answer is a frame, soon and cheaply. */
@Tag("search")
class PeerFramesFuzzTest {

    private static final long SEED = 77;
    /** Of frames between nodes whose names have two letters. */
    private static final int HEADER_BYTES = 3 + 2 * 3 + 4 * 8;

    /** Of replies to frames that do not name their sender. */
    private static final int SHORTEST_HEADER_BYTES = 3 + 3 + 1 + 4 * 8;

    /** From one spoiled bit or byte to the next. It is odd, so that each bit of a byte has its turn. */
    private static final int STEP = SearchEffort.isWhole() ? 1 : 5;

    private static final int FAILED = 0xFF;
    private static final int MAX_VALUE_BYTES = 100_000;

    /** What a node may allocate for a small frame: a reply, a page, and its own bookkeeping. */
    private static final long MAX_ALLOCATION = 4 << 20;

    private final VirtualEnvironment env = VirtualEnvironment.seeded(SEED, 100_000_000);
    private final SplittableRandom random = new SplittableRandom(SEED);
    private final List<byte[]> requests = new ArrayList<>();
    private final Node victimNode = Node.of("n0", "victim:1");
    private final Topology topology = Topology.of(victimNode, Node.of("n1", "attacker:1"));
    private Cluster victim;
    private long entriesBefore;
    private Transport attacker;

    /** A node whose only peer records the frames that it gets, so that there are genuine ones to spoil. */
    @BeforeEach
    void startVictimAndRecordItsRequests() {
        start(new ModelStore());
        CallOptions both = CallOptions.defaults().withPolicy(2, 2).withTimeout(Duration.ofMillis(100));
        Key key = Key.of("key");
        // Since nobody answers, what comes later waits for some time and then goes together.
        List.of(
                        victim.get(key, both),
                        victim.put(key, new byte[20], both),
                        victim.delete(Key.of("deleted"), both),
                        victim.get(Key.of("another"), both),
                        victim.getAll(List.of(key, Key.of("other"), Key.of("third")), both),
                        victim.get(Key.of("last"), both),
                        victim.putAll(new TreeMap<>(Map.of(key, new byte[3], Key.of("other"), new byte[0])), both),
                        victim.delete(key, both),
                        victim.scan(KeyRange.between(Key.of("a"), Key.of("z")), ScanScope.CLUSTER, both)
                                .next(),
                        victim.openSnapshot(Duration.ofSeconds(1), both),
                        victim.snapshot(new Version(5))
                                .scan(KeyRange.between(Key.of("a"), Key.of("z")), both)
                                .next())
                .forEach(stage -> env.runUntil(stage.toCompletableFuture()::isDone, Duration.ofSeconds(1)));
        assertThat(requests)
                .extracting(frame -> (int) frame[1])
                .as("one of each kind, and batches of reads and of writes")
                .contains(1, 2, 3, 4, 5, 20, 22, 24)
                .hasSizeGreaterThanOrEqualTo(8);
        assertThat(requests).filteredOn(frame -> frame[1] == 5).hasSize(2);
        entriesBefore =
                env.await(victim.operations().status(), Duration.ofSeconds(1)).entries();
    }

    private void start(Store store) {
        LoopbackNetwork network = LoopbackNetwork.on(env).withMaxFrameBytes(64 << 20);
        attacker = network.transport("attacker:1");
        env.await(
                attacker.start((request, context) -> {
                    requests.add(FrameBytes.to("n0", request));
                    return new CompletableFuture<>();
                }),
                Duration.ofSeconds(1));
        victim = ClusterBuilder.of("n0", topology)
                .transport(network.transport("victim:1"))
                .store(store)
                .environment(env.newNode())
                .maxValueBytes(MAX_VALUE_BYTES)
                .startPatience(Duration.ZERO)
                .drainTimeout(Duration.ZERO)
                .start();
    }

    @AfterEach
    void theVictimStillServes() {
        CallOptions own = CallOptions.defaults().withPolicy(1, 2);
        Key key = Key.of("afterwards");
        env.await(victim.put(key, new byte[] {1}, own), Duration.ofSeconds(2));
        assertThat(env.await(victim.get(key, own), Duration.ofSeconds(2))).isPresent();
        victim.close();
        attacker.close();
    }

    private byte[] exchange(byte[] frame) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        byte[] reply = env.await(
                attacker.call(victimNode, Frame.of(frame), new CallContext(env::nanoTime, 1_000_000_000)),
                Duration.ofSeconds(2));
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        assertThat(allocated)
                .as("bytes allocated for a frame of %d bytes, seed %d", frame.length, SEED)
                .isLessThan(MAX_ALLOCATION + 20L * frame.length);
        assertThat(reply.length).isGreaterThanOrEqualTo(SHORTEST_HEADER_BYTES);
        assertThat(reply[0]).as("protocol version").isEqualTo((byte) 2);
        assertThat(reply[1] & 0xFF).as("a reply's type").isGreaterThanOrEqualTo(0x80);
        return reply;
    }

    private static ErrorCode errorOf(byte[] reply) {
        return FrameBytes.errorOf(reply);
    }

    @Test
    void frameForAnotherNodeHasNoEffect() {
        for (byte[] request : List.copyOf(requests)) {
            for (String name : List.of("n1", "n", "n00", "N0", "x".repeat(64))) {
                assertThat(errorOf(exchange(FrameBytes.to(name, request)))).isEqualTo(ErrorCode.WRONG_RECIPIENT);
            }
            assertThat(errorOf(exchange(FrameBytes.to("", request)))).isEqualTo(ErrorCode.MALFORMED_FRAME);
        }
        assertThat(env.await(victim.operations().status(), Duration.ofSeconds(1))
                        .entries())
                .isEqualTo(entriesBefore);
    }

    @Test
    void genuineRequestsAreServed() {
        for (byte[] request : List.copyOf(requests)) {
            byte[] reply = exchange(request);
            if (request[1] == 22) {
                assertThat(errorOf(reply)).as("there is no such snapshot").isEqualTo(ErrorCode.SNAPSHOT_GONE);
            } else {
                assertThat(reply[1] & 0xFF).isNotEqualTo(FAILED);
            }
        }
    }

    @Test
    void everyTruncationIsMalformed() {
        for (byte[] request : List.copyOf(requests)) {
            for (int length = 0; length < request.length; length++) {
                ErrorCode error = errorOf(exchange(Arrays.copyOf(request, length)));
                assertThat(error).as("the first %d bytes", length).isEqualTo(ErrorCode.MALFORMED_FRAME);
            }
        }
    }

    @Test
    void bytesBehindTheEndAreMalformed() {
        for (byte[] request : List.copyOf(requests)) {
            assertThat(errorOf(exchange(Arrays.copyOf(request, request.length + 1))))
                    .isEqualTo(ErrorCode.MALFORMED_FRAME);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3, 127, 128, 255})
    void otherProtocolVersionsAreNamed(int version) {
        byte[] frame = requests.get(0).clone();
        frame[0] = (byte) version;
        assertThat(errorOf(exchange(frame))).isEqualTo(ErrorCode.UNSUPPORTED_PROTOCOL);
    }

    @Test
    void framesOverTheLimitAreRefusedWhateverTheyHold() {
        for (int length : new int[] {MAX_VALUE_BYTES + (1 << 20), 32 << 20}) {
            byte[] frame = Arrays.copyOf(requests.get(0), length);
            assertThat(errorOf(exchange(frame))).isEqualTo(ErrorCode.FRAME_TOO_LARGE);
        }
    }

    @Test
    void overstatedLengthsGetAReply() {
        int[] lies = {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE - 8, 1 << 30, 0xFFFF, 0x00FFFFFF};
        for (byte[] request : List.copyOf(requests)) {
            for (int position = HEADER_BYTES; position + 4 <= request.length; position += STEP) {
                for (int lie : lies) {
                    byte[] frame = request.clone();
                    ByteBuffer.wrap(frame).putInt(position, lie);
                    exchange(frame);
                }
            }
        }
    }

    @Test
    void flippedBitsGetAReply() {
        for (byte[] request : List.copyOf(requests)) {
            for (int bit = 0; bit < request.length * Byte.SIZE; bit += STEP) {
                byte[] frame = request.clone();
                frame[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
                exchange(frame);
            }
        }
    }

    @Test
    void randomBytesGetAReply() {
        for (int i = 0; i < SearchEffort.of(20_000); i++) {
            byte[] frame = new byte[random.nextInt(200)];
            random.nextBytes(frame);
            if (frame.length > 0 && random.nextBoolean()) {
                frame[0] = 2;
            }
            errorOf(exchange(frame));
        }
    }

    @Test
    void randomBytesBehindAGenuineHeaderGetAReply() {
        for (int i = 0; i < SearchEffort.of(20_000); i++) {
            byte[] request = requests.get(random.nextInt(requests.size()));
            byte[] frame = new byte[HEADER_BYTES + random.nextInt(300)];
            random.nextBytes(frame);
            System.arraycopy(request, 0, frame, 0, HEADER_BYTES);
            frame[1] = (byte) random.nextInt(27);
            exchange(frame);
        }
    }

    @Test
    void splicedAndRepeatedPiecesGetAReply() {
        for (int i = 0; i < SearchEffort.of(20_000); i++) {
            byte[] one = requests.get(random.nextInt(requests.size()));
            byte[] other = requests.get(random.nextInt(requests.size()));
            int head = random.nextInt(one.length + 1);
            int tail = random.nextInt(other.length + 1);
            byte[] frame = Arrays.copyOf(one, head + tail);
            System.arraycopy(other, other.length - tail, frame, head, tail);
            for (int spoiled = random.nextInt(3); spoiled > 0 && frame.length > 0; spoiled--) {
                frame[random.nextInt(frame.length)] = (byte) random.nextInt();
            }
            exchange(frame);
        }
    }

    @Test
    void aRequestForManyTinyKeysIsServedWithinReason() {
        // The most keys that a frame of the largest size can ask for.
        int count = (MAX_VALUE_BYTES - 100) / 4;
        ByteBuffer frame = ByteBuffer.allocate(HEADER_BYTES + 8 + 4 * count);
        frame.put(requests.get(1), 0, HEADER_BYTES).put(1, (byte) 1).putInt(0).putInt(count);
        for (int i = 0; i < count; i++) {
            frame.putShort((short) 1).put((byte) i).put((byte) 1);
        }
        exchange(frame.array());
    }
}
