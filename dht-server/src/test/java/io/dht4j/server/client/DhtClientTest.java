package io.dht4j.server.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.dht4j.Key;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

class DhtClientTest {

    @Test
    void aReadDoesNotSpendTheWholeTimeoutOnANodeThatHangs() throws Exception {
        HttpServer good = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        good.createContext("/", exchange -> {
            exchange.sendResponseHeaders(200, 2);
            exchange.getResponseBody().write("{}".getBytes(StandardCharsets.UTF_8));
            exchange.close();
        });
        good.start();
        // The system accepts the connection, and nobody answers.
        try (ServerSocket frozen = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Duration timeout = Duration.ofSeconds(8);
            DhtClient client = new DhtClient(
                    List.of(
                            URI.create("http://127.0.0.1:" + frozen.getLocalPort()),
                            URI.create("http://127.0.0.1:" + good.getAddress().getPort())),
                    timeout);
            long begun = System.nanoTime();
            assertThat(DhtClient.await(client.nodes())).isEmpty();
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(timeout.dividedBy(2));
        } finally {
            good.stop(0);
        }
    }

    @Test
    void aNodeIsToldOfAShortTimeoutSoThatItCanAnswerWhyACallFails() throws Exception {
        List<String> queries = new CopyOnWriteArrayList<>();
        HttpServer node = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        node.createContext("/", exchange -> {
            queries.add(exchange.getRequestURI().getQuery());
            exchange.sendResponseHeaders(404, -1);
            exchange.close();
        });
        node.start();
        try {
            List<URI> nodes =
                    List.of(URI.create("http://127.0.0.1:" + node.getAddress().getPort()));
            DhtClient.await(new DhtClient(nodes, Duration.ofSeconds(2)).get(Key.of("k"), AskedPolicy.DEFAULT));
            DhtClient.await(new DhtClient(nodes, Duration.ofSeconds(30)).get(Key.of("k"), AskedPolicy.DEFAULT));
            DhtClient.await(new DhtClient(List.of(nodes.get(0), nodes.get(0)), Duration.ofSeconds(2))
                    .get(Key.of("k"), AskedPolicy.DEFAULT));
            assertThat(queries)
                    .as("a node that is not the last one to be asked is left when it is silent")
                    .containsExactly("id=k&timeout=1800", "id=k", "id=k");
        } finally {
            node.stop(0);
        }
    }

    @Test
    void anAnswerWithoutAnEndIsNotCollected() throws Exception {
        ExecutorService threads = Executors.newSingleThreadExecutor();
        HttpServer endless = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        endless.setExecutor(threads);
        endless.createContext("/", exchange -> {
            exchange.sendResponseHeaders(200, 0);
            try (OutputStream body = exchange.getResponseBody()) {
                byte[] part = new byte[1 << 20];
                while (true) {
                    body.write(part);
                }
            }
        });
        endless.start();
        try {
            URI node = URI.create("http://127.0.0.1:" + endless.getAddress().getPort());
            DhtClient client = new DhtClient(List.of(node), Duration.ofSeconds(60));

            assertThatThrownBy(() -> DhtClient.await(client.status()))
                    .isInstanceOf(ClientException.class)
                    .hasMessage(node + ": the answer is longer than " + (64 << 20) + " bytes");
        } finally {
            endless.stop(0);
            threads.shutdown();
        }
    }
}
