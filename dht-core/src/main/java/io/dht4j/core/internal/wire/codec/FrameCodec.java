package io.dht4j.core.internal.wire.codec;

import io.dht4j.TraceContext;
import io.dht4j.core.internal.wire.FrameException;
import io.dht4j.core.internal.wire.FrameHeader;
import io.dht4j.core.internal.wire.MembershipRequest;
import io.dht4j.core.internal.wire.NodeIds;
import io.dht4j.core.internal.wire.RegisterRequest;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.spi.Entry;
import io.dht4j.spi.Frame;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Encodes messages as frames and decodes them. A frame consists of a head and a body. The head contains the protocol
 * version, message type and flags (1 byte each), and the names of the sender and of the recipient. Then follow the
 * sender's settings, epoch, hybrid clock and wall clock (8 bytes each). The body is the message. Numbers are
 * big-endian. Lists and values are preceded by their length in 4 bytes, keys and texts by theirs in 2, names by theirs
 * in 1.
 *
 * <p>The flags announce fields after the wall clock, which members of an agreed cluster send: numbers and incarnations
 * of sender and recipient, and the version of the partitions' rows. Any member may send a trace context. Row version
 * and trace context precede each part of a batch instead. A frame with an unknown flag is refused, since the sender
 * relies on its meaning.
 *
 * <p>Stateless; safe for use by any number of threads.
 */
public final class FrameCodec {

    /** The protocol version of this node. */
    public static final int PROTOCOL = 2;

    /** The maximum number of bytes in a frame without one value of the largest size. */
    public static final int FRAME_OVERHEAD = 256 * 1024;

    /**
     * The maximum number of keys or entries in a message; small ones take many times their encoded size once decoded.
     */
    public static final int MAX_ITEMS = 10_000;

    /** The maximum number of bytes of the messages of failed parts in the reply to a batch. */
    private static final int MAX_BATCH_TEXT = 64 * 1024;

    /**
     * A decoded frame.
     *
     * @param header the header
     * @param message the request or reply
     * @param <M> request or reply
     */
    public record Decoded<M>(FrameHeader header, M message) {}

    /** A request with a decoded head and an encoded body. Not thread-safe. */
    public static final class Opened {

        private final FrameHeader header;
        private final int type;
        private final FrameReader in;

        private Opened(FrameHeader header, int type, FrameReader in) {
            this.header = header;
            this.type = type;
            this.in = in;
        }

        /**
         * Returns the header.
         *
         * @return the header
         */
        public FrameHeader header() {
            return header;
        }

        /**
         * Decodes the body. Called once.
         *
         * @return the request
         * @throws FrameException if the bytes are not a request
         */
        public Request request() throws FrameException {
            Request request = RequestBody.read(in, type);
            in.end();
            return request;
        }
    }

    private FrameCodec() {}

    /**
     * Encodes a request to a single recipient.
     *
     * @param header the header
     * @param request the request
     * @return a new frame of one part
     */
    public static Frame encode(FrameHeader header, Request request) {
        FrameWriter out = FrameHead.begin(header, request, RequestBody.size(request));
        RequestBody.write(out, request);
        return Frame.of(out.toByteArray());
    }

    /**
     * Encodes the part of a request that differs between recipients.
     *
     * @param header the header
     * @param request the request
     * @return the head of a frame
     */
    public static byte[] head(FrameHeader header, Request request) {
        return FrameHead.begin(header, request, 0).toByteArray();
    }

    /**
     * Encodes the part of a request that is the same for all recipients.
     *
     * @param request the request
     * @return the body of a frame
     */
    public static byte[] body(Request request) {
        FrameWriter out = new FrameWriter(RequestBody.size(request));
        RequestBody.write(out, request);
        return out.toByteArray();
    }

    /**
     * Encodes a request of a single value without copying the value, which is at the end of the frame.
     *
     * @param header the header
     * @param request a request of one entry, which is no tombstone
     * @return a frame whose body is the value itself; the caller does not change it before it is sent
     */
    public static Frame encodeLarge(FrameHeader header, Request.ApplyEntries request) {
        Entry entry = request.entries().get(0);
        byte[] value = entry.value();
        FrameWriter out = FrameHead.begin(header, request, Math.subtractExact(RequestBody.size(request), value.length));
        out.i32(1).key(entry.key()).entryBeforeValue(entry);
        return new Frame(out.toByteArray(), value);
    }

    /**
     * Encodes a reply.
     *
     * @param header the header
     * @param reply the reply
     * @return a new frame
     */
    public static byte[] encode(FrameHeader header, Reply reply) {
        Reply bounded = reply instanceof Reply.Batch batch ? withBoundedTexts(batch) : reply;
        FrameWriter out = FrameHead.begin(header, bounded, ReplyBody.size(bounded));
        ReplyBody.write(out, bounded);
        return out.toByteArray();
    }

    /** Removes the messages of the last failed parts if all messages together would exceed the limit of the frame. */
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

