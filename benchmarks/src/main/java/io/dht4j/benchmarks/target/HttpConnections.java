package io.dht4j.benchmarks.target;

import io.vertx.core.AsyncResult;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientConnection;
import io.vertx.core.http.HttpConnectOptions;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;

/**
 * The connections of an event loop to one node, and the calls that wait for one. All are opened with the first call and used in turn,
 * so that none falls silent and is closed: a pool that opens connections when it runs out of them would do so just when the node or
 * the load has paused, and make the pause longer. On its event loop only.
 */
final class HttpConnections {

    private final HttpClientAgent client;
    private final HttpConnectOptions node;
    private final int count;
    private final Set<HttpClientConnection> open = new HashSet<>();
    /** The longest unused comes first. */
    private final Deque<HttpClientConnection> free = new ArrayDeque<>();

    private final Deque<HttpCall> waiting = new ArrayDeque<>();
    private int opening;

    HttpConnections(HttpClientAgent client, HttpAddress address, int count) {
        this.client = client;
        this.node = new HttpConnectOptions().setHost(address.host()).setPort(address.port());
        this.count = count;
    }

    /** Begins a call, as soon as a connection is free. */
    void begin(HttpCall call) {
        HttpClientConnection connection = free.pollFirst();
        if (connection != null) {
            begin(call, connection);
            return;
        }
        waiting.addLast(call);
        openAll();
    }

    private void begin(HttpCall call, HttpClientConnection connection) {
        call.begin(connection, () -> released(connection));
    }

    private void openAll() {
        for (int missing = count - open.size() - opening; missing > 0; missing--) {
            opening++;
            client.connect(node).onComplete(this::opened);
        }
    }

    private void opened(AsyncResult<HttpClientConnection> result) {
        opening--;
        if (result.failed()) {
            if (open.isEmpty() && opening == 0) {
                waiting.forEach(call -> call.failBy(result.cause()));
                waiting.clear();
            }
            return;
        }
        HttpClientConnection connection = result.result();
        open.add(connection);
        connection.closeHandler(closed -> closed(connection));
        released(connection);
    }

    private void released(HttpClientConnection connection) {
        if (!open.contains(connection)) {
            return;
        }
        for (HttpCall next = waiting.pollFirst(); next != null; next = waiting.pollFirst()) {
            if (!next.result().isDone()) {
                begin(next, connection);
                return;
            }
        }
        free.addLast(connection);
    }

    private void closed(HttpClientConnection connection) {
        open.remove(connection);
        free.remove(connection);
        waiting.removeIf(call -> call.result().isDone());
        if (!waiting.isEmpty()) {
            openAll();
        }
    }
}
