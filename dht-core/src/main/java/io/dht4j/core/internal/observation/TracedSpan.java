package io.dht4j.core.internal.observation;

import io.dht4j.Node;
import io.dht4j.TraceContext;
import io.dht4j.spi.Observer;
import io.dht4j.spi.Tracer;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/** A span that has begun and ends once. Throws no exception of the tracer. Safe for use by any number of threads. */
public final class TracedSpan {

    private static final AtomicIntegerFieldUpdater<TracedSpan> ENDED =
            AtomicIntegerFieldUpdater.newUpdater(TracedSpan.class, "ended");

    private final Tracing tracing;
    private final Tracer.Span span;
    private final @Nullable TraceContext context;
    /** 1 once the span has ended; read by the updater alone. */
    @SuppressWarnings("UnusedVariable")
    private volatile int ended;

    TracedSpan(Tracing tracing, Tracer.Span span, @Nullable TraceContext context) {
        this.tracing = tracing;
        this.span = span;
        this.context = context;
    }

    /**
     * Returns the context of the span for other processes.
     *
     * @return null if the span belongs to no trace
     */
    public @Nullable TraceContext context() {
        return context;
    }

    /** Returns whether the span is recorded, so that children are worth beginning. */
    boolean isSampled() {
        return context != null && context.isSampled();
    }

    void keyHash(long hash) {
        tracing.guarded(() -> span.keyHash(hash));
    }

    /**
     * Sets the address of the node that a remote cluster calls.
     *
     * @param address host and port
     */
    public void serverAddress(String address) {
        tracing.guarded(() -> span.serverAddress(address));
    }

    /** Begins the span of a request; null if this span is not sampled, or the tracer throws. */
    @Nullable
    TracedSpan startRequest(Node node, Observer.Request request) {
        return isSampled() ? tracing.begin(() -> span.startRequest(node, request)) : null;
    }

    /**
     * Begins the span of an operation of the store.
     *
     * @param request the kind of request that it is a part of
     * @param items the keys or entries that the store reads or merges at once; 0 if that is unknown
     * @return the span, to be ended; null if this span is not sampled, or the tracer throws
     */
    public @Nullable TracedSpan startStore(Observer.Request request, int items) {
        return isSampled() ? tracing.begin(() -> span.startStore(request, items)) : null;
    }

    /**
     * Ends the span, unless it has ended.
     *
     * @param outcome the outcome of the call, the request or the operation
     */
    public void end(Observer.Outcome outcome) {
        if (ENDED.compareAndSet(this, 0, 1)) {
            tracing.guarded(() -> span.end(outcome));
        }
    }
}
