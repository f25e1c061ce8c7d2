package io.dht4j.benchmarks.target;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;

/** The calls of one event loop, and its connections: an operation stays on its thread. */
final class HttpLoop {

    /** How late a call may expire: one look at all of them now and then does without a timer for each. */
    private static final long TICK_MILLIS = 20;

    private static final int WAIT_DIGITS = 3;

    private final EventLoop loop;
    private final Bootstrap bootstrap;
    private final int connections;
    private final Future<?> ticking;
    /** How long calls waited for the event loop, in nanoseconds; written on the event loop. */
    private final SingleWriterRecorder waits = new SingleWriterRecorder(WAIT_DIGITS);
    // On the event loop only.
    private final Map<HttpAddress, HttpConnections> nodes = new HashMap<>();
    private boolean closed;

    /**
     * No connection yet.
     *
     * @param connections to each node
     * @param bootstrap what opens connections, but for the event loop
     */
    HttpLoop(EventLoop loop, int connections, Bootstrap bootstrap) {
        this.loop = loop;
        this.connections = connections;
        this.bootstrap = bootstrap.clone(loop);
        this.ticking = loop.scheduleWithFixedDelay(this::expire, TICK_MILLIS, TICK_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Begins a call. For any thread. */
    void submit(HttpCall call) {
        long handed = System.nanoTime();
        try {
            loop.execute(() -> {
                waits.recordValue(Math.max(0, System.nanoTime() - handed));
                begin(call);
            });
        } catch (RejectedExecutionException e) {
            call.closed();
        }
    }

    /** How long calls waited for the event loop since this was last asked, in nanoseconds. For any thread. */
    Histogram takeWaits() {
        return waits.getIntervalHistogram();
    }

    /** Ends all calls, and refuses further ones. For any thread. */
    Future<?> close() {
        return loop.submit(() -> {
            closed = true;
            ticking.cancel(false);
            nodes.values().forEach(HttpConnections::close);
        });
    }

    private void begin(HttpCall call) {
        if (closed) {
            call.closed();
            return;
        }
        nodes.computeIfAbsent(call.address(), node -> new HttpConnections(loop, bootstrap, node, connections))
                .begin(call);
    }

    private void expire() {
        long now = System.nanoTime();
        nodes.values().forEach(node -> node.expire(now));
    }
}
