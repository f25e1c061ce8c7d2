package io.dht4j.examples.library;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.dht4j.Cluster;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** Two instances of the application, with their web servers, in one process. */
class SharedCacheTest {

    private static final List<ConfigurableApplicationContext> INSTANCES = new ArrayList<>();
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    @BeforeAll
    static void start() throws Exception {
        List<Integer> ports = freePorts();
        String nodes = "--dht4j.nodes=n1=127.0.0.1:" + ports.get(0) + ",n2=127.0.0.1:" + ports.get(1);
        for (String node : List.of("n1", "n2")) {
            // The first instance is started without the other.
            INSTANCES.add(SpringApplication.run(
                    LibraryApplication.class,
                    "--dht4j.node-id=" + node,
                    nodes,
                    "--dht4j.ready-timeout=0",
                    "--server.port=0"));
        }
        for (ConfigurableApplicationContext instance : INSTANCES) {
            instance.getBean(Cluster.class).ready().toCompletableFuture().get(1, TimeUnit.MINUTES);
        }
    }

    @AfterAll
    static void stop() {
        INSTANCES.forEach(ConfigurableApplicationContext::close);
    }

    @Test
    void aBookThatOneInstanceHasFoundIsNotSearchedByTheOther() throws Exception {
        String book = "{\"isbn\":\"42\",\"title\":\"Book 42\"}";
        assertEquals(book, send(0, "GET", "/books/42"));
        assertEquals(book, send(1, "GET", "/books/42"));
        assertEquals(1, searches(0) + searches(1));

        send(1, "DELETE", "/books/42");
        assertEquals(book, send(0, "GET", "/books/42"));
        assertEquals(2, searches(0) + searches(1));
    }

    @Test
    void aNoteIsReadByTheOtherInstance() throws Exception {
        assertEquals("kept", send(0, "PUT", "/notes/greeting"));
        assertEquals("hello", send(1, "GET", "/notes/greeting"));
    }

    @Test
    void theHealthOfTheNodeIsThatOfTheInstance() throws Exception {
        String health = send(0, "GET", "/actuator/health");
        assertTrue(health.contains("\"dht4j\":{"), health);
        assertTrue(health.contains("\"node\":\"n1\""), health);
        assertFalse(health.contains("\"DOWN\""), health);
    }

    @Test
    void theMetricsOfTheNodeAreThoseOfTheInstance() throws Exception {
        send(0, "GET", "/notes/none");
        String calls = send(0, "GET", "/actuator/metrics/dht.calls?tag=kind:get");
        assertTrue(calls.contains("\"statistic\":\"COUNT\""), calls);
        // A scrape waits for the figures of the node for a quarter of a second, and on a busy machine for the next one.
        Instant bound = Instant.now().plus(Duration.ofMinutes(1));
        String all = send(0, "GET", "/actuator/prometheus");
        while (all.lines().noneMatch("dht_nodes 2.0"::equals) && Instant.now().isBefore(bound)) {
            all = send(0, "GET", "/actuator/prometheus");
        }
        assertTrue(all.lines().anyMatch("dht_nodes 2.0"::equals), all);
        assertTrue(all.contains("dht_calls_seconds_bucket{kind=\"get\",outcome=\"SUCCESS\""), all);
        assertTrue(all.contains("dht_hints_dropped_bytes_total 0.0"), all);
        assertTrue(all.contains("dht_peer_calls_seconds_count{kind="), all);
    }

    @Test
    void anInvalidPropertyIsShownWithoutAStackTrace() {
        PrintStream out = System.out;
        ByteArrayOutputStream shown = new ByteArrayOutputStream();
        System.setOut(new PrintStream(shown, true, StandardCharsets.UTF_8));
        try {
            assertThrows(
                    RuntimeException.class,
                    () -> SpringApplication.run(
                            LibraryApplication.class, "--dht4j.node-id=n1", "--dht4j.replication-factor=7"));
        } finally {
            System.setOut(out);
        }
        String text = shown.toString(StandardCharsets.UTF_8);
        assertTrue(text.contains("dht4j.replication-factor must be 1 to 2, the number of nodes, not 7"), text);
        assertTrue(text.contains("APPLICATION FAILED TO START"), text);
        assertFalse(text.contains("\tat "), text);
    }

    private static int searches(int instance) {
        return INSTANCES.get(instance).getBean(Catalogue.class).searches();
    }

    private static String send(int instance, String method, String path) throws Exception {
        String port = INSTANCES.get(instance).getEnvironment().getRequiredProperty("local.server.port");
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .header("Content-Type", "text/plain")
                .method(method, HttpRequest.BodyPublishers.ofString(method.equals("PUT") ? "hello" : ""))
                .build();
        HttpResponse<String> response = HTTP.send(request, HttpResponse.BodyHandlers.ofString());
        assertEquals(200, response.statusCode(), response.body());
        return response.body();
    }

    private static List<Integer> freePorts() throws IOException {
        try (ServerSocket one = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                ServerSocket two = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return List.of(one.getLocalPort(), two.getLocalPort());
        }
    }
}
