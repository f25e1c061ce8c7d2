package io.dht4j.transport.common.calls;

import io.dht4j.spi.CallContext;
import io.dht4j.spi.ConnectFailure;
import io.dht4j.spi.Frame;
import io.dht4j.spi.TransportException;
import io.dht4j.spi.TransportException.Outcome;
import io.dht4j.spi.TransportException.Reason;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * One call to a peer: waiting, then sent, then ended. A call was not sent only if it ended while it waited, or if the
 * peer reports that it refused it. It is itself its link in a queue and the action of its cancellation, which saves two
 * objects for each call.
 *
 * <p>Safe for use by any number of threads, except its number, its moment and its parts, which belong to the lane's
 * event loop.
 */
public final class PeerCall extends CompletableFuture<byte[]> implements Linked<PeerCall>, Runnable {

    private static final int WAITING = 0;
    private static final int SENT = 1;
    private static final int ENDED = 2;

    private static final AtomicIntegerFieldUpdater<PeerCall> STATE =
            AtomicIntegerFieldUpdater.newUpdater(PeerCall.class, "state");

    private static final Frame NOTHING = Frame.of(new byte[0]);

    private final PeerLane lane;
    private final long deadline;
    private final int size;
    private volatile int state = WAITING;
    private volatile Frame request;
    private @Nullable PeerCall next;

    // For the lane's event loop.
    private long id;
    private long writtenAt;
    private int written;
    private @Nullable FrameAssembler reply;

    /** Releases the call once it is sent and abandoned. */
    private volatile @Nullable Carrier carrier;

    /** The connection attempt that the call waits for, if one is needed. */
    int attempt;

    /** The carrier of a sent call: an exchange on a connection. */
    @FunctionalInterface
    public interface Carrier {

        /** Releases the abandoned call soon, at any cost. On any thread. */
        void drop();
    }

    /**
     * Creates a waiting call, which leaves its lane's budget when it ends.
     *
     * @param lane the lane that is going to carry it
     * @param request the frame
     * @param deadline when it ends at the latest, by {@link System#nanoTime()}
     */
    public PeerCall(PeerLane lane, Frame request, long deadline) {
        this.lane = lane;
        this.request = request;
        this.size = request.length();
        this.deadline = deadline;
    }

    /**
     * Lets a context end the call. Most calls end before their caller cancels them.
     *
     * @param context the call's context
     */
    public void endWith(CallContext context) {
        context.onCancel(this);
    }

    /** Ends the call because its caller has cancelled it, and reports that to the lane. On any thread. */
    @Override
    public void run() {
        if (abandon("cancelled")) {
            lane.cancelled(this);
        }
    }

    /**
     * Returns the frame.
     *
     * @return the request; an empty frame once the call has ended
     */
    public Frame request() {
        return request;
    }

    /**
     * Returns the length of the frame, also once the call has ended.
     *
     * @return the length in bytes
     */
    public int size() {
        return size;
    }

    /**
     * Returns when the call ends at the latest.
     *
     * @return a moment of {@link System#nanoTime()}
     */
    public long deadline() {
        return deadline;
    }

    /**
     * Returns whether the call has ended.
     *
     * @return true also just before its dependent actions run
     */
    public boolean hasEnded() {
        return state == ENDED;
    }

    /**
     * Returns whether the call is sent and unanswered.
     *
     * @return true if its outcome is unknown now
     */
    public boolean isSent() {
        return state == SENT;
    }

    /**
     * Marks the call as sent: from here on its outcome is unknown until a reply comes.
     *
     * @return false if it has ended
     */
    public boolean send() {
        boolean isSent = STATE.compareAndSet(this, WAITING, SENT);
        if (isSent) {
            lane.budget().sent();
        }
        return isSent;
    }

    /**
     * Reverts a send before its first byte was written.
     *
     * @return false if the call has ended
     */
    public boolean unsend() {
        carrier = null;
        boolean isWaiting = STATE.compareAndSet(this, SENT, WAITING);
        if (isWaiting) {
            lane.budget().waitsAgain();
        }
        return isWaiting;
    }

    /**
     * Sets the carrier of the call. The caller checks afterwards whether the call {@linkplain #hasEnded has ended}.
     *
     * @param exchange releases the call
     */
    public void carriedBy(Carrier exchange) {
        carrier = exchange;
    }

    /**
     * Makes the carrier release the call, which was abandoned.
     *
     * @return false if there is no carrier
     */
    public boolean drop() {
        Carrier exchange = carrier;
        if (exchange != null) {
            exchange.drop();
        }
        return exchange != null;
    }

