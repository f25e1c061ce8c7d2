package io.dht4j.core.internal.observation;

import io.dht4j.NodeId;
import io.dht4j.spi.Environment;
import io.dht4j.spi.Observer;
import java.util.Set;

/**
 * Catches and logs exceptions that another observer throws against its contract. Does not block; safe for use by any
 * number of threads.
 */
final class GuardedObserver implements Observer {

    private final Observer observer;
    private final LimitedWarning warning;

    GuardedObserver(Observer observer, Environment environment) {
        this.observer = observer;
        this.warning = new LimitedWarning(environment, "observer", "what it shows is incomplete");
    }

    // No lambdas: these are called with every call and every request.

    @Override
    public void callEnded(Call call, Outcome outcome, long nanos) {
        try {
            observer.callEnded(call, outcome, nanos);
        } catch (Throwable e) {
            warning.log(e);
        }
    }

    @Override
    public void requestEnded(NodeId node, Request request, Outcome outcome, long nanos) {
        try {
            observer.requestEnded(node, request, outcome, nanos);
        } catch (Throwable e) {
            warning.log(e);
        }
    }

    @Override
    public void retain(Set<NodeId> nodes) {
        try {
            observer.retain(nodes);
        } catch (Throwable e) {
            warning.log(e);
        }
    }
}
