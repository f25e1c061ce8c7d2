package io.dht4j.core.internal.wire.codec;

import io.dht4j.ErrorCode;
import io.dht4j.NodeId;
import io.dht4j.TraceContext;
import io.dht4j.Version;
import io.dht4j.core.internal.view.NodeIdentity;
import io.dht4j.core.internal.wire.FrameException;
import io.dht4j.core.internal.wire.FrameHeader;
import io.dht4j.core.internal.wire.NodeIds;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import java.util.Optional;

/** The heads of frames, as {@link FrameCodec} describes them. Stateless; safe for use by any number of threads. */
final class FrameHead {

    /** The size of a head without the names. */
    private static final int HEAD_BYTES = 1 + 1 + 1 + 4 * 8;

    /**
     * The numbers and incarnations of sender and recipient are in the head of a request, those of the sender in that of
     * a reply.
     */
    private static final int IDENTITIES = 1;

    /** A row version is in the head of a request, or before each part of a batch. */
    private static final int ROW_VERSIONS = 2;

    /** A trace context is in the head of a request, or before each part of a batch. */
    private static final int TRACES = 4;

    private static final int KNOWN_FLAGS = IDENTITIES | ROW_VERSIONS | TRACES;

    private static final int IDENTITY_BYTES = 4 + 16;

    private FrameHead() {}

    /** Begins a request. */
    static FrameWriter begin(FrameHeader header, Request request, int bodyBytes) {
        int type = RequestBody.type(request);
        if (request instanceof Request.Batch batch) {
            int flags = (RequestBody.hasRowVersions(batch) ? ROW_VERSIONS : 0)
                    | (RequestBody.hasTraces(batch) ? TRACES : 0);
            return begin(header, type, flags, 0, bodyBytes);
        }
        long rowVersion = header.rowVersion();
        int rowFlag = rowVersion == 0 ? 0 : ROW_VERSIONS;
        TraceContext trace = header.trace();
        if (trace == null) {
            return begin(header, type, rowFlag, rowVersion, bodyBytes);
        }
        int more = Math.addExact(TraceField.size(trace), bodyBytes);
        FrameWriter out = begin(header, type, rowFlag | TRACES, rowVersion, more);
        TraceField.write(out, trace);
        return out;
    }

    /** Begins a reply. */
    static FrameWriter begin(FrameHeader header, Reply reply, int bodyBytes) {
        FrameHeader.Agreed agreed = header.agreed();
        NodeIdentity sender = agreed == null ? null : agreed.sender();
        int flags = sender == null ? 0 : IDENTITIES;
        int more = sender == null ? 0 : IDENTITY_BYTES;
        FrameWriter out = begin(header, ReplyBody.type(reply), flags, Math.addExact(more, bodyBytes));
        return sender == null ? out : out.identity(sender);
    }

    private static FrameWriter begin(FrameHeader header, int type, int flags, long rowVersion, int bodyBytes) {
        FrameHeader.Agreed agreed = header.agreed();
        boolean named = agreed != null && (agreed.sender() != null || agreed.recipient() != null);
        int more = (named ? 2 * IDENTITY_BYTES : 0) + (rowVersion == 0 ? 0 : Long.BYTES);
        FrameWriter out = begin(header, type, flags | (named ? IDENTITIES : 0), Math.addExact(more, bodyBytes));
        if (agreed != null && named) {
            out.identity(agreed.sender()).identity(agreed.recipient());
        }
        return rowVersion == 0 ? out : out.i64(rowVersion);
    }

    private static FrameWriter begin(FrameHeader header, int type, int flags, int restBytes) {
        Optional<NodeId> recipient = header.recipient();
        int names =
                FrameWriter.sizeOf(header.sender()) + (recipient.isPresent() ? FrameWriter.sizeOf(recipient.get()) : 1);
        FrameWriter out = new FrameWriter(Math.addExact(HEAD_BYTES + names, restBytes))
                .u8(FrameCodec.PROTOCOL)
                .u8(type)
                .u8(flags)
                .name(header.sender());
        if (recipient.isPresent()) {
            out.name(recipient.get());
        } else {
            out.u8(0);
        }
        return out.i64(header.settings())
                .i64(header.epoch())
                .i64(header.clock().packed())
                .i64(header.wallMillis());
    }

    /** Reads the protocol version and the type of the message. */
    static int type(FrameReader in) throws FrameException {
        int protocol = in.u8("the protocol version");
        if (protocol != FrameCodec.PROTOCOL) {
            throw new FrameException(
                    ErrorCode.UNSUPPORTED_PROTOCOL,
                    "protocol version " + protocol + " is not supported; this node speaks " + FrameCodec.PROTOCOL);
        }
        return in.u8("the message type");
    }

    /** Reads the rest of the head. */
    static FrameHeader header(FrameReader in, int type, NodeIds known) throws FrameException {
        int flags = in.u8("the flags");
        boolean isReply = type >= FrameTypes.REPLY;
        int unknown = flags & ~(isReply ? IDENTITIES : KNOWN_FLAGS);
        if (unknown != 0) {
            throw new FrameException(
                    ErrorCode.UNSUPPORTED_PROTOCOL,
                    "the flags " + unknown + " of a " + (isReply ? "reply" : "request")
                            + " are not supported; this node knows " + (isReply ? "1" : "1, 2 and 4"));
        }
        Optional<NodeId> sender = in.name(known, "the sender's name");
        if (sender.isEmpty()) {
            throw in.malformed("a frame must name its sender");
        }
        Optional<NodeId> recipient = in.name(known, "the recipient's name");
        long settings = in.i64("the settings");
        long epoch = in.i64("the epoch");
        Version clock = in.version();
        long wallMillis = in.i64("the wall clock");
        in.hasRowVersions((flags & ROW_VERSIONS) != 0);
        in.hasTraces((flags & TRACES) != 0);
        FrameHeader.Agreed agreed = null;
        if (flags != 0 && isReply) {
            agreed = new FrameHeader.Agreed(in.identity(known, "the sender's number"), null, 0);
        } else if ((flags & ~TRACES) != 0) {
            agreed = agreed(in, known, (flags & IDENTITIES) != 0, in.hasRowVersions() && type != FrameTypes.BATCH);
        }
        TraceContext trace = in.hasTraces() && type != FrameTypes.BATCH ? TraceField.read(in) : null;
        return new FrameHeader(sender.get(), recipient, settings, epoch, clock, wallMillis, agreed, trace);
    }

    private static FrameHeader.Agreed agreed(FrameReader in, NodeIds known, boolean named, boolean fenced)
            throws FrameException {
        NodeIdentity sender = named ? in.identity(known, "the sender's number") : null;
        NodeIdentity recipient = named ? in.identity(known, "the recipient's number") : null;
        long rowVersion = fenced ? in.i64("the row version") : 0;
        if (fenced && rowVersion <= 0) {
            throw in.malformed("a row version must be more than zero, is " + rowVersion);
        }
        return new FrameHeader.Agreed(sender, recipient, rowVersion);
    }
}
