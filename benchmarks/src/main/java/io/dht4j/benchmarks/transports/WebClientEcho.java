package io.dht4j.benchmarks.transports;

import io.dht4j.lab.Echo;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.PoolOptions;
import io.vertx.ext.web.client.WebClient;
import io.vertx.ext.web.client.WebClientOptions;
import java.util.concurrent.CompletionStage;

/** Vert.x's {@code WebClient}. */
final class WebClientEcho implements Echo {

    private final VertxServer server = new VertxServer();
    private final WebClient client;

    WebClientEcho(int connections) {
        client = WebClient.create(
                server.vertx(),
                new WebClientOptions().setTcpNoDelay(true),
                new PoolOptions().setHttp1MaxSize(connections));
    }

    @Override
    public CompletionStage<byte[]> call(byte[] request) {
        return client.post(server.port(), "127.0.0.1", "/")
                .sendBuffer(Buffer.buffer(request))
                .map(response -> response.body().getBytes())
                .toCompletionStage();
    }

    @Override
    public void close() {
        server.close();
    }
}
