package io.dht4j.core.internal.wire.codec;

import static io.dht4j.core.internal.wire.codec.FrameExamples.APPLY;
import static io.dht4j.core.internal.wire.codec.FrameExamples.BATCH;
import static io.dht4j.core.internal.wire.codec.FrameExamples.HEADER;
import static io.dht4j.core.internal.wire.codec.FrameExamples.READ;
import static io.dht4j.core.internal.wire.codec.FrameExamples.codeOf;
import static io.dht4j.core.internal.wire.codec.FrameExamples.decodeReply;
import static io.dht4j.core.internal.wire.codec.FrameExamples.decodeRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.ErrorCode;
import io.dht4j.core.internal.view.NodeIdentity;
import io.dht4j.core.internal.wire.FrameException;
import io.dht4j.core.internal.wire.FrameHeader;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.spi.Frame;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Frames between members of an agreed cluster. */
class FrameAgreedTest {

    private static final int IDENTITY_BYTES = 20;
    /** Protocol, type, flags, names of 2 and 6 characters, and four numbers of 8 bytes. */
    private static final int FIXED = 3 + 3 + 7 + 32;

    private static final NodeIdentity SENDER = new NodeIdentity(3, new UUID(1, 2));
    private static final NodeIdentity RECIPIENT = new NodeIdentity(Integer.MAX_VALUE, new UUID(-1, 0));

    private static FrameHeader header(
            @Nullable NodeIdentity sender, @Nullable NodeIdentity recipient, long rowVersion) {
        return new FrameHeader(
                HEADER.sender(),
                HEADER.recipient(),
                HEADER.settings(),
                HEADER.epoch(),
                HEADER.clock(),
                HEADER.wallMillis(),
                new FrameHeader.Agreed(sender, recipient, rowVersion));
    }

    static Stream<FrameHeader> headers() {
        return Stream.of(
                header(SENDER, RECIPIENT, 0),
                header(SENDER, RECIPIENT, 1),
                header(SENDER, null, Long.MAX_VALUE),
                header(null, RECIPIENT, 5),
                header(null, null, 5));
    }

    @ParameterizedTest
    @MethodSource("headers")
    void requestsCarryTheIdentitiesAndTheRowVersion(FrameHeader header) throws FrameException {
        byte[] frame = FrameCodec.encode(header, READ).toBytes();
        assertThat(decodeRequest(frame)).isEqualTo(new FrameCodec.Decoded<>(header, READ));
        assertThat(FrameCodec.header(frame, FrameExamples.KNOWN)).isEqualTo(header);
        assertThat(new Frame(FrameCodec.head(header, READ), FrameCodec.body(READ)).toBytes())
                .isEqualTo(frame);
        for (int length = 0; length < frame.length; length++) {
            byte[] cut = Arrays.copyOf(frame, length);
            assertThat(codeOf(() -> decodeRequest(cut))).isEqualTo(ErrorCode.MALFORMED_FRAME);
        }
    }

    @Test
    void withoutThemTheBytesAreThoseOfAStaticCluster() {
        assertThat(FrameCodec.encode(header(null, null, 0), READ).toBytes())
                .isEqualTo(FrameCodec.encode(HEADER, READ).toBytes());
        assertThat(FrameCodec.encode(header(null, null, 0), BATCH).toBytes())
                .isEqualTo(FrameCodec.encode(HEADER, BATCH).toBytes());
    }

    @Test
    void repliesCarryTheIdentityOfTheirSenderAlone() throws FrameException {
        FrameHeader header = header(SENDER, null, 0);
        byte[] frame = FrameCodec.encode(header, new Reply.Pong());
        assertThat(decodeReply(frame, new Request.Ping()).header()).isEqualTo(header);
        assertThat(frame).hasSize(FIXED + IDENTITY_BYTES);
        assertThat(FrameCodec.encode(header(SENDER, RECIPIENT, 9), new Reply.Pong()))
                .isEqualTo(frame);
        for (int length = 0; length < frame.length; length++) {
            byte[] cut = Arrays.copyOf(frame, length);
            assertThat(codeOf(() -> decodeReply(cut, new Request.Ping()))).isEqualTo(ErrorCode.MALFORMED_FRAME);
        }
    }

    @Test
    void replyWithoutAnIdentityHasTheBytesOfAStaticCluster() {
        assertThat(FrameCodec.encode(header(null, RECIPIENT, 0), new Reply.Pong()))
                .isEqualTo(FrameCodec.encode(HEADER, new Reply.Pong()));
    }

    @Test
    void eachPartOfABatchHasARowVersionOfItsOwn() throws FrameException {
        Request.Batch batch = new Request.Batch(
                List.of(new Request.Part(READ, 1, 5), new Request.Part(APPLY, 2), new Request.Part(APPLY, 3, 9)), 1, 2);
        FrameHeader header = header(SENDER, RECIPIENT, 0);
        byte[] frame = FrameCodec.encode(header, batch).toBytes();
        assertThat(decodeRequest(frame)).isEqualTo(new FrameCodec.Decoded<>(header, batch));
        for (int length = 0; length < frame.length; length++) {
            byte[] cut = Arrays.copyOf(frame, length);
            assertThat(codeOf(() -> decodeRequest(cut))).isEqualTo(ErrorCode.MALFORMED_FRAME);
        }
        // Behind the counts and the first part's remaining time.
        int at = FIXED + 2 * IDENTITY_BYTES + 12 + 8;
        assertThat(ByteBuffer.wrap(frame).getLong(at)).isEqualTo(5);
        ByteBuffer.wrap(frame).putLong(at, -1);
        assertThat(codeOf(() -> decodeRequest(frame))).isEqualTo(ErrorCode.MALFORMED_FRAME);
    }

    @Test
    void impossibleNumbersAndVersionsAreMalformed() {
        byte[] frame = FrameCodec.encode(header(SENDER, RECIPIENT, 1), READ).toBytes();
        byte[] negative = frame.clone();
        ByteBuffer.wrap(negative).putInt(FIXED, -1);
        assertThat(codeOf(() -> decodeRequest(negative))).isEqualTo(ErrorCode.MALFORMED_FRAME);
        byte[] nobody = frame.clone();
        ByteBuffer.wrap(nobody).putLong(FIXED + 4, 0).putLong(FIXED + 12, 0);
        assertThat(codeOf(() -> decodeRequest(nobody))).isEqualTo(ErrorCode.MALFORMED_FRAME);
        byte[] unversioned = frame.clone();
        ByteBuffer.wrap(unversioned).putLong(FIXED + 2 * IDENTITY_BYTES, 0);
        assertThat(codeOf(() -> decodeRequest(unversioned))).isEqualTo(ErrorCode.MALFORMED_FRAME);
    }
}
