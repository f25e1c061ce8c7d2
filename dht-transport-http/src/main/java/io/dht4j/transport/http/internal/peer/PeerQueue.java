package io.dht4j.transport.http.internal.peer;

import io.dht4j.spi.CallContext;
import io.dht4j.transport.common.calls.CallBudget;
import io.dht4j.transport.common.calls.PeerCall;
import io.dht4j.transport.common.calls.PeerLane;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The calls to one peer over a client that has connections of its own. A bounded number is passed to it at a time; the
 * others wait here, at most until their deadlines. For clients that would queue without a bound themselves, or could
 * not report whether a call was written. Safe for use by any number of threads.
 *
 * <p>As in a lane of Vert.x, one timer at the earliest deadline serves all calls.
 */
public final class PeerQueue implements PeerLane {

    private static final Logger LOG = LoggerFactory.getLogger(PeerQueue.class);

    /** Cancelled calls are removed from the queue in one go once there are so many. */
    private static final int MANY_CANCELLED = 1_000;

    private final PeerLoop timers;
    private final int maxUnderWay;
    private final String address;
    private final CallBudget budget;
    private final Client client;
    private final LoopTimer timer;
    private final Queue<PeerCall> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger underWay = new AtomicInteger();
    private final AtomicInteger pumps = new AtomicInteger();
    private final AtomicInteger cancelled = new AtomicInteger();
    /** The calls that wait or that the client carries. Their deadlines end them in any case. */
    private final Set<PeerCall> calls = ConcurrentHashMap.newKeySet();

    /** Why the queue is closed; null while it is open. */
    private volatile @Nullable String closed;

    /** The client that carries the calls. Does not block. */
    public interface Client {

        /** Takes a call that is marked as sent; reports {@link #done} for each, once. */
        void begin(PeerCall call);

        /** Releases the connections, once all calls have ended. Called once; slow steps follow soon afterwards. */
        void close();
    }

    /**
     * Creates a queue.
     *
     * @param timers the loop of the deadlines' timer
     * @param maxUnderWay how many calls the client has at a time
     */
    public PeerQueue(PeerLoop timers, int maxUnderWay, String address, CallBudget budget, Client client) {
        this.timers = timers;
        this.maxUnderWay = maxUnderWay;
        this.address = address;
        this.budget = budget;
        this.timer = new LoopTimer(timers, this::sweep);
        this.client = client;
    }

    @Override
    public String address() {
        return address;
    }

    @Override
    public CallBudget budget() {
        return budget;
    }

    @Override
    public boolean isCurrent() {
        return false;
    }

    @Override
    public void offer(PeerCall call, CallContext context) {
        calls.add(call);
        queue.add(call);
        // Closing sets its mark first and then empties the queue. This method adds first and then checks the mark.
        String why = closed;
        if (why != null) {
            call.abandon(why);
            return;
        }
        setTimerBy(timer.at(call.deadline()));
        pump();
        if (!call.isDone()) {
            call.endWith(context);
        }
    }

    @Override
    public void cancelled(PeerCall call) {
        if (!call.drop() && cancelled.incrementAndGet() >= MANY_CANCELLED) {
            cancelled.set(0);
            removeEnded();
        }
    }

    private void removeEnded() {
        calls.removeIf(PeerCall::hasEnded);
        queue.removeIf(PeerCall::hasEnded);
    }

    /** Notes that the client is done with a call, and has room for another. */
    public void done(PeerCall call) {
        forget(call);
        underWay.decrementAndGet();
        pump();
    }

    /**
     * Does the same as {@link #done}, for a client that takes the next call itself.
     *
     * @return a call that is marked as sent, or null if none waits
     */
    @Nullable
    public PeerCall doneForAnother(PeerCall call) {
        PeerCall another = null;
        try {
            another = closed == null ? next() : null;
        } finally {
            if (another == null) {
                done(call);
            } else {
                forget(call);
            }
        }
        return another;
    }

    /** A call that the client could not end, for lack of memory, is ended by its deadline. */
    private void forget(PeerCall call) {
        if (call.hasEnded()) {
            calls.remove(call);
        }
    }

    /** Passes on calls while there are both calls and room; one thread at a time does it for all. */
    private void pump() {
        if (pumps.getAndIncrement() != 0) {
            return;
        }
        int seen = 1;
        try {
            do {
                pumpOnce();
                seen = pumps.addAndGet(-seen);
            } while (seen != 0);
        } catch (RuntimeException | Error e) {
            // The next call, or the end of one, pumps again.
            pumps.set(0);
            throw e;
        }
    }

    private void pumpOnce() {
        while (closed == null && underWay.get() < maxUnderWay) {
            PeerCall call = next();
            if (call == null) {
                return;
            }
            underWay.incrementAndGet();
            hand(call);
        }
    }

    /** Passes on a call. A client that throws, against its contract, must not block the calls behind this one. */
    private void hand(PeerCall call) {
        boolean isTaken = false;
        try {
            client.begin(call);
            isTaken = true;
        } catch (RuntimeException | Error e) {
            LOG.error("the HTTP client threw an unexpected exception", e);
            call.abandon("the HTTP client threw " + e);
        } finally {
            if (!isTaken) {
                underWay.decrementAndGet();
            }
        }
    }

    /** Returns the next call to send, marked as sent, or null if none waits. */
    private @Nullable PeerCall next() {
        while (true) {
            PeerCall call = queue.poll();
            if (call == null) {
                return null;
            }
            if (timer.at(call.deadline()) <= timer.now()) {
                call.expire();
            } else if (call.send()) {
                return call;
            }
            calls.remove(call);
        }
    }

    private void setTimerBy(long due) {
        if (timer.isLaterThan(due)) {
            onTimers(() -> setTimer(due));
        }
    }

    private void setTimer(long due) {
        if (closed == null) {
            timer.setBy(due);
        }
    }

    private void sweep() {
        assert timers.isCurrent();
        long next = timer.now();
        try {
            next = endDue(next);
        } finally {
            // Also after an out-of-memory error: the remaining calls have deadlines too.
            setTimer(next);
        }
    }

    /** Ends the due calls and removes the ended ones. Returns the earliest deadline of the others. */
    private long endDue(long now) {
        long next = LoopTimer.NEVER;
        for (PeerCall call : calls) {
            long due = timer.at(call.deadline());
            if (due <= now && call.expire()) {
                call.drop();
            }
            if (!call.hasEnded()) {
                next = Math.min(next, due);
            }
        }
        removeEnded();
        return next;
    }

    private void onTimers(Runnable task) {
        if (timers.isCurrent()) {
            task.run();
            return;
        }
        try {
            timers.context().runOnContext(now -> task.run());
        } catch (RejectedExecutionException e) {
            // Closing ends the calls.
            LOG.debug("a deadline came after the transport was closed");
        }
    }

    @Override
    public void close(String why) {
        boolean isFirst;
        synchronized (this) {
            isFirst = closed == null;
            closed = why;
        }
        for (PeerCall call = queue.poll(); call != null; call = queue.poll()) {
            call.abandon(why);
        }
        for (PeerCall call : calls) {
            if (call.abandon(why)) {
                call.drop();
            }
        }
        if (isFirst) {
            client.close();
        }
    }
}
