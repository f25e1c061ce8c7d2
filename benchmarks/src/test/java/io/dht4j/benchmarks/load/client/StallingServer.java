package io.dht4j.benchmarks.load.client;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** Answers every request at once, except for a stall after one of them. Counts the requests. */
final class StallingServer implements AutoCloseable {

    private final Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    private final HttpServer server;
    private final AtomicLong requests = new AtomicLong();
    private final long stallsAt;
    private final long stallMillis;
    // Confined to the event loop.
    private final List<HttpServerRequest> held = new ArrayList<>();
    private boolean stalled;

    /**
     * A server.
     *
     * @param stallsAt number of the first held request, from 1; 0 for none
     * @param stallMillis length of the stall
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

    /** Returns the number of received requests. */
    long requests() {
        return requests.get();
    }

    @Override
    public void close() {
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }
}
