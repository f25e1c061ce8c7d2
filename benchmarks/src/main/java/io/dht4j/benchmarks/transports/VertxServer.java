package io.dht4j.benchmarks.transports;

import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;

/** An HTTP server that echoes bodies, on two event loops, as each HTTP client's counterpart. */
final class VertxServer implements AutoCloseable {

    private static final int EVENT_LOOPS = 2;

    private final Vertx vertx =
            Vertx.vertx(new VertxOptions().setEventLoopPoolSize(EVENT_LOOPS).setPreferNativeTransport(true));
    private volatile int port;

    VertxServer() {
        vertx.deployVerticle(Server::new, new DeploymentOptions().setInstances(EVENT_LOOPS))
                .toCompletionStage()
                .toCompletableFuture()
                .join();
    }

    Vertx vertx() {
        return vertx;
    }

    int port() {
        return port;
    }

    @Override
    public void close() {
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    private final class Server extends VerticleBase {

        @Override
        public Future<?> start() {
            HttpServer server = vertx.createHttpServer(
                    new HttpServerOptions().setTcpNoDelay(true).setHttp2ClearTextEnabled(true));
            server.requestHandler(request ->
                    request.body().onSuccess((Buffer body) -> request.response().end(body)));
            // A negative port means any free one, the same for all instances.
            return server.listen(-1, "127.0.0.1").onSuccess(listening -> port = listening.actualPort());
        }
    }
}
