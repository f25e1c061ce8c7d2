package io.dht4j.core.internal.membership;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.core.internal.admission.Backoff;
import io.dht4j.spi.Transport;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * Closes the connections to a node over which another node answers, so that the next call connects again and looks the
 * node's name up again. While the wrong node keeps answering, the pause between two closings grows up to
 * {@link #LONGEST_PAUSE}; calls in flight fail with each closing. Does not block; safe for use by any number of
 * threads.
 */
public final class WrongAddresses {

    /** The longest lifetime of a connection to the wrong node. */
    public static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

    private static final Backoff PAUSES = Backoff.doubling(Duration.ofSeconds(1), LONGEST_PAUSE);

    /** After this time without an answer of a wrong node, the next pause is the shortest again. */
    private static final long FORGIVEN_NANOS = 3 * LONGEST_PAUSE.toNanos();

    private final Transport transport;
    private final LongSupplier nanoTime;
    /** The last closing for each node whose address another node has answered at recently. */
    private final Map<NodeId, Closing> closings = new ConcurrentHashMap<>();

    /**
     * The time of a closing, and the number of closings before it without a pause longer than {@link #FORGIVEN_NANOS}.
     */
    private record Closing(long nanos, int earlier) {

        boolean isForgiven(long now) {
            return now - nanos >= FORGIVEN_NANOS;
        }
    }

    /**
     * Creates an object without closings.
     *
     * @param transport has the connections
     * @param nanoTime the monotonic clock
     */
    public WrongAddresses(Transport transport, LongSupplier nanoTime) {
        this.transport = transport;
        this.nanoTime = nanoTime;
    }

    /**
     * Handles an answer of another node at a node's address.
     *
     * @param node the called node, with the address at which it was called
     */
    public void answeredByOther(Node node) {
        long now = nanoTime.getAsLong();
        Closing last = closings.get(node.id());
        if (last != null && now - last.nanos() < PAUSES.nanos(last.earlier())) {
            return;
        }
        Closing next = new Closing(now, last == null || last.isForgiven(now) ? 0 : last.earlier() + 1);
        boolean first =
                last == null ? closings.putIfAbsent(node.id(), next) == null : closings.replace(node.id(), last, next);
        if (first) {
            closings.values().removeIf(closing -> closing.isForgiven(now));
            transport.forget(node);
        }
    }
}
