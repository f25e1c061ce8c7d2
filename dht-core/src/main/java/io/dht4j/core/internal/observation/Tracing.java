package io.dht4j.core.internal.observation;

import io.dht4j.Key;
import io.dht4j.NodeId;
import io.dht4j.TraceContext;
import io.dht4j.spi.Environment;
import io.dht4j.spi.HashFunction;
import io.dht4j.spi.Observer;
import io.dht4j.spi.Tracer;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Begins spans with a tracer, and catches exceptions that it throws against its contract. Does not block; safe for use
 * by any number of threads.
 */
public final class Tracing {

    private final Tracer tracer;
    private final @Nullable HashFunction hash;
    private final LimitedWarning warning;

    /**
     * Creates the tracing of a node or of a remote cluster.
     *
     * @param tracer the tracer, which may throw
     * @param hash the hash function of keys; null if it is unknown
     * @param environment the clock
     */
    public Tracing(Tracer tracer, @Nullable HashFunction hash, Environment environment) {
        this.tracer = tracer;
        this.hash = hash;
        this.warning = new LimitedWarning(environment, "tracer", "what it shows is incomplete");
    }

    /** Begins the span of a call; null if the tracer throws. */
    @Nullable
    TracedSpan startCall(Observer.Call call, @Nullable Key key, int keys, Optional<TraceContext> parent) {
        TracedSpan span = begin(() -> tracer.startCall(call, keys, parent));
        if (span != null && span.isSampled() && key != null && hash != null) {
            span.keyHash(hash.hash(key.unsafeBytes()));
        }
        return span;
    }

    /**
     * Begins the span of a request that this node serves for another one.
     *
     * @param request the kind of request
     * @param sender the node that has sent it
     * @param parent the sender's span
     * @return the span, to be ended; null if the tracer throws
     */
    public @Nullable TracedSpan startServed(Observer.Request request, NodeId sender, TraceContext parent) {
        return begin(() -> tracer.startServed(request, sender, parent));
    }

    /** Begins a span; null if the tracer throws. */
    @Nullable
    TracedSpan begin(Supplier<Tracer.Span> start) {
        try {
            Tracer.Span span = start.get();
            return new TracedSpan(this, span, span.context().orElse(null));
        } catch (Throwable e) {
            warning.log(e);
            return null;
        }
    }

    /** Runs an action on a span. */
    void guarded(Runnable action) {
        try {
            action.run();
        } catch (Throwable e) {
            warning.log(e);
        }
    }
}
