package io.dht4j.benchmarks.target;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.HttpRequestEncoder;
import io.netty.handler.codec.http.HttpResponseDecoder;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The connections of an event loop to one node, and the calls that wait for one. All are opened with the first call and
 * used in turn, so that none falls silent and is closed: a pool that opens connections when it runs out of them would
 * do so just when the node or the load has paused, and make the pause longer. On its event loop only.
 */
final class HttpConnections {

    private final EventLoop loop;
    private final Bootstrap bootstrap;
    private final int count;
    private final Set<HttpConnection> open = new HashSet<>();
    /** The longest unused comes first. */
    private final Deque<HttpConnection> free = new ArrayDeque<>();

    private final Deque<HttpCall> waiting = new ArrayDeque<>();
    private int opening;

    /**
     * No connection yet.
     *
     * @param bootstrap what opens them, on the event loop; without a handler and an address
     */
    HttpConnections(EventLoop loop, Bootstrap bootstrap, HttpAddress address, int count) {
        this.loop = loop;
        this.count = count;
        this.bootstrap = bootstrap
                .clone()
                .remoteAddress(address.host(), address.port())
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline()
                                .addLast(
                                        new HttpRequestEncoder(),
                                        new HttpResponseDecoder(),
                                        new HttpConnection(HttpConnections.this, channel));
                    }
                });
    }

    /** Begins a call, as soon as a connection is free. */
    void begin(HttpCall call) {
        for (HttpConnection connection = free.pollFirst(); connection != null; connection = free.pollFirst()) {
            if (connection.isOpen()) {
                connection.begin(call);
                return;
            }
        }
        waiting.addLast(call);
        openAll();
    }

    /** Ends the calls whose time is over. */
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
                    // A channel that could not even be made has no event loop.
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

    /** Another call may use a connection. */
    void released(HttpConnection connection) {
        for (HttpCall next = waiting.pollFirst(); next != null; next = waiting.pollFirst()) {
            if (!next.isOver()) {
                connection.begin(next);
                return;
            }
        }
        free.addLast(connection);
    }

    /** A connection has ended. */
    void closed(HttpConnection connection) {
        open.remove(connection);
        free.remove(connection);
        if (!waiting.isEmpty()) {
            openAll();
        }
    }
}
