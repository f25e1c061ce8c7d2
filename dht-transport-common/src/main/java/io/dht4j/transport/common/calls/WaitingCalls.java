package io.dht4j.transport.common.calls;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Holds the calls of a lane that are not written yet, or only in part. Any thread {@linkplain #put puts} calls.
 * Everything else is for the lane's event loop, except where stated.
 *
 * <p>A call waits for a connection attempt that begins after the call, because the peer may have begun to listen in the
 * meantime.
 */
public final class WaitingCalls {

    /**
     * The least interval between two sweeps, so that many different deadlines do not cause constant scans of all calls.
     */
    public static final long LEAST_SWEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    /** Ended calls are removed from the queue in one go once there are so many. */
    private static final int MANY_ENDED = 64;

    private final int maxWhole;
    private final Inbox<PeerCall> inbox = new Inbox<>();
    private final Deque<PeerCall> whole = new ArrayDeque<>();
    private final Deque<PeerCall> parted = new ArrayDeque<>();
    private int ended;
    /** The number of connection attempts that have begun. */
    private int attempts;

    /**
     * Creates queues without calls.
     *
     * @param maxWhole the length in bytes over which a frame travels in parts
     */
    public WaitingCalls(int maxWhole) {
        this.maxWhole = maxWhole;
    }

    /**
     * Adds a call. On any thread.
     *
     * @param call in no queue
     * @return whether the event loop has to be woken, so that it takes the call in
     */
    public boolean put(PeerCall call) {
        return inbox.put(call);
    }

    /**
     * Returns whether calls have come that were not taken in yet. On any thread.
     *
     * @return true if there are such calls
     */
    public boolean haveCome() {
        return !inbox.isEmpty();
    }

    /**
     * Takes in the calls that have come. Those for which there is no memory stay for the next time, also when an
     * {@link OutOfMemoryError} is thrown.
     *
     * @param latest a moment of {@link System#nanoTime()}
     * @return the earliest deadline of those that were taken in, and {@code latest}
     */
    public long takeIn(long latest) {
        long earliest = latest;
        PeerCall call = inbox.takeAll();
        try {
            while (call != null) {
                // A concurrent cancellation may have looked for the call already.
                if (!call.hasEnded()) {
                    call.attempt = attempts + 1;
                    (call.size() > maxWhole ? parted : whole).add(call);
                    earliest = earlier(earliest, call.deadline());
                }
                call = Inbox.unlinked(call);
            }
        } finally {
            putBack(call);
        }
        return earliest;
    }

    private void putBack(@Nullable PeerCall first) {
        for (PeerCall call = first; call != null; ) {
            PeerCall next = Inbox.unlinked(call);
            inbox.put(call);
            call = next;
        }
    }

    /**
     * Returns the calls whose frames travel as a whole, in their order.
     *
     * @return the queue itself
     */
    public Deque<PeerCall> whole() {
        return whole;
    }

    /**
     * Returns the calls whose frames are sent in parts, round-robin.
     *
     * @return the queue itself
     */
    public Deque<PeerCall> parted() {
        return parted;
    }

    /**
     * Returns whether no call waits, apart from those that were not taken in.
     *
     * @return true if both queues are empty
     */
    public boolean isEmpty() {
        return whole.isEmpty() && parted.isEmpty();
    }

    /**
     * Removes a cancelled call, if it is here. The call may stay for a while if its frame travels as a whole.
     *
     * @param call a call that has ended
     */
    public void removeParted(PeerCall call) {
        // The bound on bytes keeps the number of large frames small, so the search is short.
        parted.remove(call);
    }

    /**
     * Counts a call that has ended while its frame waited to travel as a whole, and removes many such calls at once.
     */
    public void endedWhole() {
        if (++ended > MANY_ENDED && ended > whole.size() / 2) {
            ended = 0;
            whole.removeIf(PeerCall::hasEnded);
        }
    }

    /** Notes that a connection attempt begins. Calls that come from here on wait for the next one. */
    public void attemptBegins() {
        attempts++;
    }

    /**
     * Ends and removes the calls that wait for the attempts that have begun.
     *
     * @param end ends a call
     */
    public void endAttempted(Consumer<PeerCall> end) {
        endUpTo(attempts, end);
    }

    /**
     * Ends and removes all calls, also those that were not taken in.
     *
     * @param why the reason
     */
    public void abandonAll(String why) {
        abandonIncoming(why);
        endUpTo(Integer.MAX_VALUE, call -> call.abandon(why));
    }

    /**
     * Ends the calls that were not taken in. On any thread, for a lane without an event loop.
     *
     * @param why the reason
     */
    public void abandonIncoming(String why) {
        for (PeerCall call = inbox.takeAll(); call != null; ) {
            PeerCall next = Inbox.unlinked(call);
            call.abandon(why);
            call = next;
        }
    }

    /** Removes the partly written calls, which end with their connection. */
    public void removeBegun() {
        parted.removeIf(call -> call.written() > 0);
    }

    private void endUpTo(int attempt, Consumer<PeerCall> end) {
        endUpTo(whole, attempt, end);
        endUpTo(parted, attempt, end);
    }

    private static void endUpTo(Deque<PeerCall> calls, int attempt, Consumer<PeerCall> end) {
        for (var each = calls.iterator(); each.hasNext(); ) {
            PeerCall call = each.next();
            if (call.attempt <= attempt) {
                end.accept(call);
                each.remove();
            }
        }
    }

    /**
     * Ends and removes the due calls.
     *
     * @param now the moment, by {@link System#nanoTime()}
     * @param latest a later moment
     * @return the earliest deadline of the remaining calls, and {@code latest}
     */
    public long sweep(long now, long latest) {
        return sweep(now, latest, "");
    }

    /**
     * Ends and removes the due calls.
     *
     * @param now the moment, by {@link System#nanoTime()}
     * @param latest a later moment
     * @param silence what the peer has not said, appended to the reason of their failure; empty if something else is in
     *     the way
     * @return the earliest deadline of the remaining calls, and {@code latest}
     */
    public long sweep(long now, long latest, String silence) {
        return sweep(parted, now, sweep(whole, now, latest, silence), silence);
    }

    private static long sweep(Deque<PeerCall> calls, long now, long latest, String silence) {
        long earliest = latest;
        for (var each = calls.iterator(); each.hasNext(); ) {
            PeerCall call = each.next();
            if (call.deadline() - now <= 0) {
                call.expire(silence);
            }
            if (!call.hasEnded()) {
                earliest = earlier(earliest, call.deadline());
            } else if (call.written() == 0) {
                // A partly written call stays: its connection has to withdraw it.
                each.remove();
            }
        }
        return earliest;
    }

    /**
     * Returns the earlier of two moments of {@link System#nanoTime()}.
     *
     * @param one a moment
     * @param other another
     * @return the earlier one
     */
    public static long earlier(long one, long other) {
        return one - other <= 0 ? one : other;
    }
}
