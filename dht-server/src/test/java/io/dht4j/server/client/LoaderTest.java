package io.dht4j.server.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class LoaderTest {

    private static final int LARGE = 16 << 20;
    /** More than may be under way together, in requests or in bytes. */
    private static final int LINES = 6;

    @Test
    void anInterruptEndsALoadThatWaitsForRoomInBytes() throws Exception {
        // 16 MiB each: the fifth has to wait for its bytes, with requests to spare.
        assertThat(outcomeOfInterrupt(new byte[LARGE], 64)).isInstanceOf(InterruptedException.class);
    }

    @Test
    void anInterruptEndsALoadThatWaitsForRoomInRequests() throws Exception {
        assertThat(outcomeOfInterrupt(new byte[1], 2)).isInstanceOf(InterruptedException.class);
    }

    @Test
    void whatAnOverloadedNodeRefusesIsSentAgainUntilItIsTaken() throws Exception {
        AtomicInteger requests = new AtomicInteger();
        Queue<Duration> pauses = new ConcurrentLinkedQueue<>();
        // Far more often than anything else is sent again.
        try (FakeNode node = new FakeNode(exchange ->
                requests.incrementAndGet() <= 200 ? answer(exchange, 503, OVERLOADED) : answer(exchange, 201, ""))) {
            Loader.Result result = loader(node, Duration.ofMinutes(10), pauses)
                    .load(lines(new byte[3]), "lines", ItemFormat.TSV, bytes -> {});

            assertThat(result.written()).isEqualTo(LINES);
            assertThat(requests).hasValue(200 + LINES);
            // Retry-After is heeded, and not all come back together.
            assertThat(pauses).hasSize(200).allMatch(pause -> pause.compareTo(Duration.ofSeconds(1)) >= 0);
            assertThat(Set.copyOf(pauses)).hasSizeGreaterThan(10);
        }
    }

    @Test
    void aLoadGivesUpWhenNodesStayOverloaded() throws Exception {
        try (FakeNode node = new FakeNode(exchange -> answer(exchange, 503, OVERLOADED))) {
            Loader loader = loader(node, Duration.ZERO, new ConcurrentLinkedQueue<>());

            assertThatThrownBy(() -> loader.load(lines(new byte[3]), "data.tsv", ItemFormat.TSV, bytes -> {}))
                    .isInstanceOf(ClientException.class)
                    .hasMessageStartingWith("data.tsv line ")
                    .hasMessageContaining("OVERLOADED");
        }
    }

    @Test
    void whatIsOverSinceBefore1970IsLeftOut() throws Exception {
        try (FakeNode node = new FakeNode(exchange -> answer(exchange, 201, ""))) {
            String entries = Stream.of("-1", "0", "-9223372036854775808", "-99999999999999999999999", "1")
                    .map(expiry -> "{\"key\":\"a\",\"value\":\"v\",\"expires_at\":" + expiry + "}\n")
                    .collect(Collectors.joining());

            Loader.Result result = loader(node, Duration.ZERO, new ConcurrentLinkedQueue<>())
                    .load(
                            new ByteArrayInputStream(entries.getBytes(StandardCharsets.US_ASCII)),
                            "lines",
                            ItemFormat.NDJSON,
                            bytes -> {});

            assertThat(result).isEqualTo(new Loader.Result(0, 5, 0));
        }
    }

    @Test
    void atomicKeyWithoutAnAnswerIsSetAgainUnderTheSameId() throws Exception {
        Queue<String> ids = new ConcurrentLinkedQueue<>();
        Queue<Duration> pauses = new ConcurrentLinkedQueue<>();
        try (FakeNode node = new FakeNode(exchange -> {
            ids.add(exchange.getRequestHeaders().getFirst("Idempotency-Key"));
            if (ids.size() <= 2) {
                exchange.close();
                return true;
            }
            return answer(exchange, ids.size() == 3 ? 201 : 412, "{\"name\":\"CONDITION_FAILED\"}");
        })) {
            DhtClient client = new DhtClient(List.of(node.uri()), Duration.ofSeconds(30));
            Loader loader = Loader.ifAbsent(client, "m", 1, pause -> {
                pauses.add(pause);
                return ForkJoinPool.commonPool();
            });

            Loader.Result result = loader.load(lines(new byte[3]), "lines", ItemFormat.TSV, bytes -> {});

            assertThat(result).isEqualTo(new Loader.Result(1, 0, LINES - 1));
            assertThat(pauses).hasSize(2);
            assertThat(List.copyOf(ids).subList(0, 3)).containsOnly(ids.element());
            assertThat(Set.copyOf(ids)).hasSize(LINES);
        }
    }

    private static final String OVERLOADED = "{\"name\":\"OVERLOADED\",\"detail\":\"too much\"}";

    private static Loader loader(FakeNode node, Duration patience, Queue<Duration> pauses) {
        return new Loader(
                new DhtClient(List.of(node.uri()), Duration.ofSeconds(30)), 4, AskedPolicy.DEFAULT, patience, pause -> {
                    pauses.add(pause);
                    return ForkJoinPool.commonPool();
                });
    }

    private static boolean answer(HttpExchange exchange, int status, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.US_ASCII);
        exchange.getRequestBody().readAllBytes();
        if (status == 503) {
            exchange.getResponseHeaders().add("Retry-After", "1");
        }
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
        return true;
    }

    private interface Answers {
        boolean answer(HttpExchange exchange) throws IOException;
    }

    /** Stands for a node. */
    private static final class FakeNode implements AutoCloseable {

        private final HttpServer server;

        FakeNode(Answers answers) throws IOException {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            server.createContext("/", answers::answer);
            server.start();
        }

        URI uri() {
            return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
        }

        @Override
        public void close() {
            server.stop(0);
        }
    }

    /** Interrupts a load to a node that accepts and says nothing. */
    private static Throwable outcomeOfInterrupt(byte[] value, int parallel) throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 64, InetAddress.getLoopbackAddress())) {
            URI node = URI.create("http://127.0.0.1:" + silent.getLocalPort());
            Loader loader = new Loader(new DhtClient(List.of(node), Duration.ofSeconds(2)), parallel);
            CompletableFuture<Throwable> outcome = new CompletableFuture<>();
            Thread thread = new Thread(() -> {
                try {
                    loader.load(lines(value), "lines", ItemFormat.TSV, bytes -> {});
                    outcome.complete(new AssertionError("loaded"));
                } catch (Throwable e) {
                    outcome.complete(e);
                }
            });
            thread.start();
            await().atMost(Duration.ofSeconds(30)).until(() -> thread.getState() == Thread.State.WAITING);
            thread.interrupt();
            return outcome.get(30, TimeUnit.SECONDS);
        }
    }

    private static InputStream lines(byte[] value) {
        Arrays.fill(value, (byte) 'v');
        List<InputStream> parts = new ArrayList<>();
        for (int i = 0; i < LINES; i++) {
            parts.add(new ByteArrayInputStream(("k" + i + "\t").getBytes(StandardCharsets.US_ASCII)));
            parts.add(new ByteArrayInputStream(value));
            parts.add(new ByteArrayInputStream(new byte[] {'\n'}));
        }
        return new SequenceInputStream(Collections.enumeration(parts));
    }
}
