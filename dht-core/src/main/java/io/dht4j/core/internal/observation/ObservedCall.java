package io.dht4j.core.internal.observation;

import io.dht4j.Key;
import io.dht4j.SlowCall;
import io.dht4j.spi.Observer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Observes a call in flight, from its creation to its end. Safe for use by any number of threads. */
public final class ObservedCall {

    private static final AtomicReferenceFieldUpdater<ObservedCall, @Nullable ObservedRequest> NEWEST =
            AtomicReferenceFieldUpdater.newUpdater(ObservedCall.class, ObservedRequest.class, "newest");

    private final @Nullable Observer observer;
    private final @Nullable SlowCallLog log;
    private final @Nullable TracedSpan span;
    private final LongSupplier nanoTime;
    final Observer.Call call;
    /** Null for calls of several keys or none. */
    final @Nullable Key key;

    final int keys;
    final long begunNanos;
    /** The request that began last. */
    private volatile @Nullable ObservedRequest newest;

    ObservedCall(
            @Nullable Observer observer,
            @Nullable SlowCallLog log,
            @Nullable TracedSpan span,
            LongSupplier nanoTime,
            Observer.Call call,
            @Nullable Key key,
            int keys) {
        this.observer = observer;
        this.log = log;
        this.span = span;
        this.nanoTime = nanoTime;
        this.call = call;
        this.key = key;
        this.keys = keys;
        this.begunNanos = nanoTime.getAsLong();
    }

    /**
     * Returns the span of the call.
     *
     * @return null if there is none
     */
    public @Nullable TracedSpan span() {
        return span;
    }

    /** Returns whether the call records its requests. */
    boolean keepsRequests() {
        return log != null;
    }

    /** Adds a request that has just begun, unless the maximum number is reached. */
    void begun(ObservedRequest request) {
        ObservedRequest before;
        do {
            before = newest;
            request.before = before;
            request.number = before == null ? 0 : before.number + 1;
            if (request.number == SlowCall.MOST_REQUESTS) {
                return;
            }
        } while (!NEWEST.compareAndSet(this, before, request));
    }

    /** Returns its first requests until now, the first one first. */
    Deque<ObservedRequest> requests() {
        Deque<ObservedRequest> all = new ArrayDeque<>();
        for (ObservedRequest each = newest; each != null; each = each.before) {
            all.addFirst(each);
        }
        return all;
    }

    /**
     * Reports the end of the call, before its caller gets the outcome.
     *
     * @param error the failure, perhaps wrapped; null if the call has succeeded
     */
    public void ended(@Nullable Throwable error) {
        long now = nanoTime.getAsLong();
        long nanos = Math.max(0, now - begunNanos);
        Observer.Outcome outcome = Observer.Outcome.of(error);
        if (observer != null) {
            observer.callEnded(call, outcome, nanos);
        }
        if (log != null) {
            log.ended(this, outcome, now, nanos);
        }
        if (span != null) {
            span.end(outcome);
        }
    }
}
