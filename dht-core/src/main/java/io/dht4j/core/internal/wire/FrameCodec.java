package io.dht4j.core.internal.wire;

import io.dht4j.ErrorCode;
import io.dht4j.spi.Entry;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Turns messages into frames and back. A frame is: protocol version (1 byte), message type (1 byte), epoch, placement
 * fingerprint and clock (8 bytes each), then the message. Numbers are big-endian; lists and values are led by their length
 * in 4 bytes, keys and texts by theirs in 2. Stateless; safe for use by any number of threads.
 */
public final class FrameCodec {

    /** The protocol version that this node speaks. */
    public static final int PROTOCOL = 1;

    /** How many bytes a frame may have besides one value of the largest size. */
    public static final int FRAME_OVERHEAD = 256 * 1024;

    /** How many keys or entries a message may have: small ones take many times their encoded size once decoded. */
    public static final int MAX_ITEMS = 10_000;

    private static final int HEADER_BYTES = 1 + 1 + 3 * 8;

    /** How many bytes the messages of failed parts may have in the reply to a batch. */
    private static final int MAX_BATCH_TEXT = 64 * 1024;

    /**
     * A decoded frame.
     *
     * @param header what the frame says of its sender
     * @param message the request or reply
     * @param <M> request or reply
     */
    public record Frame<M>(FrameHeader header, M message) {}

    private FrameCodec() {}

    /**
     * Encodes a request.
     *
     * @param header what to say of the sender
     * @param request the request
     * @return a new frame
     */
    public static byte[] encode(FrameHeader header, Request request) {
        FrameWriter out = begin(header, RequestBody.type(request), RequestBody.size(request));
        RequestBody.write(out, request);
        return out.toByteArray();
    }

    /**
     * Encodes a reply.
     *
     * @param header what to say of the sender
     * @param reply the reply
     * @return a new frame
     */
    public static byte[] encode(FrameHeader header, Reply reply) {
        Reply bounded = reply instanceof Reply.Batch batch ? withBoundedTexts(batch) : reply;
        FrameWriter out = begin(header, ReplyBody.type(bounded), ReplyBody.size(bounded));
        ReplyBody.write(out, bounded);
        return out.toByteArray();
    }

    /** A thousand parts that failed must not make the frame outgrow its limit: the last ones go without their messages. */
    private static Reply.Batch withBoundedTexts(Reply.Batch batch) {
        int room = MAX_BATCH_TEXT;
        for (Reply reply : batch.replies()) {
            if (reply instanceof Reply.Failed failed) {
                room -= FrameWriter.utf8(failed.message()).length;
            }
        }
        if (room >= 0) {
            return batch;
        }
        room = MAX_BATCH_TEXT;
        List<Reply> bounded = new ArrayList<>(batch.replies());
        for (int i = 0; i < bounded.size(); i++) {
            if (bounded.get(i) instanceof Reply.Failed failed) {
                room -= FrameWriter.utf8(failed.message()).length;
                if (room < 0) {
                    bounded.set(i, new Reply.Failed(failed.code(), ""));
                }
            }
        }
        return new Reply.Batch(bounded);
    }

    private static FrameWriter begin(FrameHeader header, int type, int bodyBytes) {
        return new FrameWriter(Math.addExact(HEADER_BYTES, bodyBytes))
                .u8(PROTOCOL)
                .u8(type)
                .i64(header.epoch())
                .i64(header.placement())
                .i64(header.clock().packed());
    }

    /**
     * Decodes a request from untrusted bytes.
     *
     * @param frame as received
     * @return the request
     * @throws FrameException if the bytes are not a request of this protocol version
     */
    public static Frame<Request> decodeRequest(byte[] frame) throws FrameException {
        FrameReader in = new FrameReader(frame);
        int type = type(in);
        FrameHeader header = header(in);
        Request request = RequestBody.read(in, type);
        in.end();
        return new Frame<>(header, request);
    }

    /**
     * Decodes the reply to a request from untrusted bytes.
     *
     * @param frame as received
     * @param request the request that was sent, whose keys the reply refers to
     * @return the reply, of the kind that the request asks for or a failure
     * @throws FrameException if the bytes are not a fitting reply of this protocol version
     */
    public static Frame<Reply> decodeReply(byte[] frame, Request request) throws FrameException {
        if (request instanceof Request.Batch batch) {
            return decodeReplies(frame, batch);
        }
        FrameReader in = new FrameReader(frame);
        int type = type(in);
        FrameHeader header = header(in);
        Reply reply = ReplyBody.read(in, type, request);
        in.end();
        return new Frame<>(header, reply);
    }

    private static Frame<Reply> decodeReplies(byte[] frame, Request.Batch batch) throws FrameException {
        BatchReader in = openReplies(frame, batch.parts().size());
        if (in.refusal().isPresent()) {
            return new Frame<>(in.header(), in.refusal().get());
        }
        List<Reply> replies = new ArrayList<>(batch.parts().size());
        for (Request.Part part : batch.parts()) {
            replies.add(in.next(part.request()));
        }
        in.end();
        return new Frame<>(in.header(), new Reply.Batch(replies));
    }

    /**
     * Begins to decode the reply to a batch from untrusted bytes.
     *
     * @param frame as received
     * @param parts how many parts the batch had
     * @return reads the parts
     * @throws FrameException if the bytes are not a reply to such a batch in this protocol version
     */
    public static BatchReader openReplies(byte[] frame, int parts) throws FrameException {
        FrameReader in = new FrameReader(frame);
        int type = type(in);
        FrameHeader header = header(in);
        Optional<Reply.Failed> refusal = Optional.empty();
        if (type == FrameTypes.FAILED) {
            refusal = Optional.of(ReplyBody.failed(in));
            in.end();
        } else if (type == FrameTypes.BATCHED) {
            int count = in.count(ReplyBody.PART_BYTES, "parts");
            if (count != parts) {
                throw in.malformed(count + " replies to " + parts + " parts");
            }
        } else {
            throw in.malformed("reply type " + type + " to a batch");
        }
        return new BatchReader(new Frame<>(header, refusal), in);
    }

    private static int type(FrameReader in) throws FrameException {
        int protocol = in.u8("the protocol version");
        if (protocol != PROTOCOL) {
            throw new FrameException(
                    ErrorCode.UNSUPPORTED_PROTOCOL,
                    "protocol version " + protocol + " is not supported; this node speaks " + PROTOCOL);
        }
        return in.u8("the message type");
    }

    private static FrameHeader header(FrameReader in) throws FrameException {
        return new FrameHeader(in.i64("the epoch"), in.i64("the placement fingerprint"), in.version());
    }

    /**
     * How many bytes an entry takes in a frame.
     *
     * @param entry any entry
     * @return its encoded size
     */
    public static int encodedSize(Entry entry) {
        return FrameWriter.sizeOf(entry);
    }
}
