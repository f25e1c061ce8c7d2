package io.dht4j.transport.grpc.internal.server;

import io.dht4j.DhtException;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.FrameHandler;
import io.dht4j.transport.grpc.internal.tls.PeerTls;
import io.dht4j.transport.grpc.internal.wire.PeerMethods;
import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A request that came as a gRPC call of its own, and its reply. */
final class UnaryExchange extends ServerCall.Listener<byte[]> implements InboundByteMeter.Receiver {

    private static final Logger LOG = LoggerFactory.getLogger(UnaryExchange.class);

    /** The longest effective deadline. */
    private static final long MAX_NANOS = TimeUnit.HOURS.toNanos(1);

    private final ServerCall<byte[], byte[]> call;
    private final FrameHandler frames;
    private final RequestAdmission admission;
    private final IncompleteRequests incomplete;
    private final int length;
    private final CallContext context;
    // For the event loop.
    private long movedAt = System.nanoTime();
    private byte @Nullable [] request;
    private boolean refused;

    /** The neighbours among the incomplete requests; for {@link IncompleteRequests}. */
    @Nullable
    UnaryExchange before;

    @Nullable
    UnaryExchange after;

    // Guarded by this.
    private long heldBytes;
    private boolean released;

    private UnaryExchange(
            ServerCall<byte[], byte[]> call,
            FrameHandler frames,
            RequestAdmission admission,
            IncompleteRequests incomplete,
            int length,
            long remainingNanos) {
        this.call = call;
        this.frames = frames;
        this.admission = admission;
        this.incomplete = incomplete;
        this.length = length;
        this.heldBytes = length;
        this.context = new CallContext(
                System::nanoTime, remainingNanos, PeerTls.provenNames(call.getAttributes()), admission.replyRoom);
    }

    /** Admits a call, or answers it with a refusal. On its event loop. */
    static ServerCall.Listener<byte[]> begin(
            ServerCall<byte[], byte[]> call,
            Metadata headers,
            FrameHandler frames,
            RequestAdmission admission,
            IncompleteRequests incomplete) {
        String refusal = PeerTls.refusal(call.getAttributes());
        if (refusal != null) {
            return refuse(call, Status.PERMISSION_DENIED.withDescription(refusal));
        }
        int length = length(headers.get(PeerMethods.LENGTH));
        if (length < 0) {
            return refuse(call, Status.INVALID_ARGUMENT.withDescription("dht-length must be the length of the frame"));
        }
        Deadline deadline = Context.current().getDeadline();
        if (deadline == null) {
            // gRPC ends a call at its deadline; a call without one could keep its place forever.
            return refuse(call, Status.INVALID_ARGUMENT.withDescription("a call needs a deadline"));
        }
        long remaining = Math.min(MAX_NANOS, deadline.timeRemaining(TimeUnit.NANOSECONDS));
        Status noPlace = admission.enter(length);
        if (noPlace != null) {
            return refuse(call, noPlace);
        }
        UnaryExchange exchange = new UnaryExchange(call, frames, admission, incomplete, length, remaining);
        incomplete.add(exchange);
        InboundByteMeter.current().expect(length, exchange);
        call.request(2);
        return exchange;
    }

    private static int length(@Nullable String header) {
        try {
            return header == null ? -1 : Integer.parseInt(header);
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    private static ServerCall.Listener<byte[]> refuse(ServerCall<byte[], byte[]> call, Status why) {
        call.close(why, PeerMethods.notSent());
        return new ServerCall.Listener<>() {};
    }

    @Override
    public void arrived() {
        movedAt = System.nanoTime();
    }

    /** Returns when bytes of the request came last, by {@link System#nanoTime()}. */
    long movedAt() {
        return movedAt;
    }

    /** Ends a call whose caller has stopped within the request. */
    void stalled(long idleNanos) {
        refuse(Status.UNAVAILABLE.withDescription(
                "nothing moved for " + TimeUnit.NANOSECONDS.toMillis(idleNanos) + " ms"));
    }

    /** Counts the bytes beyond the declared length until the call has ended, which is as soon as gRPC can end it. */
    @Override
    public void exceeded(int bytes) {
        synchronized (this) {
            if (!released) {
                admission.grow(bytes);
                heldBytes += bytes;
            }
        }
        refuseFrame();
    }

    private void refuseFrame() {
        refuse(Status.INVALID_ARGUMENT.withDescription("a call has one frame, of " + length + " bytes as declared"));
    }

    private void refuse(Status why) {
        if (!refused) {
            refused = true;
            request = null;
            incomplete.remove(this);
            end(why, PeerMethods.notSent());
        }
    }

    @Override
    public void onMessage(byte[] message) {
        if (message == PeerMethods.NO_MEMORY) {
            if (!refused) {
                refuse(admission.noMemory(call));
            }
        } else if (request != null || message.length != length) {
            refuseFrame();
        } else if (!refused) {
            request = message;
        }
    }

    @Override
    public void onHalfClose() {
        if (refused) {
            return;
        }
        byte[] frame = request;
        if (frame == null) {
            refuseFrame();
            return;
        }
        request = null;
        incomplete.remove(this);
        if (context.isExpired()) {
            end(
                    Status.DEADLINE_EXCEEDED.withDescription("the deadline passed before the request was complete"),
                    PeerMethods.notSent());
            return;
        }
        try {
            frames.handle(frame, context).whenComplete(this::answer);
        } catch (Throwable e) {
            answer(null, e);
        }
    }

    /** Takes the reply, on any thread. */
    private void answer(byte @Nullable [] reply, @Nullable Throwable error) {
        if (error != null || reply == null) {
            Throwable cause = error == null ? new IllegalStateException("no reply") : DhtException.unwrap(error);
            admission.logFailed(call, cause);
            end(Status.UNKNOWN.withDescription(PeerMethods.oneLine(cause.toString())), new Metadata());
            return;
        }
        if (reply.length > admission.maxFrameBytes()) {
            LOG.warn("a reply of {} bytes is over the limit of {}", reply.length, admission.maxFrameBytes());
            end(
                    Status.UNKNOWN.withDescription("the reply of " + reply.length + " bytes is over the limit"),
                    new Metadata());
            return;
        }
        write(reply);
    }

    /**
     * Writes the reply. {@link #onCancel} waits for it: when that returns, the event loop may end, and a later message
     * would retain its buffer forever.
     */
    private synchronized void write(byte[] reply) {
        if (released) {
            return;
        }
        admission.grow(reply.length);
        heldBytes += reply.length;
        call.sendHeaders(new Metadata());
        call.sendMessage(reply);
        call.close(Status.OK, new Metadata());
    }

    private void end(Status status, Metadata trailers) {
        if (!call.isCancelled()) {
            call.close(status, trailers);
        }
    }

    /** Handles the end of writing the reply. */
    @Override
    public void onComplete() {
        release();
    }

    /** Handles a disconnected caller, or a passed deadline. */
    @Override
    public void onCancel() {
        incomplete.remove(this);
        release();
        context.cancel();
    }

    private synchronized void release() {
        if (!released) {
            released = true;
            admission.leave(heldBytes);
        }
    }
}
