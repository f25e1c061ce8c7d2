package io.dht4j.transport.grpc.internal.connections;

import io.dht4j.transport.common.HandshakeQueue;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.ChannelInboundHandlerAdapter;
import io.grpc.netty.shaded.io.netty.channel.ServerChannel;
import io.grpc.netty.shaded.io.netty.util.concurrent.EventExecutor;
import java.net.SocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Closes connections over a limit as soon as they are accepted. gRPC itself accepts any number of connections, and
 * reports each only after its handshake. The handler therefore belongs to the listening socket, which passes on
 * accepted connections. While many connections are about to close, it accepts no further ones: these wait in the
 * backlog of the system. One for each listener.
 */
public final class AcceptHandler extends ChannelInboundHandlerAdapter {

    private final ConnectionLimit limit;
    private final BooleanSupplier giveWay;
    private final Consumer<Channel> prepare;
    private final Map<EventExecutor, HandshakeQueue> handshakes = new ConcurrentHashMap<>();

    // Guarded by this.
    private boolean paused;

    private AcceptHandler(ConnectionLimit limit, BooleanSupplier giveWay, Consumer<Channel> prepare) {
        this.limit = limit;
        this.giveWay = giveWay;
        this.prepare = prepare;
    }

    /**
     * Installs a limit in front of a listener's own handling.
     *
     * @param giveWay makes a connection leave for a new one when all places are taken, or returns false
     * @param prepare receives the admitted connections
     */
    public static ServerChannel limiting(
            ServerChannel listener, ConnectionLimit limit, BooleanSupplier giveWay, Consumer<Channel> prepare) {
        listener.pipeline().addLast(new AcceptHandler(limit, giveWay, prepare));
        return listener;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        Channel connection = (Channel) message;
        SocketAddress remote = connection.remoteAddress();
        if (!limit.enter(remote, giveWay)) {
            connection.unsafe().closeForcibly();
            return;
        }
        try {
            prepare.accept(connection);
            connection.pipeline().addFirst(new HandshakeGate(handshakes, ConnectionLimit.caller(remote)));
            connection.closeFuture().addListener(gone -> {
                limit.leave(remote);
                resume(context.channel());
            });
        } catch (RuntimeException | Error e) {
            // A connection that has no event loop yet never reports its end.
            limit.leave(remote);
            connection.unsafe().closeForcibly();
            throw e;
        }
        pause(context.channel());
        context.fireChannelRead(message);
    }

    private synchronized void pause(Channel listener) {
        if (limit.isCrowded()) {
            paused = true;
            listener.config().setAutoRead(false);
        }
    }

    private synchronized void resume(Channel listener) {
        if (paused && !limit.isCrowded() && listener.isOpen()) {
            paused = false;
            listener.config().setAutoRead(true);
        }
    }
}