    /**
     * Returns whether a frame is a {@link MembershipRequest}, if it is a frame of this protocol version.
     *
     * @param frame the received bytes
     * @return false for any other frame, and for bytes that are no frame
     */
    public static boolean isAboutMembership(byte[] frame) {
        return frame.length > 1
                && frame[0] == PROTOCOL
                && frame[1] >= FrameTypes.FOUND_CLUSTER
                && frame[1] <= FrameTypes.ADMIT_NODE;
    }

    /**
     * Returns whether a frame is a {@link RegisterRequest.Execute}, if it is a frame of this protocol version.
     *
     * @param frame the bytes, or their head
     * @return false for any other frame, and for bytes that are no frame
     */
    public static boolean isAtomicOperation(byte[] frame) {
        return frame.length > 1 && frame[0] == PROTOCOL && frame[1] == FrameTypes.REGISTER_EXECUTE;
    }

    /**
     * Decodes the head of a request from untrusted bytes.
     *
     * @param frame the received bytes
     * @param known the expected names
     * @return the request, whose body is still to be decoded
     * @throws FrameException if the bytes do not begin with a head of this protocol version that names sender and
     *     recipient
     */
    public static Opened open(byte[] frame, NodeIds known) throws FrameException {
        FrameReader in = new FrameReader(frame);
        int type = FrameHead.type(in);
        FrameHeader header = FrameHead.header(in, type, known);
        if (header.recipient().isEmpty()) {
            throw in.malformed("a request must name its recipient");
        }
        return new Opened(header, type, in);
    }

    /**
     * Decodes only the head of a frame from untrusted bytes.
     *
     * @param frame the received bytes
     * @param known the expected names
     * @return the header
     * @throws FrameException if the bytes do not begin with a head of this protocol version
     */
    public static FrameHeader header(byte[] frame, NodeIds known) throws FrameException {
        FrameReader in = new FrameReader(frame);
        return FrameHead.header(in, FrameHead.type(in), known);
    }

    /**
     * Decodes a request from untrusted bytes.
     *
     * @param frame the received bytes
     * @param known the expected names
     * @return the request
     * @throws FrameException if the bytes are not a request of this protocol version
     */
    public static Decoded<Request> decodeRequest(byte[] frame, NodeIds known) throws FrameException {
        Opened opened = open(frame, known);
        return new Decoded<>(opened.header(), opened.request());
    }

    /**
     * Decodes the reply to a request from untrusted bytes.
     *
     * @param frame the received bytes
     * @param request the request that was sent, whose keys the reply refers to
     * @param known the expected names
     * @return the reply, of the kind that the request asks for or a refusal
     * @throws FrameException if the bytes are not a matching reply of this protocol version
     */
    public static Decoded<Reply> decodeReply(byte[] frame, Request request, NodeIds known) throws FrameException {
        if (request instanceof Request.Batch batch) {
            return decodeReplies(frame, batch, known);
        }
        FrameReader in = new FrameReader(frame);
        int type = FrameHead.type(in);
        FrameHeader header = FrameHead.header(in, type, known);
        Reply reply = ReplyBody.read(in, type, request);
        in.end();
        return new Decoded<>(header, reply);
    }

    private static Decoded<Reply> decodeReplies(byte[] frame, Request.Batch batch, NodeIds known)
            throws FrameException {
        BatchReader in = openReplies(frame, batch.parts().size(), known);
        if (in.refusal().isPresent()) {
            return new Decoded<>(in.header(), in.refusal().get());
        }
        List<Reply> replies = new ArrayList<>(batch.parts().size());
        for (Request.BatchPart part : batch.parts()) {
            replies.add(in.next(part.request()));
        }
        in.end();
        return new Decoded<>(in.header(), new Reply.Batch(replies));
    }

    /**
     * Begins to decode the reply to a batch from untrusted bytes.
     *
     * @param frame the received bytes
     * @param parts the number of parts of the batch
     * @param known the expected names
     * @return a reader of the parts
     * @throws FrameException if the bytes are not a reply to such a batch in this protocol version
     */
    public static BatchReader openReplies(byte[] frame, int parts, NodeIds known) throws FrameException {
        FrameReader in = new FrameReader(frame);
        int type = FrameHead.type(in);
        FrameHeader header = FrameHead.header(in, type, known);
        Optional<Reply> refusal = Optional.empty();
        if (type == FrameTypes.FAILED || type == FrameTypes.OTHER_SETTINGS) {
            refusal = Optional.of(ReplyBody.refusal(in, type));
            in.end();
        } else if (type == FrameTypes.BATCHED) {
            int count = in.count(ReplyBody.PART_BYTES, "parts");
            if (count != parts) {
                throw in.malformed(count + " replies to " + parts + " parts");
            }
        } else {
            throw in.malformed("reply type " + type + " to a batch");
        }
        return new BatchReader(new Decoded<>(header, refusal), in);
    }

    /**
     * Returns the size of an entry in a frame.
     *
     * @param entry any entry
     * @return its encoded size in bytes
     */
    public static int encodedSize(Entry entry) {
        return FrameWriter.sizeOf(entry);
    }

    /**
     * Returns the size of a trace context in a frame.
     *
     * @param trace any context
     * @return its encoded size in bytes
     */
    public static int encodedSize(TraceContext trace) {
        return TraceField.size(trace);
    }
}
