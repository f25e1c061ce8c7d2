package io.dht4j.core.internal.observation;

import io.dht4j.NodeId;
import io.dht4j.TraceContext;
import io.dht4j.spi.Observer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Observes a request, from its creation to its end. Safe for use by any number of threads. */
public final class ObservedRequest {

    /** Null for a request to the node itself, which is a part of its call only. */
    private final @Nullable Observer observer;

    private final @Nullable TracedSpan span;
    private final LongSupplier nanoTime;
    final NodeId node;
    final Observer.Request request;
    final long begunNanos;
    // Written before others see this.
    /** The request of the same call that began before. */
    @Nullable
    ObservedRequest before;
    /** How many requests of the same call began before. */
    int number;

    private long endedNanos;
    /** Null while it has not ended; written after the time. */
    private volatile Observer.@Nullable Outcome outcome;

    ObservedRequest(
            @Nullable Observer observer,
            @Nullable TracedSpan span,
            LongSupplier nanoTime,
            NodeId node,
            Observer.Request request) {
        this.observer = observer;
        this.span = span;
        this.nanoTime = nanoTime;
        this.node = node;
        this.request = request;
        this.begunNanos = nanoTime.getAsLong();
    }

    /**
     * Returns the trace context of the request for its recipient.
     *
     * @return null if it has none
     */
    public @Nullable TraceContext traceContext() {
        return span == null ? null : span.context();
    }

    /**
     * Reports the end of the request.
     *
     * @param result the outcome
     */
    public void ended(Observer.Outcome result) {
        long now = nanoTime.getAsLong();
        endedNanos = now;
        outcome = result;
        if (observer != null) {
            observer.requestEnded(node, request, result, Math.max(0, now - begunNanos));
        }
        if (span != null) {
            span.end(result);
        }
    }

    /** Returns the outcome; null while it has not ended. */
    Observer.@Nullable Outcome outcome() {
        return outcome;
    }

    /** Returns when it ended. Valid only after {@link #outcome} has returned an outcome. */
    long endedNanos() {
        return endedNanos;
    }
}
