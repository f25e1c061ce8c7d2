package io.dht4j.benchmarks.load;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** Answers every request at once, but for a while after one of them, in which it answers none; counts them. */
final class StallingServer implements AutoCloseable {

    private final Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    private final HttpServer server;
    private final AtomicLong requests = new AtomicLong();
    private final long stallsAt;
    private final long stallMillis;
    // On the event loop only.
    private final List<HttpServerRequest> held = new ArrayList<>();
    private boolean stalled;

    /**
     * A server.
     *
     * @param stallsAt the number of the request, from 1, that is the first to be held; 0 for none
     * @param stallMillis how long
     */
    StallingServer(long stallsAt, long stallMillis) {
        this.stallsAt = stallsAt;
        this.stallMillis = stallMillis;
        this.server = vertx.createHttpServer(new HttpServerOptions().setTcpNoDelay(true))
                .requestHandler(this::take)
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .join();
    }

    private void take(HttpServerRequest request) {
        if (requests.incrementAndGet() == stallsAt) {
            stalled = true;
            vertx.setTimer(stallMillis, over -> {
                stalled = false;
                held.forEach(StallingServer::answer);
                held.clear();
            });
        }
        if (stalled) {
            held.add(request);
        } else {
            answer(request);
        }
    }

    private static void answer(HttpServerRequest request) {
        request.response().setStatusCode(200).end("value");
    }

    String address() {
        return "127.0.0.1:" + server.actualPort();
    }

    /** How many requests have come. */
    long requests() {
        return requests.get();
    }

    @Override
    public void close() {
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }
}
