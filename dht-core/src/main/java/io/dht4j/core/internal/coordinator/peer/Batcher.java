package io.dht4j.core.internal.coordinator.peer;

import io.dht4j.ErrorCode;
import io.dht4j.core.internal.coordinator.config.BatchLimits;
import io.dht4j.spi.Environment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Puts together the requests of one kind to one node. While fewer frames than the window are under way, a request goes
 * at once, by itself; otherwise it waits, and goes with all that have come meanwhile when a frame's replies have been
 * handed out. So an idle node adds no delay, and a busy one makes frames as large as its load asks for.
 *
 * <p>A frame that has been under way for long no longer counts: whatever holds it up must not hold up the rest.
 * Requests that are past their deadlines or no longer wanted are left out of the frame. What waits is bounded. No timer
 * per request: one for all that wait, and only while some do. Safe for use by any number of threads; the lock is held
 * for some steps of bookkeeping only.
 */
final class Batcher {

    /** How long a frame counts, and about how long requests wait for one at most. */
    static final long STALL_NANOS = 20_000_000;

    private final Environment environment;
    private final Cork cork;
    private final BatchLimits limits;
    private final int maxBytes;
    private final int maxWaiting;
    private final long maxWaitingBytes;
    private final Consumer<Frame> sender;

    private final Object lock = new Object();
    /** Guarded by the lock, as what follows. */
    private final ArrayDeque<PendingRequest> waiting = new ArrayDeque<>();

    private long waitingBytes;
    /** What was taken out and not put into a frame, until the lock is free. */
    private List<PendingRequest> unwanted = List.of();

    private final ArrayDeque<Frame> underWay = new ArrayDeque<>();
    /** Written under the lock. */
    private volatile boolean timerSet;

    /** Requests that travel together. */
    final class Frame {

        final List<PendingRequest> asks;
        private final long since;

        private Frame(List<PendingRequest> asks, long since) {
            this.asks = asks;
            this.since = since;
        }

        /** To be called when its replies have been handed out, or it has failed. */
        void ended() {
            synchronized (lock) {
                underWay.remove(this);
            }
            if (!cork.holds(Batcher.this)) {
                drain();
            }
        }
    }

    /**
     * A batcher.
     *
     * @param maxBytes the most bytes in a frame
     * @param maxWaiting how many requests may wait
     * @param maxWaitingBytes how many bytes they may have
     * @param sender sends a frame, and calls {@link Frame#ended} when it has ended
     */
    Batcher(
            Environment environment,
            Cork cork,
            BatchLimits limits,
            int maxBytes,
            int maxWaiting,
            long maxWaitingBytes,
            Consumer<Frame> sender) {
        this.environment = environment;
        this.cork = cork;
        this.limits = limits;
        this.maxBytes = maxBytes;
        this.maxWaiting = maxWaiting;
        this.maxWaitingBytes = maxWaitingBytes;
        this.sender = sender;
    }

    /** Whether a request is so large that it goes by itself, so that small ones do not wait for it. */
    boolean isLarge(Outgoing outgoing) {
        return outgoing.bytes > maxBytes / 4 || outgoing.items > limits.maxEntries();
    }

    void submit(PendingRequest ask) {
        boolean full;
        synchronized (lock) {
            full = !waiting.isEmpty()
                    && (waiting.size() >= maxWaiting || waitingBytes + ask.outgoing().bytes > maxWaitingBytes);
            if (!full) {
                waiting.add(ask);
                waitingBytes += ask.outgoing().bytes;
            }
        }
        if (full) {
            ask.fail(true, ErrorCode.OVERLOADED, "overloaded: too many requests wait to be sent");
        } else if (cork.holds(this)) {
            // In case that what this thread is about takes long.
            setTimer();
        } else {
            drain();
        }
    }

    /** Sends what the window has room for. */
    void drain() {
        while (true) {
            Frame frame;
            List<PendingRequest> dropped;
            boolean left;
            synchronized (lock) {
                frame = next();
                dropped = unwanted;
                unwanted = List.of();
                left = !waiting.isEmpty();
            }
            dropped.forEach(Batcher::failUnsent);
            if (frame != null) {
                sender.accept(frame);
            } else if (!left) {
                return;
            } else if (dropped.isEmpty()) {
                setTimer();
                return;
            }
        }
    }

    private void drop(PendingRequest ask) {
        if (unwanted.isEmpty()) {
            unwanted = new ArrayList<>();
        }
        unwanted.add(ask);
    }

    private static void failUnsent(PendingRequest ask) {
        ask.fail(true, ErrorCode.DEADLINE_PASSED, "not sent: the deadline passed or the answer is no longer wanted");
    }

    /** The next frame, or null if the window is full or nothing waits. Under the lock. */
    private @Nullable Frame next() {
        if (waiting.isEmpty()) {
            return null;
        }
        long now = environment.nanoTime();
        while (!underWay.isEmpty() && now - underWay.getFirst().since >= STALL_NANOS) {
            underWay.removeFirst();
        }
        if (underWay.size() >= limits.maxFrames()) {
            return null;
        }
        List<PendingRequest> asks = new ArrayList<>();
        int items = 0;
        int bytes = 0;
        for (PendingRequest ask = waiting.peek(); ask != null; ask = waiting.peek()) {
            Outgoing outgoing = ask.outgoing();
            boolean wanted = ask.isWanted() && !ask.context().isExpired();
            if (wanted
                    && !asks.isEmpty()
                    && (items + outgoing.items > limits.maxEntries() || bytes + outgoing.bytes > maxBytes)) {
                break;
            }
            waiting.remove();
            waitingBytes -= outgoing.bytes;
            if (wanted) {
                asks.add(ask);
                items += outgoing.items;
                bytes += outgoing.bytes;
            } else {
                drop(ask);
            }
        }
        if (asks.isEmpty()) {
            return null;
        }
        Frame frame = new Frame(asks, now);
        underWay.add(frame);
        return frame;
    }

    private void setTimer() {
        if (timerSet) {
            return;
        }
        synchronized (lock) {
            if (timerSet || waiting.isEmpty()) {
                return;
            }
            timerSet = true;
        }
        try {
            environment.schedule(this::timeOut, STALL_NANOS);
        } catch (RejectedExecutionException e) {
            endWaiting();
        }
    }

    private void timeOut() {
        synchronized (lock) {
            timerSet = false;
        }
        drain();
    }

    /** The timers have ended, and so has the node. */
    private void endWaiting() {
        List<PendingRequest> left;
        synchronized (lock) {
            left = List.copyOf(waiting);
            waiting.clear();
            waitingBytes = 0;
        }
        left.forEach(ask -> ask.fail(true, ErrorCode.NOT_SERVING, "this node is closed"));
    }
}
