package io.dht4j.benchmarks.load.client;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;

/** The calls and connections of one event loop. An operation stays on its thread. */
final class HttpLoop {

    /** The greatest delay of an expiry: one periodic check of all calls replaces a timer for each. */
    private static final long TICK_MILLIS = 20;

    private static final int WAIT_DIGITS = 3;

    private final EventLoop loop;
    private final Bootstrap bootstrap;
    private final Optional<SSLContext> tls;
    private final int connections;
    private final Future<?> ticking;
    /** Times for which calls waited for the event loop, in nanoseconds; written on the event loop. */
    private final SingleWriterRecorder waits = new SingleWriterRecorder(WAIT_DIGITS);
    /** Times for which calls waited for a free connection, in nanoseconds; written on the event loop. */
    private final SingleWriterRecorder connectionWaits = new SingleWriterRecorder(WAIT_DIGITS);
    // Confined to the event loop.
    private final Map<HttpAddress, HttpConnections> nodes = new HashMap<>();
    private boolean closed;

    /**
     * Creates an instance without connections.
     *
     * @param connections to each node
     * @param bootstrap opens connections; its event loop is set here
     * @param tls encrypts them
     */
    HttpLoop(EventLoop loop, int connections, Bootstrap bootstrap, Optional<SSLContext> tls) {
        this.loop = loop;
        this.connections = connections;
        this.tls = tls;
        this.bootstrap = bootstrap.clone(loop);
        this.ticking = loop.scheduleWithFixedDelay(this::expire, TICK_MILLIS, TICK_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Begins a call. Any thread may call it. */
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

    /**
     * Returns for how long calls waited for the event loop since the last call of this method, in nanoseconds. Any
     * thread may call it.
     */
    Histogram takeWaits() {
        return waits.getIntervalHistogram();
    }

    /**
     * Returns for how long calls waited for a free connection since the last call of this method, in nanoseconds. Any
     * thread may call it.
     */
    Histogram takeConnectionWaits() {
        return connectionWaits.getIntervalHistogram();
    }

    /** Ends all calls, and refuses further ones. Any thread may call it. */
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
        nodes.computeIfAbsent(call.address(), this::connect).begin(call);
    }

    private HttpConnections connect(HttpAddress node) {
        return new HttpConnections(loop, bootstrap, node, connections, tls, connectionWaits::recordValue);
    }

    private void expire() {
        long now = System.nanoTime();
        nodes.values().forEach(node -> node.expire(now));
    }
}
