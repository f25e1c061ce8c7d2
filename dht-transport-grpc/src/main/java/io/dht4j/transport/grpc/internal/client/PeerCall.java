package io.dht4j.transport.grpc.internal.client;

import io.dht4j.spi.CallContext;
import io.dht4j.spi.ConnectFailure;
import io.dht4j.spi.Frame;
import io.dht4j.spi.TransportException;
import io.dht4j.spi.TransportException.Outcome;
import io.dht4j.spi.TransportException.Reason;
import io.dht4j.transport.grpc.internal.wire.FrameAssembler;
import io.grpc.Status;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * One call to a peer: waiting, then sent, then ended. A call was not sent only if it ended while it waited, or if the
 * peer reports that it refused it. Safe for use by any number of threads, except the fields that name their owner.
 */
final class PeerCall extends CompletableFuture<byte[]> {

    private static final int WAITING = 0;
    private static final int SENT = 1;
    private static final int ENDED = 2;

    private static final AtomicIntegerFieldUpdater<PeerCall> STATE =
            AtomicIntegerFieldUpdater.newUpdater(PeerCall.class, "state");

    private static final Frame NOTHING = Frame.of(new byte[0]);

    private final String address;
    private final CallContext context;
    private final long deadline;
    private final CallBudget budget;
    private volatile int state = WAITING;
    private volatile Frame request;

    /** The call that was offered before this one; for {@link CallInbox}. */
    @Nullable
    PeerCall next;

    /** The number of the call on its stream; 0 before it has one. Owned by the lane's event loop. */
    long id;

    /** The connection attempt that the call waits for, if one is needed. Owned by the lane's event loop. */
    long attempt;

    /** When the first byte was written, by {@link System#nanoTime()}. Owned by the lane's event loop. */
    long writtenAt;

    /** The number of written bytes of a frame that travels in parts. Owned by the lane's event loop. */
    int written;

    /** The received bytes of a reply that travels in parts. Owned by the lane's event loop. */
    @Nullable
    FrameAssembler reply;

    /**
     * Creates a waiting call, which is counted in a budget until it ends.
     *
     * @param deadline by {@link System#nanoTime()}
     */
    PeerCall(String address, Frame request, CallContext context, long deadline, CallBudget budget) {
        this.address = address;
        this.request = request;
        this.context = context;
        this.deadline = deadline;
        this.budget = budget;
    }

    Frame request() {
        return request;
    }

    CallContext context() {
        return context;
    }

    long deadline() {
        return deadline;
    }

    boolean hasEnded() {
        return state == ENDED;
    }

    boolean isSent() {
        return state == SENT;
    }

    /**
     * Marks the call as sent: from here on its outcome is unknown until a reply comes. Returns false if it has ended.
     */
    boolean send() {
        return STATE.compareAndSet(this, WAITING, SENT);
    }

    void reply(byte[] frame) {
        if (STATE.compareAndSet(this, SENT, ENDED)) {
            forget();
            complete(frame);
        }
    }

    /** Ends the call as not sent: the peer reports that its handler did not see the request. */
    void refused(String why) {
        if (STATE.getAndSet(this, ENDED) != ENDED) {
            fail(Outcome.NOT_SENT, why);
        }
    }

    /** Ends the call as not sent, because the peer, or the queue for it here, has no room for it. */
    void noRoom(String why) {
        if (STATE.getAndSet(this, ENDED) != ENDED) {
            forget();
            completeExceptionally(new TransportException(Reason.NO_ROOM, address + ": " + why));
        }
    }

    /** Ends the call without a reply. Returns false if it has ended. */
    boolean abandon(String why) {
        int before = STATE.getAndSet(this, ENDED);
        if (before != ENDED) {
            fail(before == SENT ? Outcome.UNKNOWN : Outcome.NOT_SENT, why);
        }
        return before != ENDED;
    }

    /** Ends the call without a reply; if it was not sent, for want of a connection. */
    void unconnected(String why, Status status) {
        int before = STATE.getAndSet(this, ENDED);
        if (before == WAITING && status.getCause() != null && ConnectFailure.isRefused(status.getCause())) {
            forget();
            completeExceptionally(new TransportException(Reason.REFUSED, address + ": " + why));
        } else if (before != ENDED) {
            fail(before == SENT ? Outcome.UNKNOWN : Outcome.NOT_SENT, why);
        }
    }

    /** Ends the call because its deadline has passed, unless it has ended. */
    void expire() {
        abandon(state == SENT ? "no reply by the deadline" : "deadline passed before the call was sent");
    }

    private void fail(Outcome outcome, String why) {
        forget();
        completeExceptionally(new TransportException(outcome, address + ": " + why));
    }

    /** Releases the frame before the outcome is reported: an ended call may stay in a queue for a while. */
    private void forget() {
        budget.leave(request.length());
        request = NOTHING;
    }
}
