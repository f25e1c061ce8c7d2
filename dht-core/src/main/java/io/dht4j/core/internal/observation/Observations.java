package io.dht4j.core.internal.observation;

import io.dht4j.CallOptions;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.SlowCall;
import io.dht4j.spi.Environment;
import io.dht4j.spi.Observer;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Begins the observations of calls and requests, for an observer, a tracer and the log of slow calls. Without these it
 * begins none, reads no clock and creates no object. Does not block; safe for use by any number of threads.
 */
public final class Observations {

    private final @Nullable Observer observer;
    private final @Nullable SlowCallLog slowCalls;
    private final @Nullable Tracing tracing;
    private final LongSupplier nanoTime;
    private final boolean isOff;

    /**
     * Creates the observations of a node or of a remote cluster.
     *
     * @param observer the observer, which may throw; empty if there is none
     * @param slowCalls the log of slow calls; empty if there is none
     * @param tracing records spans; empty without a tracer
     * @param environment the clock
     */
    public Observations(
            Optional<Observer> observer,
            Optional<SlowCallLog> slowCalls,
            Optional<Tracing> tracing,
            Environment environment) {
        this.observer = observer.isEmpty() ? null : new GuardedObserver(observer.get(), environment);
        this.slowCalls = slowCalls.orElse(null);
        this.tracing = tracing.orElse(null);
        this.nanoTime = environment::nanoTime;
        this.isOff = observer.isEmpty() && slowCalls.isEmpty() && tracing.isEmpty();
    }

    /**
     * Begins the observation of a call of one key.
     *
     * @param call the kind of call
     * @param key its key
     * @param options name the span that it belongs to
     * @return the observation, to be ended once; null without an observer
     */
    public @Nullable ObservedCall begin(Observer.Call call, Key key, CallOptions options) {
        return isOff ? null : begin(call, key, 1, options);
    }

    /**
     * Begins the observation of a call of several keys or none.
     *
     * @param call the kind of call
     * @param keys how many keys it has
     * @param options name the span that it belongs to
     * @return the observation, to be ended once; null without an observer
     */
    public @Nullable ObservedCall begin(Observer.Call call, int keys, CallOptions options) {
        return isOff ? null : begin(call, null, keys, options);
    }

    private ObservedCall begin(Observer.Call call, @Nullable Key key, int keys, CallOptions options) {
        TracedSpan span = tracing == null ? null : tracing.startCall(call, key, keys, options.traceContext());
        return new ObservedCall(observer, slowCalls, span, nanoTime, call, key, keys);
    }

    /**
     * Begins the observation of a request.
     *
     * @param node the recipient
     * @param isLocal whether that is this node, whose requests are not reported to observer and tracer
     * @param request the kind of request
     * @param call the call that it belongs to; null if it belongs to none, or there is no observer
     * @return the observation, to be ended once; null without an observer
     */
    public @Nullable ObservedRequest begin(
            Node node, boolean isLocal, Observer.Request request, @Nullable ObservedCall call) {
        Observer told = isLocal ? null : observer;
        boolean isKept = call != null && call.keepsRequests();
        TracedSpan parent = call == null || isLocal ? null : call.span();
        TracedSpan span = parent == null ? null : parent.startRequest(node, request);
        if (told == null && !isKept && span == null) {
            return null;
        }
        ObservedRequest begun = new ObservedRequest(told, span, nanoTime, node.id(), request);
        if (call != null && isKept) {
            call.begun(begun);
        }
        return begun;
    }

    /**
     * Returns the tracing of requests that this node serves.
     *
     * @return null without a tracer
     */
    public @Nullable Tracing tracing() {
        return tracing;
    }

    /**
     * Returns the last slow calls.
     *
     * @return the last one first; empty without a log
     */
    public List<SlowCall> slowCalls() {
        return slowCalls == null ? List.of() : slowCalls.last();
    }

    /**
     * Reports that the nodes have changed.
     *
     * @param nodes all nodes but this one
     */
    public void retain(Set<NodeId> nodes) {
        if (observer != null) {
            observer.retain(nodes);
        }
    }
}
