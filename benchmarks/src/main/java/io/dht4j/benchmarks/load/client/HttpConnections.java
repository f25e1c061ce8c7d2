package io.dht4j.benchmarks.load.client;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.HttpRequestEncoder;
import io.netty.handler.codec.http.HttpResponseDecoder;
import io.netty.handler.ssl.SslHandler;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongConsumer;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;

/**
 * The connections of an event loop to one node, and the calls that wait for one. The first call opens all, and calls
 * use them round-robin, so that none becomes idle and closes. A pool that opens connections on demand would do so right
 * after a pause of the node or the load, and prolong the pause. Confined to its event loop.
 */
final class HttpConnections {

    private final EventLoop loop;
    private final Bootstrap bootstrap;
    private final int count;
    private final LongConsumer waits;
    private final Set<HttpConnection> open = new HashSet<>();
    /** Free connections; the longest unused is first. */
    private final Deque<HttpConnection> free = new ArrayDeque<>();

    private final Deque<HttpCall> waiting = new ArrayDeque<>();
    private int opening;

    /**
     * Creates an instance without connections.
     *
     * @param bootstrap opens them on the event loop; has neither handler nor address
     * @param tls encrypts them
     * @param waits receives for how long each call waited for a free connection, in nanoseconds
     */
    HttpConnections(
            EventLoop loop,
            Bootstrap bootstrap,
            HttpAddress address,
            int count,
            Optional<SSLContext> tls,
            LongConsumer waits) {
        this.loop = loop;
        this.count = count;
        this.waits = waits;
        this.bootstrap = bootstrap
                .clone()
                .remoteAddress(address.host(), address.port())
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        tls.ifPresent(context -> channel.pipeline().addLast(new SslHandler(engine(context, address))));
                        channel.pipeline()
                                .addLast(
                                        new HttpRequestEncoder(),
                                        new HttpResponseDecoder(),
                                        new HttpConnection(HttpConnections.this, channel));
                    }
                });
    }

    /** Returns the client's side of an encrypted connection, which checks the name of the node's certificate. */
    private static SSLEngine engine(SSLContext context, HttpAddress address) {
        SSLEngine engine = context.createSSLEngine(address.host(), address.port());
        engine.setUseClientMode(true);
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        engine.setSSLParameters(parameters);
        return engine;
    }

    /** Begins a call when a connection is free. */
    void begin(HttpCall call) {
        for (HttpConnection connection = free.pollFirst(); connection != null; connection = free.pollFirst()) {
            if (connection.isOpen()) {
                waits.accept(0);
                connection.begin(call);
                return;
            }
        }
        call.waits();
        waiting.addLast(call);
        openAll();
    }

    /** Ends the calls whose deadline has passed. */
    void expire(long now) {
        for (HttpConnection connection : List.copyOf(open)) {
            if (connection.call().filter(call -> call.isDue(now)).isPresent()) {
                connection.call().ifPresent(HttpCall::expire);
                connection.close();
            }
        }
        waiting.stream().filter(call -> call.isDue(now)).forEach(HttpCall::expire);
        waiting.removeIf(HttpCall::isOver);
    }

    /** Ends all calls and connections. */
    void close() {
        waiting.forEach(HttpCall::closed);
        waiting.clear();
        for (HttpConnection connection : List.copyOf(open)) {
            connection.call().ifPresent(HttpCall::closed);
            connection.close();
        }
    }

    private void openAll() {
        for (int missing = count - open.size() - opening; missing > 0; missing--) {
            opening++;
            ChannelFuture connecting = bootstrap.connect();
            connecting.addListener(done -> {
                if (loop.inEventLoop()) {
                    opened(connecting);
                } else {
                    // A channel that failed to be created has no event loop.
                    loop.execute(() -> opened(connecting));
                }
            });
        }
    }

    private void opened(ChannelFuture connected) {
        opening--;
        if (!connected.isSuccess()) {
            if (open.isEmpty() && opening == 0) {
                waiting.forEach(call -> call.failBy(connected.cause()));
                waiting.clear();
            }
            return;
        }
        HttpConnection connection = connected.channel().pipeline().get(HttpConnection.class);
        open.add(connection);
        released(connection);
    }

    /** Offers a free connection to the next call. */
    void released(HttpConnection connection) {
        for (HttpCall next = waiting.pollFirst(); next != null; next = waiting.pollFirst()) {
            if (!next.isOver()) {
                waits.accept(next.waitedNanos());
                connection.begin(next);
                return;
            }
        }
        free.addLast(connection);
    }

    /** Replaces a connection that has ended. */
    void closed(HttpConnection connection) {
        open.remove(connection);
        free.remove(connection);
        if (!waiting.isEmpty()) {
            openAll();
        }
    }
}
