package io.dht4j.core.internal.coordinator.peer;

import io.dht4j.ErrorCode;
import io.dht4j.core.options.Batching;
import io.dht4j.spi.Environment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Batches the requests of one kind to one node. While fewer frames than the window are in flight, a request is sent at
 * once, alone. Otherwise it waits for the replies of a frame, and is sent with all requests that have arrived until
 * then. So an idle node adds no delay, and the frames of a busy one grow with its load.
 *
 * <p>A frame that has been in flight for long no longer counts, so that it does not delay the rest. Requests that are
 * past their deadlines or no longer wanted are left out. The waiting requests are bounded in number and in bytes. One
 * timer serves all of them, and runs only while some wait. Safe for use by any number of threads; the lock is held for
 * some steps of bookkeeping only.
 */
final class Batcher {

    /** How long a frame counts, and roughly the longest time that requests wait for one. */
    static final long STALL_NANOS = 20_000_000;

    private final Environment environment;
    private final RequestCoalescer coalescer;
    private final Batching options;
    private final int maxBytes;
    private final int maxWaiting;
    private final long maxWaitingBytes;
    private final Consumer<Batch> sender;

    private final Object lock = new Object();
    /** Guarded by the lock, as the following fields. */
    private final ArrayDeque<PendingRequest> waiting = new ArrayDeque<>();

    private long waitingBytes;
    /** Requests that were left out of a batch; they fail once the lock is free. */
    private List<PendingRequest> unwanted = List.of();

    private final ArrayDeque<Batch> inFlight = new ArrayDeque<>();
    /** Written under the lock. */
    private volatile boolean timerSet;

    /** The requests of one frame. */
    final class Batch {

        final List<PendingRequest> requests;
        private final long since;

        private Batch(List<PendingRequest> requests, long since) {
            this.requests = requests;
            this.since = since;
        }

        /** Ends it, once its replies have been delivered or it has failed. */
        void ended() {
            synchronized (lock) {
                inFlight.remove(this);
            }
            if (!coalescer.holds(Batcher.this)) {
                drain();
            }
        }
    }

    /**
     * Creates a batcher without requests.
     *
     * @param environment time and timers
     * @param coalescer holds requests back while replies are delivered
     * @param options the bounds of a frame, and the window
     * @param maxBytes the maximum number of bytes in a frame
     * @param maxWaiting the maximum number of waiting requests
     * @param maxWaitingBytes the maximum number of their bytes
     * @param sender sends a batch, and calls {@link Batch#ended} when it has ended
     */
    Batcher(
            Environment environment,
            RequestCoalescer coalescer,
            Batching options,
            int maxBytes,
            int maxWaiting,
            long maxWaitingBytes,
            Consumer<Batch> sender) {
        this.environment = environment;
        this.coalescer = coalescer;
        this.options = options;
        this.maxBytes = maxBytes;
        this.maxWaiting = maxWaiting;
        this.maxWaitingBytes = maxWaitingBytes;
        this.sender = sender;
    }

    /** Returns whether a request is so large that it is sent alone, so that small ones do not wait for it. */
    boolean isLarge(OutboundRequest outbound) {
        return outbound.bytes > maxBytes / 4 || outbound.items > options.maxEntries();
    }

    /** Sends a request now or in a later batch; fails it as overloaded if too many wait. */
    void submit(PendingRequest request) {
        boolean full;
        synchronized (lock) {
            full = !waiting.isEmpty()
                    && (waiting.size() >= maxWaiting || waitingBytes + request.bytes() > maxWaitingBytes);
            if (!full) {
                waiting.add(request);
                waitingBytes += request.bytes();
            }
        }
        if (full) {
            request.fail(true, ErrorCode.OVERLOADED, "overloaded: too many requests wait to be sent");
        } else if (coalescer.holds(this)) {
            // The work of this thread may take long.
            setTimer();
        } else {
            drain();
        }
    }

    /** Sends as many batches as the window allows. */
    void drain() {
        while (true) {
            Batch batch;
            List<PendingRequest> dropped;
            boolean left;
            synchronized (lock) {
                batch = next();
                dropped = unwanted;
                unwanted = List.of();
                left = !waiting.isEmpty();
            }
            dropped.forEach(Batcher::failUnsent);
            if (batch != null) {
                sender.accept(batch);
            } else if (!left) {
                return;
            } else if (dropped.isEmpty()) {
                setTimer();
                return;
            }
        }
    }

    private void drop(PendingRequest request) {
        if (unwanted.isEmpty()) {
            unwanted = new ArrayList<>();
        }
        unwanted.add(request);
    }

    private static void failUnsent(PendingRequest request) {
        request.fail(
                true, ErrorCode.DEADLINE_PASSED, "not sent: the deadline passed or the answer is no longer wanted");
    }

    /** Returns the next batch, or null if the window is full or nothing waits. Called with the lock held. */
    private @Nullable Batch next() {
        if (waiting.isEmpty()) {
            return null;
        }
        long now = environment.nanoTime();
        while (!inFlight.isEmpty() && now - inFlight.getFirst().since >= STALL_NANOS) {
            inFlight.removeFirst();
        }
        if (inFlight.size() >= options.maxFrames()) {
            return null;
        }
        List<PendingRequest> requests = new ArrayList<>(Math.min(waiting.size(), options.maxEntries()));
        int items = 0;
        int bytes = 0;
        for (PendingRequest request = waiting.peek(); request != null; request = waiting.peek()) {
            OutboundRequest outbound = request.outbound();
            boolean wanted = request.isWanted() && !request.context().isExpired();
            if (wanted
                    && !requests.isEmpty()
                    && (items + outbound.items > options.maxEntries() || bytes + request.bytes() > maxBytes)) {
                break;
            }
            waiting.remove();
            waitingBytes -= request.bytes();
            if (wanted) {
                requests.add(request);
                items += outbound.items;
                bytes += request.bytes();
            } else {
                drop(request);
            }
        }
        if (requests.isEmpty()) {
            return null;
        }
        Batch batch = new Batch(requests, now);
        inFlight.add(batch);
        return batch;
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

    /** Fails the waiting requests: the timers have ended, and so has the node. */
    private void endWaiting() {
        List<PendingRequest> left;
        synchronized (lock) {
            left = List.copyOf(waiting);
            waiting.clear();
            waitingBytes = 0;
        }
        left.forEach(request -> request.fail(true, ErrorCode.NOT_SERVING, "this node is closed"));
    }
}
