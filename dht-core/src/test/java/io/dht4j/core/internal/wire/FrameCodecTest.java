package io.dht4j.core.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.Version;
import io.dht4j.spi.Entry;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class FrameCodecTest {

    private static final FrameHeader HEADER = new FrameHeader(7, -12345, Version.of(1_700_000_000_000L, 3));
    private static final Key KEY = Key.of("key");
    private static final Key LONGEST = Key.of("k".repeat(Key.MAX_LENGTH));
    private static final Version VERSION = Version.of(99, 1);
    private static final Entry VALUE = Entry.value(KEY, VERSION, new byte[] {1, 2, 3}, Entry.NEVER);
    private static final Entry EXPIRING = Entry.value(LONGEST, VERSION, new byte[0], 1234);
    private static final Entry TOMBSTONE = Entry.tombstone(KEY, VERSION);

    static Stream<Request> requests() {
        BitSet partitions = new BitSet();
        partitions.set(3);
        partitions.set(1000);
        return Stream.of(
                new Request.Ping(),
                new Request.ReadKeys(List.of(), 0),
                new Request.ReadKeys(List.of(new Request.Query(KEY, true), new Request.Query(LONGEST, false)), 4096),
                new Request.ApplyEntries(List.of(VALUE, EXPIRING, TOMBSTONE)),
                new Request.ScanPage(KeyRange.all(), new BitSet(), 10, 20),
                new Request.ScanPage(KeyRange.between(KEY, LONGEST), partitions, 1000, 1 << 20));
    }

    static Stream<Reply> replies() {
        return Stream.of(
                new Reply.Pong(),
                new Reply.Applied(),
                new Reply.Found(List.of(
                        new Answer.Absent(),
                        new Answer.Whole(VALUE),
                        new Answer.Whole(TOMBSTONE),
                        new Answer.VersionOnly(VERSION, 5_000_000))),
                new Reply.Page(List.of(VALUE, TOMBSTONE), Optional.of(LONGEST)),
                new Reply.Page(List.of(), Optional.empty()),
                new Reply.Failed(ErrorCode.OVERLOADED, "too much: ü"));
    }

    private static Request requestFor(Reply reply) {
        if (reply instanceof Reply.Found) {
            Request.Query query = new Request.Query(KEY, true);
            return new Request.ReadKeys(List.of(query, query, query, query), 0);
        }
        if (reply instanceof Reply.Applied) {
            return new Request.ApplyEntries(List.of());
        }
        return reply instanceof Reply.Page
                ? new Request.ScanPage(KeyRange.all(), new BitSet(), 1, 1)
                : new Request.Ping();
    }

    @ParameterizedTest
    @MethodSource("requests")
    void aRequestComesBackAsItWas(Request request) throws FrameException {
        FrameCodec.Frame<Request> frame = FrameCodec.decodeRequest(FrameCodec.encode(HEADER, request));
        assertThat(frame.header()).isEqualTo(HEADER);
        assertThat(frame.message()).isEqualTo(request);
    }

    @ParameterizedTest
    @MethodSource("replies")
    void aReplyComesBackAsItWas(Reply reply) throws FrameException {
        FrameCodec.Frame<Reply> frame = FrameCodec.decodeReply(FrameCodec.encode(HEADER, reply), requestFor(reply));
        assertThat(frame.header()).isEqualTo(HEADER);
        assertThat(frame.message()).isEqualTo(reply);
    }

    @ParameterizedTest
    @MethodSource("requests")
    void aRequestCutAnywhereIsMalformed(Request request) {
        byte[] frame = FrameCodec.encode(HEADER, request);
        for (int length = 0; length < Math.min(frame.length, 300); length++) {
            byte[] cut = Arrays.copyOf(frame, length);
            assertThat(codeOf(() -> FrameCodec.decodeRequest(cut))).isEqualTo(ErrorCode.MALFORMED_FRAME);
        }
        byte[] longer = Arrays.copyOf(frame, frame.length + 1);
        assertThat(codeOf(() -> FrameCodec.decodeRequest(longer))).isEqualTo(ErrorCode.MALFORMED_FRAME);
    }

    @Test
    void anotherProtocolVersionIsNamed() {
        byte[] frame = FrameCodec.encode(HEADER, new Request.Ping());
        frame[0] = 9;
        assertThatThrownBy(() -> FrameCodec.decodeRequest(frame))
                .isInstanceOf(FrameException.class)
                .hasMessageContaining("protocol version 9 is not supported; this node speaks 1");
        assertThat(codeOf(() -> FrameCodec.decodeRequest(frame))).isEqualTo(ErrorCode.UNSUPPORTED_PROTOCOL);
    }

    @Test
    void aReplyOfTheWrongKindIsMalformed() {
        byte[] frame = FrameCodec.encode(HEADER, new Reply.Pong());
        assertThat(codeOf(() -> FrameCodec.decodeReply(frame, new Request.ApplyEntries(List.of()))))
                .isEqualTo(ErrorCode.MALFORMED_FRAME);
    }

    @Test
    void anErrorCodeOfANewerVersionReadsAsInternal() throws FrameException {
        byte[] frame = FrameCodec.encode(HEADER, new Reply.Failed(ErrorCode.OVERLOADED, ""));
        frame[frame.length - 4] = (byte) 0xFF;
        assertThat(FrameCodec.decodeReply(frame, new Request.Ping()).message())
                .isEqualTo(new Reply.Failed(ErrorCode.INTERNAL, ""));
    }

    @Test
    void whateverTheBytesAreTheyAreAFrameOrAnError() {
        SplittableRandom random = new SplittableRandom(42);
        List<byte[]> frames =
                requests().map(request -> FrameCodec.encode(HEADER, request)).toList();
        for (int i = 0; i < 200_000; i++) {
            byte[] bytes = frames.get(random.nextInt(frames.size())).clone();
            int flips = 1 + random.nextInt(8);
            for (int flip = 0; flip < flips; flip++) {
                bytes[random.nextInt(Math.min(bytes.length, 100))] = (byte) random.nextInt();
            }
            Throwable thrown = catchThrowable(() -> FrameCodec.decodeRequest(bytes));
            assertThat(thrown == null || thrown instanceof FrameException)
                    .as("iteration %d threw %s", i, thrown)
                    .isTrue();
        }
    }

    private static ErrorCode codeOf(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        Throwable thrown = catchThrowable(call);
        assertThat(thrown).isInstanceOf(FrameException.class);
        return ((FrameException) thrown).code();
    }
}
