package io.dht4j.core.internal.observation;

import io.dht4j.NodeId;
import io.dht4j.spi.Environment;
import io.dht4j.spi.Observer;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Begins the observations of calls and requests. Without an observer it begins none, reads no clock and creates no
 * object. Does not block; safe for use by any number of threads.
 */
public final class Observations {

    private final @Nullable Observer observer;
    private final LongSupplier nanoTime;

    /**
     * Creates the observations of a node or of a remote cluster.
     *
     * @param observer the observer, which may throw; empty if there is none
     * @param environment the clock
     */
    public Observations(Optional<Observer> observer, Environment environment) {
        this.observer = observer.isEmpty() ? null : new GuardedObserver(observer.get(), environment);
        this.nanoTime = environment::nanoTime;
    }

    /**
     * Begins the observation of a call.
     *
     * @param call the kind of call
     * @return the observation, to be ended once; null if nobody observes
     */
    public @Nullable ObservedCall begin(Observer.Call call) {
        return observer == null ? null : new ObservedCall(observer, nanoTime, call);
    }

    /**
     * Begins the observation of a request.
     *
     * @param node the recipient
     * @param request the kind of request
     * @return the observation, to be ended once; null if nobody observes
     */
    public @Nullable ObservedRequest begin(NodeId node, Observer.Request request) {
        return observer == null ? null : new ObservedRequest(observer, nanoTime, node, request);
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
