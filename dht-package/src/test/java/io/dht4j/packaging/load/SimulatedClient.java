package io.dht4j.packaging.load;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A client of the service: writes a key and reads it again, each call at the next node that is ready, without a retry.
 */
final class SimulatedClient {

    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final String key;
    private final ClientLoad.Access access;
    private final IntPredicate isEndpoint;
    private final Queue<String> lost;
    private final AtomicInteger calls = new AtomicInteger();
    private int turn;
    /** Written by the thread of the calls, and read when these have ended. */
    private String last = "";

    /**
     * Creates a client.
     *
     * @param key that it writes and reads
     * @param access to the nodes
     * @param isEndpoint whether the node of an index is ready
     * @param lost gets a line for each call that fails, and for each value that is not found
     */
    SimulatedClient(String key, ClientLoad.Access access, IntPredicate isEndpoint, Queue<String> lost) {
        this.key = key;
        this.access = access;
        this.isEndpoint = isEndpoint;
        this.lost = lost;
    }

    /** The number of calls that succeeded. */
    int calls() {
        return calls.get();
    }

    /** Writes a new value and reads it. */
    void run() {
        String value = key + " " + calls.get();
        HttpResponse<String> put = send("PUT", value);
        if (put == null || put.statusCode() != 201) {
            return;
        }
        last = value;
        requireLast(send("GET", ""));
    }

    /** Reads the value that was written last, at a node. Not during {@link #run}. */
    void readAgain(URI node) {
        requireLast(send(node, "GET", ""));
    }

    private void requireLast(@Nullable HttpResponse<String> get) {
        if (get != null && !get.body().equals(last)) {
            lost.add("GET returns \"" + get.body() + "\" after PUT of \"" + last + "\"");
        }
    }

    private @Nullable HttpResponse<String> send(String method, String body) {
        int[] endpoints =
                IntStream.range(0, access.nodes().size()).filter(isEndpoint).toArray();
        if (endpoints.length == 0) {
            lost.add("no node is ready");
            return null;
        }
        return send(access.nodes().get(endpoints[Math.floorMod(turn++, endpoints.length)]), method, body);
    }

    private @Nullable HttpResponse<String> send(URI node, String method, String body) {
        HttpRequest.Builder request = HttpRequest.newBuilder(node.resolve("/v0/entity?id=" + key))
                .timeout(TIMEOUT)
                .method(method, BodyPublishers.ofString(body));
        access.headers().forEach(request::header);
        try {
            HttpResponse<String> response = access.http().send(request.build(), BodyHandlers.ofString());
            if (response.statusCode() / 100 == 2) {
                calls.incrementAndGet();
            } else {
                lost.add(method + " at " + node + ": " + response.statusCode() + " " + response.body());
            }
            return response;
        } catch (IOException e) {
            lost.add(method + " at " + node + ": " + e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return null;
    }
}
