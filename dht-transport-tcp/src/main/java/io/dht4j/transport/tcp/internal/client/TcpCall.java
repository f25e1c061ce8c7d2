package io.dht4j.transport.tcp.internal.client;

import io.dht4j.spi.CallContext;
import io.dht4j.spi.ConnectFailure;
import io.dht4j.spi.Frame;
import io.dht4j.spi.TransportException;
import io.dht4j.spi.TransportException.Outcome;
import io.dht4j.spi.TransportException.Reason;
import io.dht4j.transport.tcp.internal.loop.Linked;
import io.dht4j.transport.tcp.internal.wire.FrameBody;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * One call to a peer: waiting, then sent, then ended. A call was not sent only if it ended while it waited, or if the
 * peer reports that it refused it. Safe for use by any number of threads, except the fields of the loop. It is itself
 * its link in a queue and the action of its cancellation, which saves two objects for each call.
 */
final class TcpCall extends CompletableFuture<byte[]> implements Linked<TcpCall>, Runnable {

    private static final int WAITING = 0;
    private static final int SENT = 1;
    private static final int ENDED = 2;

    private static final AtomicIntegerFieldUpdater<TcpCall> STATE =
            AtomicIntegerFieldUpdater.newUpdater(TcpCall.class, "state");

    private static final Frame NOTHING = Frame.of(new byte[0]);

    private final Lane lane;
    private final long deadline;
    private final int size;
    private volatile int state = WAITING;
    private volatile Frame request;
    private @Nullable TcpCall next;

    // For the lane's event loop.

    /** The number of the call on its connection; 0 before it has one. */
    long id;

    /** The connection attempt that the call waits for, if one is needed. */
    long attempt;

    /** When the first byte was written, by {@link System#nanoTime()}. */
    long writtenAt;

    /** The number of written bytes of a frame that travels in parts. */
    int written;

    /** The received bytes of a reply that comes in pieces. */
    @Nullable
    FrameBody reply;

    /**
     * Creates a waiting call, which is counted in its lane's budget until it ends.
     *
     * @param deadline by {@link System#nanoTime()}
     */
    TcpCall(Lane lane, Frame request, long deadline) {
        this.lane = lane;
        this.request = request;
        this.size = request.length();
        this.deadline = deadline;
    }

    /** Lets the context end the call. Most calls end before their caller cancels them. */
    void endWith(CallContext context) {
        context.onCancel(this);
    }

    /** Ends the call because its caller has cancelled it; from any thread. */
    @Override
    public void run() {
        if (abandon("cancelled")) {
            lane.cancelled(this);
        }
    }

    Frame request() {
        return request;
    }

    /** Returns the length of the frame, which outlives the frame. */
    int size() {
        return size;
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

    void answer(byte[] frame) {
        if (STATE.compareAndSet(this, SENT, ENDED)) {
            forget();
            complete(frame);
        }
    }

    /** Ends the call as not sent: the peer reports that its handler did not see the request. */
    void refused(String why) {
        fail(new TransportException(Outcome.NOT_SENT, lane.address() + ": " + why));
    }

    /** Ends the call as not sent, because the peer, or the queue for it here, has no room for it. */
    void noRoom(String why) {
        fail(new TransportException(Reason.NO_ROOM, lane.address() + ": " + why));
    }

    /** Ends the call without a reply. Returns false if it has ended. */
    boolean abandon(String why) {
        for (int before = state; before != ENDED; before = state) {
            // First: a call for whose failure there is no memory has not ended, and its deadline ends it.
            TransportException failure = new TransportException(
                    before == SENT ? Outcome.UNKNOWN : Outcome.NOT_SENT, lane.address() + ": " + why);
            if (STATE.compareAndSet(this, before, ENDED)) {
                forget();
                completeExceptionally(failure);
                return true;
            }
        }
        return false;
    }

    /** Ends a waiting call for want of a connection. */
    void unconnected(String why, @Nullable Throwable cause) {
        if (cause == null || !ConnectFailure.isRefused(cause)) {
            abandon(why);
        } else {
            fail(new TransportException(Reason.REFUSED, lane.address() + ": " + why));
        }
    }

    /** Ends the call because its deadline has passed, unless it has ended. */
    void expire() {
        abandon(state == SENT ? "no reply by the deadline" : "deadline passed before the call was sent");
    }

    private void fail(TransportException failure) {
        if (STATE.getAndSet(this, ENDED) != ENDED) {
            forget();
            completeExceptionally(failure);
        }
    }

    /** Releases the frame before the outcome is reported: an ended call may stay in a queue for a while. */
    private void forget() {
        request = NOTHING;
        lane.budget().leave(size);
    }

    @Override
    public @Nullable TcpCall linked() {
        return next;
    }

    @Override
    public void link(@Nullable TcpCall call) {
        next = call;
    }
}
