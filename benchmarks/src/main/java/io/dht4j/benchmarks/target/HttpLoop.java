package io.dht4j.benchmarks.target;

import io.dht4j.benchmarks.load.LoadException;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.PoolOptions;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;
import org.jspecify.annotations.Nullable;

/**
 * The calls of one event loop, and its connections. All calls have the same timeout, so that they expire in the order in which
 * they came: one look at the oldest every now and then does without a timer for each.
 */
final class HttpLoop extends VerticleBase {

    /** How late a call may expire. */
    private static final long TICK_MILLIS = 20;

    private static final int WAIT_DIGITS = 3;

    private final int connections;
    private final int connectTimeoutMillis;
    /** How long calls waited for the event loop, in nanoseconds; written on the event loop. */
    private final SingleWriterRecorder waits = new SingleWriterRecorder(WAIT_DIGITS);
    // On the event loop only.
    private final Deque<HttpCall> calls = new ArrayDeque<>();
    private final Map<HttpAddress, HttpConnections> nodes = new HashMap<>();
    private @Nullable HttpClientAgent client;

    HttpLoop(int connections, int connectTimeoutMillis) {
        this.connections = connections;
        this.connectTimeoutMillis = connectTimeoutMillis;
    }

    @Override
    public Future<?> start() {
        client = vertx.createHttpClient(
                new HttpClientOptions().setTcpNoDelay(true).setConnectTimeout(connectTimeoutMillis),
                // Connections are opened by hand; the pool has none.
                new PoolOptions().setHttp1MaxSize(1));
        vertx.setPeriodic(TICK_MILLIS, tick -> expire(System.nanoTime()));
        return Future.succeededFuture();
    }

    @Override
    public Future<?> stop() {
        client = null;
        calls.forEach(call -> call.fail(closed()));
        calls.clear();
        return Future.succeededFuture();
    }

    private static LoadException closed() {
        return new LoadException("closed", "the target is closed");
    }

    /**
     * Begins a call. For any thread.
     *
     * @throws RejectedExecutionException if the event loop has ended
     */
    void submit(HttpAddress address, HttpCall call) {
        long handed = System.nanoTime();
        context.runOnContext(here -> {
            waits.recordValue(Math.max(0, System.nanoTime() - handed));
            begin(address, call);
        });
    }

    /** How long calls waited for the event loop since this was last asked, in nanoseconds. For any thread. */
    Histogram takeWaits() {
        return waits.getIntervalHistogram();
    }

    private void begin(HttpAddress address, HttpCall call) {
        HttpClientAgent open = client;
        if (open == null) {
            call.fail(closed());
            return;
        }
        expire(System.nanoTime());
        calls.addLast(call);
        nodes.computeIfAbsent(address, node -> new HttpConnections(open, node, connections))
                .begin(call);
    }

    /** Ends calls that are due, and forgets those that have ended. */
    private void expire(long now) {
        for (HttpCall oldest = calls.peekFirst(); oldest != null && oldest.hasEnded(now); oldest = calls.peekFirst()) {
            calls.removeFirst();
        }
    }
}
