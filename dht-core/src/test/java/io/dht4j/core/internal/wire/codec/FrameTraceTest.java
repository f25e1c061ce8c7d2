package io.dht4j.core.internal.wire.codec;

import static io.dht4j.core.internal.wire.codec.FrameExamples.APPLY;
import static io.dht4j.core.internal.wire.codec.FrameExamples.HEADER;
import static io.dht4j.core.internal.wire.codec.FrameExamples.READ;
import static io.dht4j.core.internal.wire.codec.FrameExamples.codeOf;
import static io.dht4j.core.internal.wire.codec.FrameExamples.decodeRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.ErrorCode;
import io.dht4j.TraceContext;
import io.dht4j.core.internal.view.NodeIdentity;
import io.dht4j.core.internal.wire.FrameException;
import io.dht4j.core.internal.wire.FrameHeader;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.spi.Frame;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Frames of requests that belong to a trace. */
class FrameTraceTest {

    private static final TraceContext TRACE = new TraceContext(-1, 2, Long.MIN_VALUE, 0xFF, "a=1,b=2");
    private static final TraceContext LONGEST = new TraceContext(0, 1, 1, 1, "s".repeat(TraceContext.MAX_STATE));
    /** The place of the length of the context: behind the head of a static cluster. */
    private static final int PLACE = 3 + 3 + 7 + 4 * 8;

    private static FrameHeader header(FrameHeader.@Nullable Agreed agreed, @Nullable TraceContext trace) {
        return new FrameHeader(
                HEADER.sender(),
                HEADER.recipient(),
                HEADER.settings(),
                HEADER.epoch(),
                HEADER.clock(),
                HEADER.wallMillis(),
                agreed,
                trace);
    }

    @Test
    void aRequestCarriesTheContext() throws FrameException {
        FrameHeader.Agreed agreed = new FrameHeader.Agreed(new NodeIdentity(3, new UUID(1, 2)), null, 7);
        for (FrameHeader header : List.of(header(null, TRACE), header(agreed, TRACE), header(null, LONGEST))) {
            byte[] frame = FrameCodec.encode(header, READ).toBytes();
            assertThat(decodeRequest(frame)).isEqualTo(new FrameCodec.Decoded<>(header, READ));
            assertThat(new Frame(FrameCodec.head(header, READ), FrameCodec.body(READ)).toBytes())
                    .isEqualTo(frame);
            for (int length = 0; length < frame.length; length++) {
                byte[] cut = Arrays.copyOf(frame, length);
                assertThat(codeOf(() -> decodeRequest(cut))).isEqualTo(ErrorCode.MALFORMED_FRAME);
            }
        }
    }

    @Test
    void eachPartOfABatchHasAContextOfItsOwnOrNone() throws FrameException {
        Request.Batch batch = new Request.Batch(
                List.of(
                        new Request.Part(READ, 1, 5, TRACE),
                        new Request.Part(APPLY, 2),
                        new Request.Part(APPLY, 3, 0, LONGEST)),
                1,
                2);
        byte[] frame = FrameCodec.encode(HEADER, batch).toBytes();
        assertThat(decodeRequest(frame).message()).isEqualTo(batch);
        for (int length = 0; length < frame.length; length++) {
            byte[] cut = Arrays.copyOf(frame, length);
            assertThat(codeOf(() -> decodeRequest(cut))).isEqualTo(ErrorCode.MALFORMED_FRAME);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 24, 25 + TraceContext.MAX_STATE + 1, 0xFFFF})
    void aContextOfAnotherSizeIsIgnored(int length) throws FrameException {
        byte[] plain = FrameCodec.encode(HEADER, READ).toBytes();
        byte[] frame = new byte[plain.length + 2 + length];
        System.arraycopy(plain, 0, frame, 0, PLACE);
        frame[2] = 4;
        Arrays.fill(frame, PLACE + 2, PLACE + 2 + length, (byte) 'a');
        frame[PLACE] = (byte) (length >> 8);
        frame[PLACE + 1] = (byte) length;
        System.arraycopy(plain, PLACE, frame, PLACE + 2 + length, plain.length - PLACE);
        assertThat(decodeRequest(frame)).isEqualTo(new FrameCodec.Decoded<>(HEADER, READ));
    }

    @Test
    void contextWithInvalidFieldsIsIgnored() throws FrameException {
        for (int[] zeros : new int[][] {{2, 18}, {18, 26}}) {
            byte[] frame = FrameCodec.encode(header(null, TRACE), READ).toBytes();
            Arrays.fill(frame, PLACE + zeros[0], PLACE + zeros[1], (byte) 0);
            assertThat(decodeRequest(frame).header()).isEqualTo(HEADER);
        }
        byte[] frame = FrameCodec.encode(header(null, TRACE), READ).toBytes();
        frame[PLACE + 2 + 25] = (byte) 0xC3;
        assertThat(decodeRequest(frame).header()).isEqualTo(HEADER);
    }

    @Test
    void aReplyHasNoContext() {
        byte[] frame = FrameCodec.encode(header(null, TRACE), new Reply.Pong());
        assertThat(frame).isEqualTo(FrameCodec.encode(HEADER, new Reply.Pong()));
        frame[2] = 4;
        assertThat(codeOf(() -> FrameCodec.decodeReply(frame, new Request.Ping(), FrameExamples.KNOWN)))
                .isEqualTo(ErrorCode.UNSUPPORTED_PROTOCOL);
    }

    @Test
    void withoutAContextTheBytesAreThoseOfEarlierVersions() {
        Request.Batch batch = new Request.Batch(List.of(new Request.Part(READ, 1), new Request.Part(APPLY, 2)), 1, 2);
        assertThat(FrameCodec.encode(HEADER, READ).toBytes()[2]).isZero();
        assertThat(FrameCodec.encode(HEADER, batch).toBytes()[2]).isZero();
    }
}
