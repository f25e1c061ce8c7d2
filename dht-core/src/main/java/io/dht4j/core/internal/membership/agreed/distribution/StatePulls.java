package io.dht4j.core.internal.membership.agreed.distribution;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.core.internal.membership.agreed.peer.MembershipRequestSender;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.spi.Environment;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the installed state of a node up to date: fetches it from nodes that have a newer one, and periodically from a
 * random node. At most one fetch from a node is in flight, and a few in total. Does not block; safe for use by any
 * number of threads.
 */
public final class StatePulls {

    private static final Logger LOG = LoggerFactory.getLogger(StatePulls.class);

    /** Each may hold a whole state in memory. */
    private static final int MOST_RUNNING = 4;

    /** The pause after a state could not be installed; doubled after each further failure. */
    private static final long FIRST_PAUSE_NANOS = Duration.ofSeconds(1).toNanos();

    private static final long LONGEST_PAUSE_NANOS = Duration.ofSeconds(30).toNanos();

    private static final Duration INTERVAL = Duration.ofSeconds(3);

    private final MembershipRequestSender requests;
    private final Environment environment;
    private final InstalledState installed;
    private final Supplier<List<Node>> others;

    // Guarded by this.
    private final Map<NodeId, CompletableFuture<ClusterState>> running = new HashMap<>();
    private @Nullable Throwable failure;
    private long pauseNanos;
    private long failedNanos;
    private Environment.Timer timer = () -> {};
    private boolean closed;

    /**
     * Creates a source without periodic fetches.
     *
     * @param requests sends requests
     * @param environment timers, random numbers and store threads
     * @param installed where fetched states are installed
     * @param others returns the other nodes
     */
    public StatePulls(
            MembershipRequestSender requests,
            Environment environment,
            InstalledState installed,
            Supplier<List<Node>> others) {
        this.requests = requests;
        this.environment = environment;
        this.installed = installed;
        this.others = others;
    }

    /** Begins to ask a random node every 3 s. */
    public void start() {
        synchronized (this) {
            if (!closed) {
                timer = environment.schedule(this::askAny, INTERVAL.toNanos());
            }
        }
    }

    private void askAny() {
        try {
            any().ifPresent(this::tryFrom);
        } finally {
            start();
        }
    }

    /** Fetches and installs the state of a node, unless that fails. */
    public void tryFrom(Node node) {
        from(node).exceptionally(error -> {
            LOG.debug("no state of {}: {}", node.id(), MembershipRequestSender.message(DhtException.unwrap(error)));
            return null;
        });
    }

    /** Returns a random other node; empty if there is none. */
    public Optional<Node> any() {
        List<Node> all = others.get();
        return all.isEmpty()
                ? Optional.empty()
                : Optional.of(all.get(environment.random().nextInt(all.size())));
    }

    /**
     * Fetches and installs the state of a node, once few enough other fetches are in flight.
     *
     * @param node the node
     * @return the installed state, newer than before or not. Fails if the node does not answer, or its state cannot be
     *     installed now or could not a short time ago
     */
    public CompletableFuture<ClusterState> from(Node node) {
        return from(node, MembershipRequestSender.TIMEOUT);
    }

    /**
     * As {@link #from(Node)}, of a node that may be slow.
     *
     * @param node the node
     * @param timeout the time limit of each part, if no fetch from the node is in flight
     * @return as above
     */
    public CompletableFuture<ClusterState> from(Node node, Duration timeout) {
        CompletableFuture<ClusterState> result;
        synchronized (this) {
            if (closed) {
                return CompletableFuture.failedFuture(DhtException.of(ErrorCode.NOT_SERVING, "this node is closed"));
            }
            if (failure != null && environment.nanoTime() - failedNanos < pauseNanos) {
                return CompletableFuture.failedFuture(failure);
            }
            CompletableFuture<ClusterState> other = running.get(node.id());
            if (other != null) {
                return other.copy();
            }
            if (running.size() >= MOST_RUNNING) {
                return CompletableFuture.anyOf(running.values().toArray(new CompletableFuture<?>[0]))
                        .handle((ended, error) -> from(node, timeout))
                        .thenCompose(next -> next);
            }
            result = new CompletableFuture<>();
            running.put(node.id(), result);
        }
        try {
            StateFetch.from(requests, environment, node, installed.cluster(), installed.epoch(), timeout)
                    .thenCompose(this::install)
                    .whenComplete((state, error) -> end(node, result, state, error));
        } catch (RuntimeException | Error e) {
            end(node, result, null, e);
        }
        return result.copy();
    }

    private CompletableFuture<ClusterState> install(Optional<ClusterState> fetched) {
        if (fetched.isPresent()) {
            return installed.offer(fetched.get()).whenComplete((state, error) -> installed(error));
        }
        return installed
                .state()
                .map(CompletableFuture::completedFuture)
                .orElseGet(() -> CompletableFuture.failedFuture(
                        DhtException.of(ErrorCode.NOT_SERVING, "the node has no agreed state either")));
    }

    private synchronized void installed(@Nullable Throwable error) {
        failure = error;
        failedNanos = environment.nanoTime();
        pauseNanos = error == null ? 0 : Math.min(LONGEST_PAUSE_NANOS, Math.max(FIRST_PAUSE_NANOS, 2 * pauseNanos));
    }

    private void end(
            Node node,
            CompletableFuture<ClusterState> result,
            @Nullable ClusterState state,
            @Nullable Throwable error) {
        synchronized (this) {
            running.remove(node.id());
        }
        if (error != null || state == null) {
            result.completeExceptionally(error == null ? new IllegalStateException("no state") : error);
        } else {
            result.complete(state);
        }
    }

    public synchronized void close() {
        closed = true;
        timer.cancel();
    }
}
