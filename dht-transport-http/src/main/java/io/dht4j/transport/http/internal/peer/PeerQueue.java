package io.dht4j.transport.http.internal.peer;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The calls to one peer over a client that has connections of its own. A bounded number is passed to it at a time; the
 * others wait here until their deadlines at most. For clients that would queue without a bound themselves, or could not
 * report whether a call was written. Safe for use by any number of threads.
 *
 * <p>As in a lane of Vert.x, one timer at the earliest deadline serves all calls.
 */
public final class PeerQueue {

    private static final Logger LOG = LoggerFactory.getLogger(PeerQueue.class);

    private final PeerLoop timers;
    private final int maxUnderWay;
    private final CallBounds bounds;
    private final Consumer<PeerCall> client;
    private final LoopTimer timer;
    private final Queue<PeerCall> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger underWay = new AtomicInteger();
    private final AtomicInteger pumps = new AtomicInteger();
    private final Set<PeerCall> sent = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /**
     * Creates a queue.
     *
     * @param timers the loop of the deadlines' timer
     * @param maxUnderWay how many calls the client has at a time
     * @param client takes a call that is marked as sent; reports {@link #done} for each, once; does not block
     */
    public PeerQueue(PeerLoop timers, int maxUnderWay, PeerOptions options, Consumer<PeerCall> client) {
        this.timers = timers;
        this.maxUnderWay = maxUnderWay;
        this.bounds = new CallBounds(
                options.limits().maxQueuedPerPeer(), options.limits().maxQueuedBytesPerPeer());
        this.timer = new LoopTimer(timers, this::sweep);
        this.client = client;
    }

    /** Takes a call. It always ends: with a reply, by its deadline, or when the queue is closed. */
    public void offer(PeerCall call) {
        if (!bounds.admit(call)) {
            return;
        }
        queue.add(call);
        // Closing sets its mark first and then empties the queue. This method adds first and then checks the mark.
        if (closed) {
            call.abandon("the transport is closed");
            return;
        }
        setTimerBy(timer.at(call.deadline()));
        pump();
    }

    /** Notes that the client is done with a call, and has room for another. */
    public void done(PeerCall call) {
        sent.remove(call);
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
        PeerCall another = closed ? null : next();
        if (another == null) {
            done(call);
            return null;
        }
        sent.remove(call);
        sent.add(another);
        if (closed) {
            another.abandon("the transport is closed");
        }
        return another;
    }

    /** Passes on calls while there are both calls and room; one thread at a time does it for all. */
    private void pump() {
        if (pumps.getAndIncrement() != 0) {
            return;
        }
        int seen = 1;
        do {
            while (underWay.get() < maxUnderWay) {
                PeerCall call = next();
                if (call == null) {
                    break;
                }
                underWay.incrementAndGet();
                sent.add(call);
                if (closed) {
                    call.abandon("the transport is closed");
                    sent.remove(call);
                    underWay.decrementAndGet();
                } else {
                    hand(call);
                }
            }
            seen = pumps.addAndGet(-seen);
        } while (seen != 0);
    }

    /** Passes on a call. A client that throws, against its contract, must not block the calls behind this one. */
    private void hand(PeerCall call) {
        try {
            client.accept(call);
        } catch (RuntimeException | Error e) {
            LOG.error("the HTTP client threw what it may not throw", e);
            call.abandon("the HTTP client threw " + e);
            sent.remove(call);
            underWay.decrementAndGet();
        }
    }

    /** Returns the next call to send, marked as sent, or null if none waits. */
    private @Nullable PeerCall next() {
        while (true) {
            PeerCall call = queue.poll();
            if (call == null) {
                return null;
            }
            bounds.waitsNoMore();
            if (call.context().isExpired()) {
                call.expire();
            } else if (call.send()) {
                return call;
            }
        }
    }

    private void setTimerBy(long due) {
        if (timer.isLaterThan(due)) {
            onTimers(() -> setTimer(due));
        }
    }

    private void setTimer(long due) {
        if (!closed) {
            timer.setBy(due);
        }
    }

    private void sweep() {
        assert timers.isCurrent();
        long next = LoopTimer.NEVER;
        long now = timer.now();
        List<PeerCall> ended = new ArrayList<>();
        for (PeerCall call : queue) {
            if (timer.at(call.deadline()) <= now) {
                call.expire();
            }
            if (call.hasEnded()) {
                ended.add(call);
            } else {
                next = Math.min(next, timer.at(call.deadline()));
            }
        }
        for (PeerCall call : ended) {
            if (queue.remove(call)) {
                bounds.waitsNoMore();
            }
        }
        for (PeerCall call : sent) {
            if (timer.at(call.deadline()) <= now && call.expire()) {
                call.drop();
            }
            if (!call.hasEnded()) {
                next = Math.min(next, timer.at(call.deadline()));
            }
        }
        setTimer(next);
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

    /** Ends all calls. */
    public void close() {
        closed = true;
        for (PeerCall call = queue.poll(); call != null; call = queue.poll()) {
            bounds.waitsNoMore();
            call.abandon("the transport is closed");
        }
        for (PeerCall call : sent) {
            if (call.abandon("the transport is closed")) {
                call.drop();
            }
        }
    }
}
