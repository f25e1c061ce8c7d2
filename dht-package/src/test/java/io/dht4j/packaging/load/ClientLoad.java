package io.dht4j.packaging.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * Clients that write and read until the end, each a key of its own. No call of theirs may fail, and no value be lost.
 * Its methods are for the thread of the test.
 */
public final class ClientLoad implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final int CLIENTS = 4;
    private static final int PAUSE_MILLIS = 20;

    /** Of each client, so that some have begun after the wait. */
    private static final int CALLS = 10;

    private final Access access;
    private final Queue<String> lost = new ConcurrentLinkedQueue<>();
    private final List<SimulatedClient> clients;
    private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(CLIENTS);

    /**
     * How nodes are reached.
     *
     * @param http sends the requests
     * @param nodes their URLs
     * @param headers of each request
     */
    public record Access(HttpClient http, List<URI> nodes, Map<String, String> headers) {

        /** Returns the access to nodes on this machine, in plaintext and without tokens. */
        public static Access plaintext(List<Integer> ports) {
            return new Access(
                    HttpClient.newHttpClient(),
                    ports.stream()
                            .map(port -> URI.create("http://127.0.0.1:" + port))
                            .toList(),
                    Map.of());
        }
    }

    private ClientLoad(Access access, IntPredicate isEndpoint) {
        this.access = access;
        this.clients = IntStream.range(0, CLIENTS)
                .mapToObj(i -> new SimulatedClient("key" + i, access, isEndpoint, lost))
                .toList();
    }

    /**
     * Starts the clients.
     *
     * @param access to the nodes
     * @param isEndpoint whether the node of an index gets calls
     */
    public static ClientLoad start(Access access, IntPredicate isEndpoint) {
        ClientLoad load = new ClientLoad(access, isEndpoint);
        load.clients.forEach(
                client -> load.threads.scheduleWithFixedDelay(client::run, 0, PAUSE_MILLIS, TimeUnit.MILLISECONDS));
        return load;
    }

    /** Returns how many calls have succeeded. */
    public int calls() {
        return clients.stream().mapToInt(SimulatedClient::calls).sum();
    }

    /** Waits for calls of each client that have begun after this. */
    public void awaitCalls() {
        List<Integer> before = clients.stream().map(SimulatedClient::calls).toList();
        await().atMost(PATIENCE)
                .until(() -> !lost.isEmpty()
                        || IntStream.range(0, CLIENTS)
                                .allMatch(i -> clients.get(i).calls() > before.get(i) + CALLS));
        assertThat(lost).isEmpty();
    }

    /** Ends the clients, and requires that each node returns the last values. */
    public void endAndReadAgain() throws InterruptedException {
        close();
        assertThat(threads.awaitTermination(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .isTrue();
        access.nodes().forEach(node -> clients.forEach(client -> client.readAgain(node)));
        assertThat(lost).isEmpty();
    }

    /** Ends the clients after their next call. */
    @Override
    public void close() {
        threads.shutdown();
    }
}
