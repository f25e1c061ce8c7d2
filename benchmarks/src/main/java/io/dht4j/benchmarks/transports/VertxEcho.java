package io.dht4j.benchmarks.transports;

import io.dht4j.lab.Echo;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.PoolOptions;
import java.util.concurrent.CompletionStage;

/** Vert.x's own client. */
final class VertxEcho implements Echo {

    private final VertxServer server = new VertxServer();
    private final HttpClient client;

    private VertxEcho(HttpClientOptions options, PoolOptions pool) {
        client = server.vertx().createHttpClient(options.setTcpNoDelay(true), pool);
    }

    static VertxEcho plain(int connections) {
        return new VertxEcho(new HttpClientOptions(), new PoolOptions().setHttp1MaxSize(connections));
    }

    static VertxEcho pipelined(int connections, int depth) {
        return new VertxEcho(
                new HttpClientOptions().setPipelining(true).setPipeliningLimit(depth),
                new PoolOptions().setHttp1MaxSize(connections));
    }

    static VertxEcho http2() {
        return new VertxEcho(
                new HttpClientOptions().setProtocolVersion(HttpVersion.HTTP_2).setHttp2ClearTextUpgrade(false),
                new PoolOptions().setHttp2MaxSize(1));
    }

    @Override
    public CompletionStage<byte[]> call(byte[] request) {
        return client.request(HttpMethod.POST, server.port(), "127.0.0.1", "/")
                .compose(open -> open.send(Buffer.buffer(request)))
                .compose(HttpClientResponse::body)
                .map(Buffer::getBytes)
                .toCompletionStage();
    }

    @Override
    public void close() {
        server.close();
    }
}
