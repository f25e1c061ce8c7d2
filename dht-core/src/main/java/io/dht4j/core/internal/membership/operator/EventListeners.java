package io.dht4j.core.internal.membership.operator;

import io.dht4j.ClusterMembership.Subscription;
import io.dht4j.MembershipEvent;
import io.dht4j.core.internal.membership.state.ClusterState;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notifies the listeners of a node. Events are reported one after the other on the environment's executor. While a
 * listener is slow, later states are combined: memory is bounded by one list of events.
 */
final class EventListeners {

    private static final Logger LOG = LoggerFactory.getLogger(EventListeners.class);

    private final List<Registration> registrations = new CopyOnWriteArrayList<>();
    private final Executor executor;

    // Guarded by this.
    private Optional<ClusterState> reported;
    private Optional<ClusterState> newest;
    private boolean running;

    private static final class Registration {
        private final Consumer<MembershipEvent> listener;

        Registration(Consumer<MembershipEvent> listener) {
            this.listener = listener;
        }

        void report(MembershipEvent event) {
            try {
                listener.accept(event);
            } catch (RuntimeException | Error e) {
                LOG.warn("a listener of the membership has failed", e);
            }
        }
    }

    EventListeners(Optional<ClusterState> known, Executor executor) {
        this.reported = known;
        this.newest = known;
        this.executor = executor;
    }

    Subscription add(Consumer<MembershipEvent> listener) {
        Registration registration = new Registration(listener);
        registrations.add(registration);
        return () -> registrations.remove(registration);
    }

    /** A state is installed. */
    void installed(ClusterState state) {
        synchronized (this) {
            newest = Optional.of(state);
            if (running) {
                return;
            }
            running = true;
        }
        try {
            executor.execute(this::report);
        } catch (RejectedExecutionException e) {
            synchronized (this) {
                running = false;
            }
        }
    }

    private void report() {
        for (Queue<MembershipEvent> events = next(); !events.isEmpty(); events = next()) {
            events.forEach(event -> registrations.forEach(registration -> registration.report(event)));
        }
    }

    /** Returns the events up to the newest state; none ends the reports. */
    private synchronized Queue<MembershipEvent> next() {
        Queue<MembershipEvent> events = new ArrayDeque<>();
        Optional<ClusterState> before = reported;
        reported = newest;
        running = false;
        if (before.isPresent() && newest.isPresent()) {
            events.addAll(EventDifference.between(before.get(), newest.get()));
        }
        running = !events.isEmpty();
        return events;
    }
}
