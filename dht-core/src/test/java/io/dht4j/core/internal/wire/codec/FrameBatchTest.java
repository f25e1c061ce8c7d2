package io.dht4j.core.internal.wire.codec;

import static io.dht4j.core.internal.wire.codec.FrameExamples.APPLY;
import static io.dht4j.core.internal.wire.codec.FrameExamples.BATCHED;
import static io.dht4j.core.internal.wire.codec.FrameExamples.HEADER;
import static io.dht4j.core.internal.wire.codec.FrameExamples.KEY;
import static io.dht4j.core.internal.wire.codec.FrameExamples.READ;
import static io.dht4j.core.internal.wire.codec.FrameExamples.codeOf;
import static io.dht4j.core.internal.wire.codec.FrameExamples.decodeRequest;
import static io.dht4j.core.internal.wire.codec.FrameExamples.encode;
import static io.dht4j.core.internal.wire.codec.FrameExamples.openReplies;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.ErrorCode;
import io.dht4j.core.internal.wire.FrameException;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Requests in one frame, and the replies to them. */
class FrameBatchTest {

    private static final int HEAD_BYTES = 3 + 3 + 7 + 4 * 8;

    @Test
    void aPartOfAReplyThatIsMalformedSpoilsNoOther() throws FrameException {
        byte[] bytes = encode(BATCHED);
        // The number of answers in the first part: behind the header, the count, and the part's type and length.
        bytes[HEAD_BYTES + 4 + 5 + 3] = 9;
        BatchReader in = openReplies(bytes, 3);
        assertThat(codeOf(() -> in.next(READ))).isEqualTo(ErrorCode.MALFORMED_FRAME);
        assertThat(in.next(APPLY)).isEqualTo(BATCHED.replies().get(1));
        assertThat(in.next(APPLY)).isEqualTo(BATCHED.replies().get(2));
        in.end();
    }

    @Test
    void aPartOfAReplyMayBePassedOver() throws FrameException {
        BatchReader in = openReplies(encode(BATCHED), 3);
        in.skip();
        in.skip();
        assertThat(in.next(APPLY)).isEqualTo(Reply.Applied.AS_NEWEST);
        in.end();
        assertThat(codeOf(in::skip)).isEqualTo(ErrorCode.MALFORMED_FRAME);
    }

    @Test
    void aBatchIsRefusedAsAWhole() throws FrameException {
        Reply.Failed refusal = new Reply.Failed(ErrorCode.STALE_TOPOLOGY, "old");
        BatchReader in = openReplies(encode(refusal), 3);
        assertThat(in.refusal()).contains(refusal);
        assertThat(in.header()).isEqualTo(HEADER);
    }

    @Test
    void aReplyToAnotherNumberOfPartsIsMalformed() {
        byte[] bytes = encode(BATCHED);
        assertThat(codeOf(() -> openReplies(bytes, 2))).isEqualTo(ErrorCode.MALFORMED_FRAME);
        assertThat(codeOf(() -> openReplies(bytes, 4))).isEqualTo(ErrorCode.MALFORMED_FRAME);
    }

    @Test
    void aBatchHoldsReadsAndWritesOnly() {
        for (Request inner : List.of(new Request.Ping(), new Request.Batch(List.of(), 0, 0))) {
            byte[] bytes =
                    encode(new Request.Batch(List.of(new Request.Part(inner, 1), new Request.Part(READ, 1)), 0, 0));
            assertThat(codeOf(() -> decodeRequest(bytes))).isEqualTo(ErrorCode.MALFORMED_FRAME);
        }
    }

    @Test
    void aPartWithoutTimeIsMalformed() {
        byte[] bytes = encode(new Request.Batch(List.of(new Request.Part(READ, 0)), 0, 0));
        assertThat(codeOf(() -> decodeRequest(bytes))).isEqualTo(ErrorCode.MALFORMED_FRAME);
    }

    @Test
    void partsOfABatchShareTheItemLimitOfAMessage() throws FrameException {
        Request.Query query = new Request.Query(KEY, true);
        Request.Part half =
                new Request.Part(new Request.ReadKeys(Collections.nCopies(FrameCodec.MAX_ITEMS / 2, query), 0), 1);
        Request.Part one = new Request.Part(new Request.ReadKeys(List.of(query), 0), 1);
        Request.Batch most = new Request.Batch(List.of(half, half), 0, 0);
        assertThat(decodeRequest(encode(most)).message()).isEqualTo(most);
        byte[] tooMany = encode(new Request.Batch(List.of(half, one, half), 0, 0));
        assertThat(codeOf(() -> decodeRequest(tooMany))).isEqualTo(ErrorCode.MALFORMED_FRAME);
        Request.Part none = new Request.Part(new Request.ReadKeys(List.of(), 0), 1);
        byte[] tooManyParts = encode(new Request.Batch(Collections.nCopies(FrameCodec.MAX_ITEMS + 1, none), 0, 0));
        assertThat(codeOf(() -> decodeRequest(tooManyParts))).isEqualTo(ErrorCode.MALFORMED_FRAME);
    }

    @Test
    void failureMessagesDoNotExceedTheFrameLimit() throws FrameException {
        Reply.Failed failed = new Reply.Failed(ErrorCode.STORE_FAILED, "ü".repeat(1000));
        int parts = FrameCodec.MAX_ITEMS;
        byte[] bytes = encode(new Reply.Batch(Collections.nCopies(parts, failed)));
        assertThat(bytes.length).isLessThan(FrameCodec.FRAME_OVERHEAD);
        BatchReader in = openReplies(bytes, parts);
        assertThat(((Reply.Failed) in.next(APPLY)).message()).startsWith("üüü");
        for (int i = 1; i < parts; i++) {
            assertThat(((Reply.Failed) in.next(APPLY)).code()).isEqualTo(ErrorCode.STORE_FAILED);
        }
        in.end();
    }
}
