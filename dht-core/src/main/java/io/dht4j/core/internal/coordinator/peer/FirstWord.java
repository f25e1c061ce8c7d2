package io.dht4j.core.internal.coordinator.peer;

import io.dht4j.ErrorCode;
import io.dht4j.NodeId;
import io.dht4j.UnavailableException;
import io.dht4j.spi.Environment;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * The time after a start until this node knows whether its clock may be believed: until one of the others has answered,
 * or all of them refuse connections, or its patience is over. Does not block; safe for use by any number of threads.
 */
public final class FirstWord {

    private final Environment environment;
    private final Duration patience;
    private volatile Environment.Timer timer = () -> {};
    private final CompletableFuture<Void> said = new CompletableFuture<>();
    // Guarded by itself.
    private final Set<NodeId> unknown;

    public FirstWord(Environment environment, List<NodeId> others, Duration patience) {
        this.environment = environment;
        this.patience = patience;
        this.unknown = new HashSet<>(others);
    }

    /** From now on the others are asked. */
    public void begin() {
        if (unknown.isEmpty() || patience.isZero()) {
            end();
        } else {
            timer = environment.schedule(this::end, patience.toNanos());
        }
    }

    /** Completes when it is over; fails if the node is closed before. */
    public CompletableFuture<Void> said() {
        return said;
    }

    public boolean isSaid() {
        return said.isDone() && !said.isCompletedExceptionally();
    }

    public void answered() {
        if (!said.isDone()) {
            end();
        }
    }

    public void refused(NodeId node) {
        if (said.isDone()) {
            return;
        }
        boolean all;
        synchronized (unknown) {
            unknown.remove(node);
            all = unknown.isEmpty();
        }
        if (all) {
            end();
        }
    }

    /** Nobody will tell any more. Whoever waits is not to write. */
    public void close() {
        timer.cancel();
        said.completeExceptionally(
                new UnavailableException(ErrorCode.NOT_SERVING, "nothing done: this node is shutting down"));
    }

    private void end() {
        timer.cancel();
        said.complete(null);
    }
}
