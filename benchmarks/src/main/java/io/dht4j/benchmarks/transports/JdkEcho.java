package io.dht4j.benchmarks.transports;

import io.dht4j.lab.Echo;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletionStage;

/** The JDK's client, with its own executor. */
final class JdkEcho implements Echo {

    private final VertxServer server = new VertxServer();
    private final HttpClient client;
    private final URI uri = URI.create("http://127.0.0.1:" + server.port() + "/");

    JdkEcho(HttpClient.Version version) {
        client = HttpClient.newBuilder().version(version).build();
    }

    @Override
    public CompletionStage<byte[]> call(byte[] request) {
        HttpRequest post = HttpRequest.newBuilder(uri)
                .POST(HttpRequest.BodyPublishers.ofByteArray(request))
                .build();
        return client.sendAsync(post, HttpResponse.BodyHandlers.ofByteArray()).thenApply(HttpResponse::body);
    }

    @Override
    public void close() {
        server.close();
    }
}
