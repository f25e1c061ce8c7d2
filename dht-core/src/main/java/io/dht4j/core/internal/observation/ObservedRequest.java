package io.dht4j.core.internal.observation;

import io.dht4j.NodeId;
import io.dht4j.spi.Observer;
import java.util.function.LongSupplier;

/** The observation of a request to another node, which has begun when this was created. Immutable. */
public final class ObservedRequest {

    private final Observer observer;
    private final LongSupplier nanoTime;
    private final NodeId node;
    private final Observer.Request request;
    private final long begunNanos;

    ObservedRequest(Observer observer, LongSupplier nanoTime, NodeId node, Observer.Request request) {
        this.observer = observer;
        this.nanoTime = nanoTime;
        this.node = node;
        this.request = request;
        this.begunNanos = nanoTime.getAsLong();
    }

    /**
     * Reports the end of the request.
     *
     * @param outcome what it has come to
     */
    public void ended(Observer.Outcome outcome) {
        observer.requestEnded(node, request, outcome, Math.max(0, nanoTime.getAsLong() - begunNanos));
    }
}
