package io.dht4j.core.internal.coordinator;

import io.dht4j.ErrorCode;
import io.dht4j.OverloadedException;
import io.dht4j.UnavailableException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Bounds the calls and bytes that are in flight at this coordinator. Past a limit a call fails at once: nothing queues.
 * Without locks; safe for use by any number of threads.
 */
final class Admission {

    private final int maxCalls;
    private final long maxBytes;
    private final AtomicInteger calls = new AtomicInteger();
    private final AtomicLong bytes = new AtomicLong();
    private final CompletableFuture<Void> drained = new CompletableFuture<>();
    private volatile boolean closed;

    Admission(int maxCalls, long maxBytes) {
        this.maxCalls = maxCalls;
        this.maxBytes = maxBytes;
    }

    /**
     * Lets a call in, which must {@link #leave} exactly once.
     *
     * @throws OverloadedException past a limit
     * @throws UnavailableException after {@link #close}
     */
    void enter(long callBytes) {
        int nowCalls = calls.incrementAndGet();
        if (closed) {
            leave(0);
            throw new UnavailableException(ErrorCode.NOT_SERVING, "this node is closed");
        }
        if (nowCalls > maxCalls) {
            leave(0);
            throw new OverloadedException("overloaded: " + maxCalls + " calls are in flight already");
        }
        // A single call larger than the limit still passes when nothing else is in flight.
        long before = bytes.getAndAdd(callBytes);
        if (before > 0 && before + callBytes > maxBytes) {
            leave(callBytes);
            throw new OverloadedException(
                    "overloaded: " + before + " bytes are in flight already, the limit is " + maxBytes);
        }
    }

    void leave(long callBytes) {
        bytes.addAndGet(-callBytes);
        if (calls.decrementAndGet() == 0 && closed) {
            drained.complete(null);
        }
    }

    /** Lets no more calls in; the future completes when the last one has left. */
    CompletableFuture<Void> close() {
        closed = true;
        if (calls.get() == 0) {
            drained.complete(null);
        }
        return drained;
    }

    int calls() {
        return calls.get();
    }
}
