package io.dht4j.core.internal.wire.codec;

import static io.dht4j.core.internal.wire.codec.FrameExamples.APPLY;
import static io.dht4j.core.internal.wire.codec.FrameExamples.HEADER;
import static io.dht4j.core.internal.wire.codec.FrameExamples.KNOWN;
import static io.dht4j.core.internal.wire.codec.FrameExamples.VALUE;
import static io.dht4j.core.internal.wire.codec.FrameExamples.codeOf;
import static io.dht4j.core.internal.wire.codec.FrameExamples.decodeReply;
import static io.dht4j.core.internal.wire.codec.FrameExamples.decodeRequest;
import static io.dht4j.core.internal.wire.codec.FrameExamples.encode;
import static io.dht4j.core.internal.wire.codec.FrameExamples.replies;
import static io.dht4j.core.internal.wire.codec.FrameExamples.requestFor;
import static io.dht4j.core.internal.wire.codec.FrameExamples.requests;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.dht4j.ErrorCode;
import io.dht4j.NodeId;
import io.dht4j.core.internal.wire.FrameException;
import io.dht4j.core.internal.wire.FrameHeader;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.spi.Frame;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Heads, and messages of every type as they were, cut off, or with bytes changed. */
class FrameCodecTest {

    private static final String REQUESTS = "io.dht4j.core.internal.wire.codec.FrameExamples#requests";
    private static final String REPLIES = "io.dht4j.core.internal.wire.codec.FrameExamples#replies";

    @Test
    void largeValueStandsInItsFrameWithoutACopy() {
        Request.ApplyEntries request = new Request.ApplyEntries(List.of(VALUE));
        Frame frame = FrameCodec.encodeLarge(HEADER, request);
        assertThat(frame.body()).isSameAs(VALUE.value());
        assertThat(frame.toBytes()).isEqualTo(encode(request));
    }

    @ParameterizedTest
    @MethodSource(REQUESTS)
    void decodedRequestEqualsTheOriginal(Request request) throws FrameException {
        FrameCodec.Decoded<Request> frame = decodeRequest(encode(request));
        assertThat(frame.header()).isEqualTo(HEADER);
        assertThat(frame.message()).isEqualTo(request);
    }

    @ParameterizedTest
    @MethodSource(REPLIES)
    void decodedReplyEqualsTheOriginal(Reply reply) throws FrameException {
        FrameCodec.Decoded<Reply> frame = decodeReply(encode(reply), requestFor(reply));
        assertThat(frame.header()).isEqualTo(HEADER);
        assertThat(frame.message()).isEqualTo(reply);
    }

    @ParameterizedTest
    @MethodSource(REQUESTS)
    void aRequestCutAnywhereIsMalformed(Request request) {
        byte[] frame = encode(request);
        for (int length = 0; length < Math.min(frame.length, 300); length++) {
            byte[] cut = Arrays.copyOf(frame, length);
            assertThat(codeOf(() -> decodeRequest(cut))).isEqualTo(ErrorCode.MALFORMED_FRAME);
        }
        byte[] longer = Arrays.copyOf(frame, frame.length + 1);
        assertThat(codeOf(() -> decodeRequest(longer))).isEqualTo(ErrorCode.MALFORMED_FRAME);
    }

    @Test
    void anotherProtocolVersionIsNamed() {
        byte[] frame = encode(new Request.Ping());
        frame[0] = 9;
        assertThatThrownBy(() -> decodeRequest(frame))
                .isInstanceOf(FrameException.class)
                .hasMessageContaining("protocol version 9 is not supported; this node speaks 2");
        assertThat(codeOf(() -> decodeRequest(frame))).isEqualTo(ErrorCode.UNSUPPORTED_PROTOCOL);
    }

