package io.dht4j.benchmarks.transports;

import io.dht4j.lab.Echo;
import io.dht4j.transport.http.HttpTransport;
import io.dht4j.transport.http.HttpTransportOptions;
import io.dht4j.transport.http.clients.HttpClients;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import one.nio.http.HttpClient;
import one.nio.net.ConnectionString;

/** one-nio's blocking client, with a thread for each call in flight. */
final class OneNioEcho implements Echo {

    private final VertxServer server = new VertxServer();
    private final HttpClient client;
    private final ExecutorService threads;

    OneNioEcho(int connections) {
        // Loads the native library from a private directory, before one-nio's own classes would do so.
        HttpTransport.create(HttpTransportOptions.callingOnly().withClient(HttpClients.ONE_NIO))
                .close();
        client = new HttpClient(new ConnectionString(
                "http://127.0.0.1:" + server.port() + "?clientMaxPoolSize=" + connections + "&timeout=5000"));
        threads = Executors.newFixedThreadPool(connections);
    }

    @Override
    public CompletionStage<byte[]> call(byte[] request) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return client.post("/", request).getBody();
                    } catch (Exception e) {
                        throw new CompletionException(e);
                    }
                },
                threads);
    }

    @Override
    public void close() {
        threads.shutdown();
        client.close();
        server.close();
    }
}
