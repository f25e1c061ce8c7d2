package io.dht4j.core.internal.observation;

import io.dht4j.NodeId;
import io.dht4j.spi.Environment;
import io.dht4j.spi.Observer;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Catches what another observer throws against its contract, and logs it. Does not block; safe for use by any number of
 * threads.
 */
final class GuardedObserver implements Observer {

    private static final Logger LOG = LoggerFactory.getLogger(GuardedObserver.class);
    /** The shortest time between two log messages, since a failing observer throws with every call. */
    private static final long LOG_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Observer observer;
    private final Environment environment;
    private final AtomicLong loggedNanos;

    GuardedObserver(Observer observer, Environment environment) {
        this.observer = observer;
        this.environment = environment;
        this.loggedNanos = new AtomicLong(environment.nanoTime() - LOG_NANOS);
    }

    // No lambdas: these are called with every call and every request.

    @Override
    public void callEnded(Call call, Outcome outcome, long nanos) {
        try {
            observer.callEnded(call, outcome, nanos);
        } catch (RuntimeException | Error e) {
            log(e);
        }
    }

    @Override
    public void requestEnded(NodeId node, Request request, Outcome outcome, long nanos) {
        try {
            observer.requestEnded(node, request, outcome, nanos);
        } catch (RuntimeException | Error e) {
            log(e);
        }
    }

    @Override
    public void retain(Set<NodeId> nodes) {
        try {
            observer.retain(nodes);
        } catch (RuntimeException | Error e) {
            log(e);
        }
    }

    private void log(Throwable thrown) {
        long logged = loggedNanos.get();
        long now = environment.nanoTime();
        if (now - logged >= LOG_NANOS && loggedNanos.compareAndSet(logged, now)) {
            LOG.warn("the observer threw an exception against its contract; its figures are incomplete", thrown);
        }
    }
}
