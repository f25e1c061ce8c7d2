package io.dht4j.core.internal.coordinator.peer;

import io.dht4j.ErrorCode;
import io.dht4j.NodeId;
import io.dht4j.UnavailableException;
import io.dht4j.spi.Environment;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/**
 * Delays the first version of a starting node until another node has answered, so that the node can compare the clocks.
 * The delay also ends when all others refuse connections, and after a time. Does not block; safe for use by any number
 * of threads.
 */
public final class FirstContact {

    private final Environment environment;
    private final Duration patience;
    private volatile Environment.Timer timer = () -> {};
    private final CompletableFuture<Void> over = new CompletableFuture<>();
    // Guarded by this.
    private Set<NodeId> others;
    /** Why the other nodes have not answered; first of all that they have refused a connection. */
    private final Map<NodeId, PeerFailure> failures = new TreeMap<>();

    private boolean begun;

    /**
     * Creates a delay that has not begun.
     *
     * @param environment the timers
     * @param others all nodes but this one
     * @param patience the maximum delay
     */
    public FirstContact(Environment environment, List<NodeId> others, Duration patience) {
        this.environment = environment;
        this.patience = patience;
        this.others = Set.copyOf(others);
    }

    /** Begins the delay; called when the others are about to be asked. */
    public void begin() {
        synchronized (this) {
            begun = true;
        }
        if (patience.isZero()) {
            end();
        } else if (!endIfAllRefuse()) {
            timer = environment.schedule(this::end, patience.toNanos());
        }
    }

    /**
     * Follows a change of the nodes: those that have left are not waited for.
     *
     * @param now all nodes but this one
     */
    public void follow(List<NodeId> now) {
        synchronized (this) {
            others = Set.copyOf(now);
            failures.keySet().retainAll(others);
        }
        endIfAllRefuse();
    }

    private boolean endIfAllRefuse() {
        boolean all;
        synchronized (this) {
            all = begun && others.stream().allMatch(this::hasRefused);
        }
        if (all && !over.isDone()) {
            end();
        }
        return all;
    }

    /**
     * Returns the end of the delay.
     *
     * @return completes when it is over; fails if the node is closed before
     */
    public CompletableFuture<Void> over() {
        return over;
    }

    /**
     * Returns whether the delay is over.
     *
     * @return false if the node was closed before
     */
    public boolean isOver() {
        return over.isDone() && !over.isCompletedExceptionally();
    }

    /** Records an answer of another node. */
    public void answered() {
        if (!over.isDone()) {
            end();
        }
    }

    /** Called with the lock held. */
    private boolean hasRefused(NodeId node) {
        PeerFailure failure = failures.get(node);
        return failure != null && failure.refused();
    }

    /**
     * Records that another node has not answered.
     *
     * @param failure the reason
     */
    public void failed(PeerFailure failure) {
        if (over.isDone()) {
            return;
        }
        synchronized (this) {
            failures.merge(failure.node(), failure, (before, now) -> before.refused() ? before : now);
        }
        endIfAllRefuse();
    }

    /**
     * Returns why the other nodes have not answered.
     *
     * @return for each node that is known a semicolon and the reason; empty once the delay is over
     */
    public synchronized String reasons() {
        return over.isDone()
                ? ""
                : failures.values().stream().map(failure -> "; " + failure).collect(Collectors.joining());
    }

    /** Fails the delay if it is not over, so that waiting writes fail too. */
    public void close() {
        timer.cancel();
        over.completeExceptionally(
                new UnavailableException(ErrorCode.NOT_SERVING, "nothing done: this node is shutting down"));
    }

    private void end() {
        timer.cancel();
        over.complete(null);
    }
}
