package io.dht4j.transport.grpc.internal.server;

import io.grpc.netty.shaded.io.netty.util.collection.LongObjectHashMap;
import io.grpc.netty.shaded.io.netty.util.collection.LongObjectMap;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Holds the unanswered requests of a stream, by the caller's numbers. For the connection's event loop. */
final class OpenExchanges {

    private final LongObjectMap<StreamExchange> byId = new LongObjectHashMap<>();

    boolean isEmpty() {
        return byId.isEmpty();
    }

    @Nullable
    StreamExchange find(long id) {
        return byId.get(id);
    }

    void add(StreamExchange exchange) {
        byId.put(exchange.id(), exchange);
    }

    /** Removes an exchange, and releases its frames and their room. */
    void end(StreamExchange exchange) {
        byId.remove(exchange.id());
        exchange.release();
    }

    /** Ends an exchange whose caller has given up, and cancels the handler's work for it. */
    void cancel(StreamExchange exchange) {
        end(exchange);
        exchange.cancel();
    }

    /** Cancels the exchanges whose deadline has passed. Returns whether there were any. */
    boolean cancelExpired() {
        List<StreamExchange> expired = select(StreamExchange::isExpired);
        expired.forEach(this::cancel);
        return !expired.isEmpty();
    }

    /** Returns whether every request is incomplete, so that no handler works for the caller. True without requests. */
    boolean areIncomplete() {
        for (StreamExchange exchange : byId.values()) {
            if (exchange.request() == null) {
                return false;
            }
        }
        return true;
    }

    /** Ends the exchanges whose requests are incomplete, and returns them. */
    List<StreamExchange> endIncomplete() {
        List<StreamExchange> incomplete = select(exchange -> exchange.request() != null);
        incomplete.forEach(this::end);
        return incomplete;
    }

    void cancelAll() {
        select(exchange -> true).forEach(this::cancel);
    }

    private List<StreamExchange> select(Predicate<StreamExchange> which) {
        List<StreamExchange> selected = new ArrayList<>();
        for (StreamExchange exchange : byId.values()) {
            if (which.test(exchange)) {
                selected.add(exchange);
            }
        }
        return selected;
    }
}
