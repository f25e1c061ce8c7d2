package io.dht4j.transport.grpc.internal.server;

import io.dht4j.transport.grpc.internal.loops.EventLoops.Loop;
import io.dht4j.transport.grpc.internal.loops.PeriodicTask;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Holds the unary calls of one event loop whose requests are not complete. It ends those without received bytes for the
 * idle timeout: gRPC would keep them until their deadlines, which may be far. The calls are their own links, which
 * saves objects. For the event loop.
 */
final class IncompleteRequests {

    private final long idleNanos;
    private @Nullable UnaryExchange first;

    /** Begins to look after the calls of a loop. */
    IncompleteRequests(Loop loop, long idleNanos) {
        this.idleNanos = idleNanos;
        long interval = Math.min(idleNanos / 4, TimeUnit.SECONDS.toNanos(1));
        loop.executor()
                .scheduleWithFixedDelay(
                        new PeriodicTask("ending requests of which nothing comes", this::sweep),
                        interval,
                        interval,
                        TimeUnit.NANOSECONDS);
    }

    void add(UnaryExchange exchange) {
        UnaryExchange next = first;
        exchange.after = next;
        if (next != null) {
            next.before = exchange;
        }
        first = exchange;
    }

    /** Removes a call; does nothing if it is not here. */
    void remove(UnaryExchange exchange) {
        UnaryExchange before = exchange.before;
        UnaryExchange after = exchange.after;
        if (first == exchange) {
            first = after;
        }
        if (before != null) {
            before.after = after;
        }
        if (after != null) {
            after.before = before;
        }
        exchange.before = null;
        exchange.after = null;
    }

    private void sweep() {
        long now = System.nanoTime();
        for (UnaryExchange exchange = first; exchange != null; ) {
            UnaryExchange next = exchange.after;
            if (now - exchange.movedAt() > idleNanos) {
                exchange.stalled(idleNanos);
            }
            exchange = next;
        }
    }
}
