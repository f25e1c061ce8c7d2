package io.dht4j.transport.grpc.internal.server;

import io.dht4j.spi.CallContext;
import io.dht4j.spi.Frame;
import io.dht4j.spi.FrameHandler;
import io.dht4j.transport.common.calls.FrameAssembler;
import io.dht4j.transport.grpc.internal.wire.RecordBatch;
import io.dht4j.transport.grpc.internal.wire.RecordHead;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One request of a stream and its reply. For the connection's event loop, except the handler's answer, which arrives on
 * any thread.
 */
final class StreamExchange {

    private static final byte[] NO_BYTES = {};

    private final long id;
    private final CallContext context;
    private final RequestAdmission admission;
    private final ReplyWriter replies;
    private long heldBytes;
    private @Nullable FrameAssembler request;
    private int written;
    private boolean released;

    // Written before the exchange is given to the replies.
    private byte @Nullable [] reply;
    private @Nullable Throwable failure;

    /** Creates an exchange for a request that was admitted with this length. */
    StreamExchange(long id, int length, CallContext context, RequestAdmission admission, ReplyWriter replies) {
        this.id = id;
        this.heldBytes = length;
        this.context = context;
        this.admission = admission;
        this.replies = replies;
    }

    /** Returns the caller's number. */
    long id() {
        return id;
    }

    boolean isExpired() {
        return context.isExpired();
    }

    /** Begins a request that arrives in parts, and returns their assembler. */
    FrameAssembler begin(int length) {
        FrameAssembler parts = new FrameAssembler(length);
        request = parts;
        return parts;
    }

    /** Returns the request while it comes in parts; null before, and when it is complete. */
    @Nullable
    FrameAssembler request() {
        return request;
    }

    /** Passes the whole request to the handler. */
    void handle(FrameHandler frames, byte[] frame) {
        request = null;
        try {
            frames.handle(frame, context).whenComplete(this::answer);
        } catch (Throwable e) {
            answer(null, e);
        }
    }

    /** Takes the handler's answer, on any thread. */
    private void answer(byte @Nullable [] result, @Nullable Throwable error) {
        reply = result;
        failure = error;
        replies.answered(this);
    }

    /** Returns the handler's reply; null if it has failed. */
    byte @Nullable [] reply() {
        return reply;
    }

    /** Returns the handler's failure; null if it has replied. */
    @Nullable
    Throwable failure() {
        return failure;
    }

    /** Counts the bytes of the reply until the exchange is released. */
    void holdReply(int length) {
        admission.grow(length);
        heldBytes += length;
    }

    /** Ends a message with the next part of a large reply. Returns whether it was the last part. */
    boolean writePart(RecordBatch batch) {
        byte[] frame = Objects.requireNonNull(reply);
        int length = Math.min(RecordHead.MAX_PART, frame.length - written);
        if (written == 0) {
            batch.endWithReply(id, frame, length);
        } else {
            batch.endWithPart(id, Frame.of(frame), written, length);
        }
        written += length;
        return written == frame.length;
    }

    /** Releases the frames and their room. May be called repeatedly. */
    void release() {
        if (!released) {
            released = true;
            reply = NO_BYTES;
            request = null;
            admission.leave(heldBytes);
        }
    }

    boolean isReleased() {
        return released;
    }

    /** Cancels the handler's work. */
    void cancel() {
        context.cancel();
    }
}
