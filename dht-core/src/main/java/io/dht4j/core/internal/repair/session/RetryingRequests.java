package io.dht4j.core.internal.repair.session;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.core.internal.admission.Backoff;
import io.dht4j.spi.Environment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Repeats a request to each of several nodes until it succeeds, with pauses that double. A reply to another request
 * ends a pause. Does not block.
 *
 * <p>The methods that begin or end a request are called with the owner's lock held, so that the owner decides and
 * records in one step; the requests themselves are sent without the lock, since one may fail at once.
 */
final class RetryingRequests {

    private static final Backoff BACKOFF = Backoff.doubling(Duration.ofMillis(200), Duration.ofSeconds(10));

    private final Environment environment;
    private final Object lock;
    private final BiConsumer<Node, Attempt> send;

    // Guarded by the lock.
    /** The nodes that are being asked, or wait for the next attempt. */
    private final Set<Node> asked = new HashSet<>();

    private final Map<Node, Pause> pauses = new HashMap<>();

    /** The time of the last request to each node. */
    private final Map<Node, Long> askedNanos = new HashMap<>();

    /** Whether there are pauses; read without the lock. */
    private volatile boolean pausing;

    /**
     * An attempt.
     *
     * @param failures the number of failures before it
     * @param mayEndEarly whether a reply to another request ends the pause; false if the last pause ended in this way,
     *     since the node may refuse this request only
     */
    record Attempt(int failures, boolean mayEndEarly) {

        static final Attempt FIRST = new Attempt(0, true);
    }

    private record Pause(Environment.Timer timer, Attempt failed) {}

    /**
     * Creates an object without requests.
     *
     * @param environment the timers
     * @param lock the owner's lock
     * @param send sends an attempt; called without the lock
     */
    RetryingRequests(Environment environment, Object lock, BiConsumer<Node, Attempt> send) {
        this.environment = environment;
        this.lock = lock;
        this.send = send;
    }

    /**
     * Asks a node now, unless it is being asked. Called without the lock, since a request may fail at once and complete
     * waiting reads.
     */
    void askNow(Node node) {
        synchronized (lock) {
            Pause pause = endPause(node);
            if (pause == null && !asked.add(node)) {
                return;
            }
        }
        send.accept(node, Attempt.FIRST);
    }

    /** Returns whether a node is being asked, or waits for the next attempt. Called with the lock held. */
    boolean isAsking(Node node) {
        return asked.contains(node);
    }

    /** Records that a request is sent. Called with the lock held. */
    void began(Node node) {
        askedNanos.put(node, environment.nanoTime());
    }

    /** Records that a node needs no further request. Called with the lock held. */
    void ended(Node node) {
        asked.remove(node);
        askedNanos.remove(node);
    }

    /** Schedules the next attempt. Called with the lock held. */
    void retryLater(Node node, Attempt failed) {
        Environment.Timer timer = environment.schedule(() -> askAgain(node, false), BACKOFF.nanos(failed.failures()));
        pauses.put(node, new Pause(timer, failed));
        pausing = true;
    }

    /**
     * Ends the pause of a node that has answered another request: it is reachable, though it may refuse this request.
     * Called without the lock. Quick if no node is in a pause.
     */
    void answered(NodeId id) {
        if (!pausing) {
            return;
        }
        List<Node> back = new ArrayList<>();
        synchronized (lock) {
            long now = environment.nanoTime();
            pauses.forEach((node, pause) -> {
                if (node.id().equals(id)
                        && pause.failed().mayEndEarly()
                        && now - askedNanos.getOrDefault(node, now) >= BACKOFF.baseNanos()) {
                    back.add(node);
                }
            });
        }
        back.forEach(node -> askAgain(node, true));
    }

    /** Ends a pause and asks again, unless the pause has ended. */
    private void askAgain(Node node, boolean early) {
        Pause pause;
        synchronized (lock) {
            pause = endPause(node);
            if (pause == null) {
                return;
            }
        }
        int failures = pause.failed().failures();
        // A pause that ended early does not count as a failure.
        send.accept(node, new Attempt(early ? failures : failures + 1, !early));
    }

    private @Nullable Pause endPause(Node node) {
        Pause pause = pauses.remove(node);
        pausing = !pauses.isEmpty();
        if (pause != null) {
            pause.timer().cancel();
        }
        return pause;
    }

    /** Cancels all further attempts. Called with the lock held. */
    void close() {
        pauses.values().forEach(pause -> pause.timer().cancel());
    }
}
