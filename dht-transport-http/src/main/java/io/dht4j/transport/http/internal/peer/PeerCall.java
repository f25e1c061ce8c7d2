package io.dht4j.transport.http.internal.peer;

import io.dht4j.spi.CallContext;
import io.dht4j.spi.ConnectFailure;
import io.dht4j.spi.Frame;
import io.dht4j.spi.TransportException;
import io.dht4j.spi.TransportException.Outcome;
import io.dht4j.spi.TransportException.Reason;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One call to a peer: waiting for a connection, then sent, then ended. A call was not sent only if it ended while it
 * waited, or if the peer reports that it refused it. Safe for use by any number of threads.
 */
public final class PeerCall extends CompletableFuture<byte[]> {

    private enum State {
        WAITING,
        SENT,
        ANSWERED,
        GIVEN_UP
    }

    private static final Frame NOTHING = Frame.of(new byte[0]);

    private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);
    private final String address;
    private final CallContext context;
    private final long madeAt = System.nanoTime();
    private final long deadline;
    private volatile Frame request;

    /** The counter of the frame's bytes until the call has ended; set before any other thread knows the call. */
    private @Nullable AtomicLong budget;

    private volatile @Nullable Carrier carrier;

    /**
     * Creates a waiting call.
     *
     * @param deadline by {@link System#nanoTime()}
     */
    public PeerCall(String address, Frame request, CallContext context, long deadline) {
        this.address = address;
        this.request = request;
        this.context = context;
        this.deadline = deadline;
    }

    /** The carrier of a sent call: an exchange on a connection. */
    public interface Carrier {

        /** Releases the abandoned call soon, at any cost. For any thread. */
        void drop();
    }

    /** Counts the frame's bytes until the call ends, and returns how many were counted before. */
    long charge(AtomicLong counter) {
        budget = counter;
        return counter.getAndAdd(request.length());
    }

    public String address() {
        return address;
    }

    public Frame request() {
        return request;
    }

    public CallContext context() {
        return context;
    }

    /** Returns when the caller made the call, by {@link System#nanoTime()}. */
    public long madeAt() {
        return madeAt;
    }

    public long deadline() {
        return deadline;
    }

    public boolean hasEnded() {
        State now = state.get();
        return now == State.ANSWERED || now == State.GIVEN_UP;
    }

    /** Returns whether it has ended without an answer. */
    public boolean isGivenUp() {
        return state.get() == State.GIVEN_UP;
    }

    /**
     * Sets the carrier of the call. The caller checks afterwards whether the call {@linkplain #hasEnded() has ended}.
     */
    public void carriedBy(Carrier exchange) {
        carrier = exchange;
    }

    /**
     * Marks the call as sent: from here on its outcome is unknown until a reply comes. Returns false if it has ended.
     */
    public boolean send() {
        return state.compareAndSet(State.WAITING, State.SENT);
    }

    /** Reverts a send of which no byte was written. Returns false if the call has ended. */
    public boolean unsend() {
        carrier = null;
        return state.compareAndSet(State.SENT, State.WAITING);
    }

    void reply(byte[] frame) {
        if (state.compareAndSet(State.SENT, State.ANSWERED)) {
            forget();
            complete(frame);
        }
    }

    /**
     * Ends the call as not sent: the peer reports that its handler did not see the request, or certainly nothing was
     * written.
     */
    public void refused(String why) {
        end(State.SENT, State.ANSWERED, failure(Outcome.NOT_SENT, why));
    }

    /** Ends the call as not sent, because the peer, or the queue for it here, has no room for it. */
    void noRoom(String why) {
        giveUp(new TransportException(Reason.NO_ROOM, address + ": " + why));
    }

    /** Ends the call as not sent, because there is no connection to carry it. */
    public void unconnected(String why, Throwable cause) {
        giveUp(
                ConnectFailure.isRefused(cause)
                        ? new TransportException(Reason.REFUSED, address + ": " + why)
                        : failure(Outcome.NOT_SENT, why));
    }

    /** Ends the call with a failure that the peer reports. */
    public void failed(String why) {
        end(State.SENT, State.ANSWERED, failure(Outcome.UNKNOWN, why));
    }

    /** Ends the call without a reply. Returns false if it has ended. */
    public boolean abandon(String why) {
        while (!hasEnded()) {
            boolean isSent = state.get() == State.SENT;
            // First: a call for whose failure there is no memory has not ended, and its deadline ends it.
            TransportException failure = failure(isSent ? Outcome.UNKNOWN : Outcome.NOT_SENT, why);
            if (end(isSent ? State.SENT : State.WAITING, State.GIVEN_UP, failure)) {
                return true;
            }
        }
        return false;
    }

    /** Ends the call because its deadline has passed. Returns false if it has ended. */
    public boolean expire() {
        return abandon(
                state.get() == State.WAITING ? "deadline passed before the call was sent" : "no reply by the deadline");
    }

    /** Ends a call that its caller has cancelled, and releases its carrier. */
    public void cancel() {
        if (abandon("cancelled")) {
            drop();
        }
    }

    /** Makes the carrier release the call, which was abandoned. */
    public void drop() {
        Carrier exchange = carrier;
        if (exchange != null) {
            exchange.drop();
        }
    }

    private TransportException failure(Outcome outcome, String why) {
        return new TransportException(outcome, address + ": " + why);
    }

    private void giveUp(TransportException failure) {
        while (!hasEnded()) {
            end(state.get() == State.SENT ? State.SENT : State.WAITING, State.GIVEN_UP, failure);
        }
    }

    private boolean end(State before, State after, TransportException failure) {
        boolean ended = state.compareAndSet(before, after);
        if (ended) {
            forget();
            completeExceptionally(failure);
        }
        return ended;
    }

    /** Releases the frame before the outcome is reported: an ended call may stay in a queue for a while. */
    private void forget() {
        if (budget != null) {
            budget.addAndGet(-request.length());
        }
        request = NOTHING;
    }
}
