package io.dht4j.transport.http.internal.api;

import io.vertx.core.Vertx;
import java.time.Duration;

/** The only timer of an exchange. Belongs to the event loop of its request. */
final class ExchangeTimer {

    private static final long NONE = -1;

    private final Vertx vertx;
    private long id = NONE;

    ExchangeTimer(Vertx vertx) {
        this.vertx = vertx;
    }

    /** Runs an action after a time, unless it is started again or stopped before. */
    void start(Duration delay, Runnable action) {
        stop();
        id = vertx.setTimer(Math.max(1, delay.toMillis()), fired -> {
            id = NONE;
            action.run();
        });
    }

    void stop() {
        if (id != NONE) {
            vertx.cancelTimer(id);
            id = NONE;
        }
    }
}