    /**
     * Ends a sent call with its reply.
     *
     * @param frame the reply, which belongs to the caller from here on
     */
    public void reply(byte[] frame) {
        if (STATE.compareAndSet(this, SENT, ENDED)) {
            forget(SENT);
            complete(frame);
        }
    }

    /**
     * Ends the call as not sent: the peer reports that its handler did not see the request.
     *
     * @param why the peer's reason
     */
    public void refused(String why) {
        fail(new TransportException(Outcome.NOT_SENT, lane.address() + ": " + why));
    }

    /**
     * Ends the call as not sent, because the peer, or the queue for it here, has no room for it.
     *
     * @param why the reason
     */
    public void noRoom(String why) {
        fail(new TransportException(Reason.NO_ROOM, lane.address() + ": " + why));
    }

    /**
     * Ends the call without a reply: as not sent if it waits, else as unknown.
     *
     * @param why the reason
     * @return false if it has ended before
     */
    public boolean abandon(String why) {
        for (int before = state; before != ENDED; before = state) {
            // First: a call for whose failure there is no memory has not ended, and its deadline ends it.
            TransportException failure = new TransportException(
                    before == SENT ? Outcome.UNKNOWN : Outcome.NOT_SENT, lane.address() + ": " + why);
            if (STATE.compareAndSet(this, before, ENDED)) {
                forget(before);
                completeExceptionally(failure);
                return true;
            }
        }
        return false;
    }

    /**
     * Ends the call without a reply; if it waits, for want of a connection.
     *
     * @param why the reason
     * @param cause why there is no connection; null if that is unknown
     */
    public void unconnected(String why, @Nullable Throwable cause) {
        if (state == WAITING && cause != null && ConnectFailure.isRefused(cause)) {
            if (unsent(Reason.REFUSED, why)) {
                return;
            }
        }
        abandon(why);
    }

    /** Ends the call if it waits. Returns false if it does not. */
    private boolean unsent(Reason reason, String why) {
        TransportException failure = new TransportException(reason, lane.address() + ": " + why);
        boolean isUnsent = STATE.compareAndSet(this, WAITING, ENDED);
        if (isUnsent) {
            forget(WAITING);
            completeExceptionally(failure);
        }
        return isUnsent;
    }

    /**
     * Ends the call because its deadline has passed.
     *
     * @return false if it has ended before
     */
    public boolean expire() {
        return expire("");
    }

    /**
     * Ends the call as {@link #expire()} does.
     *
     * @param silence what the peer has not said to a call that was not sent, appended to the reason; empty if something
     *     else was in the way
     * @return false if it has ended before
     */
    boolean expire(String silence) {
        if (state == SENT) {
            return abandon("no reply by the deadline");
        }
        String why = "deadline passed before the call was sent" + silence;
        return (!silence.isEmpty() && unsent(Reason.SILENT, why)) || abandon(why);
    }

    private void fail(TransportException failure) {
        int before = STATE.getAndSet(this, ENDED);
        if (before != ENDED) {
            forget(before);
            completeExceptionally(failure);
        }
    }

    /** Releases the frame before the outcome is reported: an ended call may stay in a queue for a while. */
    private void forget(int before) {
        request = NOTHING;
        lane.budget().leave(size, before == SENT);
    }

    /**
     * Gives the call its number on a connection, when its first byte is written.
     *
     * @param number 1 or more
     * @param now the moment, by {@link System#nanoTime()}
     */
    public void number(long number, long now) {
        id = number;
        writtenAt = now;
    }

    /**
     * Returns the number of the call on its connection.
     *
     * @return 0 before it has one
     */
    public long id() {
        return id;
    }

    /**
     * Returns when the first byte was written.
     *
     * @return a moment of {@link System#nanoTime()}
     */
    public long writtenAt() {
        return writtenAt;
    }

    /**
     * Notes how much of a frame that travels in parts is written.
     *
     * @param bytes the number of bytes from its beginning
     */
    public void written(int bytes) {
        written = bytes;
    }

    /**
     * Returns how much of a frame that travels in parts is written.
     *
     * @return the number of bytes; 0 for a frame that travels as a whole
     */
    public int written() {
        return written;
    }

    /**
     * Keeps the received parts of a reply.
     *
     * @param begun the reply; null when it is complete
     */
    public void assembling(@Nullable FrameAssembler begun) {
        reply = begun;
    }

    /**
     * Returns the received parts of a reply.
     *
     * @return null if there is no such reply
     */
    public @Nullable FrameAssembler assembling() {
        return reply;
    }

    @Override
    public @Nullable PeerCall linked() {
        return next;
    }

    @Override
    public void link(@Nullable PeerCall call) {
        next = call;
    }
}