    @Test
    void flagsOfLaterVersionsAreRefused() {
        for (int flag = 8; flag <= 128; flag *= 2) {
            byte[] request = encode(new Request.Ping());
            request[2] = (byte) flag;
            assertThat(codeOf(() -> decodeRequest(request))).isEqualTo(ErrorCode.UNSUPPORTED_PROTOCOL);
        }
        for (int flag = 2; flag <= 128; flag *= 2) {
            byte[] reply = encode(new Reply.Pong());
            reply[2] = (byte) flag;
            assertThat(codeOf(() -> decodeReply(reply, new Request.Ping()))).isEqualTo(ErrorCode.UNSUPPORTED_PROTOCOL);
        }
    }

    @Test
    void aHeadDiffersByRecipientAndABodyDoesNot() throws FrameException {
        FrameHeader other = new FrameHeader(
                HEADER.sender(),
                Optional.of(new NodeId("n3")),
                HEADER.settings(),
                7,
                HEADER.clock(),
                HEADER.wallMillis());
        byte[] body = FrameCodec.body(APPLY);
        Frame one = new Frame(FrameCodec.head(HEADER, APPLY), body);
        Frame two = new Frame(FrameCodec.head(other, APPLY), body);
        assertThat(one.head()).isNotEqualTo(two.head());
        assertThat(decodeRequest(two.toBytes()).header()).isEqualTo(other);
        assertThat(FrameCodec.header(two.toBytes(), KNOWN)).isEqualTo(other);
        assertThat(decodeRequest(one.toBytes()).message()).isEqualTo(APPLY);
    }

    @Test
    void frameForOneRecipientHasOnePartOfTheSameBytes() {
        Frame frame = FrameCodec.encode(HEADER, APPLY);
        assertThat(frame.head()).isEmpty();
        assertThat(frame.body()).isEqualTo(new Frame(FrameCodec.head(HEADER, APPLY), FrameCodec.body(APPLY)).toBytes());
    }

    @Test
    void requestMustNameSenderAndRecipient() {
        FrameHeader nobody = new FrameHeader(HEADER.sender(), Optional.empty(), 0, 7, HEADER.clock(), 0);
        assertThat(codeOf(() -> decodeRequest(
                        FrameCodec.encode(nobody, new Request.Ping()).toBytes())))
                .isEqualTo(ErrorCode.MALFORMED_FRAME);
        byte[] frame = encode(new Request.Ping());
        frame[4] = ' ';
        assertThat(codeOf(() -> decodeRequest(frame))).isEqualTo(ErrorCode.MALFORMED_FRAME);
        frame[3] = 0;
        assertThat(codeOf(() -> decodeRequest(frame))).isEqualTo(ErrorCode.MALFORMED_FRAME);
    }

    @Test
    void damagedRequestsDecodeOrThrowFrameException() {
        SplittableRandom random = new SplittableRandom(42);
        List<byte[]> frames = requests().map(request -> encode(request)).toList();
        for (int i = 0; i < 200_000; i++) {
            byte[] bytes = frames.get(random.nextInt(frames.size())).clone();
            damage(bytes, random);
            assertDecodesOrThrowsFrameException(i, () -> decodeRequest(bytes));
        }
    }

    @Test
    void damagedRepliesDecodeOrThrowFrameException() {
        SplittableRandom random = new SplittableRandom(43);
        List<Reply> replies = replies().toList();
        for (int i = 0; i < 200_000; i++) {
            Reply reply = replies.get(random.nextInt(replies.size()));
            byte[] bytes = encode(reply);
            damage(bytes, random);
            assertDecodesOrThrowsFrameException(i, () -> decodeReply(bytes, requestFor(reply)));
        }
    }

    private static void damage(byte[] bytes, SplittableRandom random) {
        int flips = 1 + random.nextInt(8);
        for (int flip = 0; flip < flips; flip++) {
            bytes[random.nextInt(Math.min(bytes.length, 100))] = (byte) random.nextInt();
        }
    }

    private static void assertDecodesOrThrowsFrameException(int iteration, ThrowingCallable decoding) {
        Throwable thrown = catchThrowable(decoding);
        assertThat(thrown == null || thrown instanceof FrameException)
                .as("iteration %d threw %s", iteration, thrown)
                .isTrue();
    }
}
