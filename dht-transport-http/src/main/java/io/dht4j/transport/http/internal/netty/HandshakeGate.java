package io.dht4j.transport.http.internal.netty;

import io.dht4j.transport.common.CallerNetwork;
import io.dht4j.transport.common.HandshakeQueue;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the received bytes of a TLS handshake until the queue serves its connection, so that handshakes do not delay
 * the calls of peers on the event loop. Until then the connection reads no further bytes: a client may send a large
 * request right after its handshake. Precedes the handler of TLS, and is removed from the connection after the
 * handshake, or at its first bytes if there is no TLS. For the connection's event loop.
 */
final class HandshakeGate extends ChannelInboundHandlerAdapter {

    private final Map<EventExecutor, HandshakeQueue> queues;
    private final CallerNetwork source;
    private final Queue<ByteBuf> waiting = new ArrayDeque<>(2);
    /** The step in the queue, if one waits there. */
    private @Nullable Runnable step;

    /**
     * Creates the gate of a connection.
     *
     * @param queues the queues of the listener's event loops, which are made when they are needed
     * @param source from where the connection comes
     */
    HandshakeGate(Map<EventExecutor, HandshakeQueue> queues, CallerNetwork source) {
        this.queues = queues;
        this.source = source;
    }

    private static HandshakeQueue on(EventExecutor loop) {
        return new HandshakeQueue(System::nanoTime, (task, nanos) -> loop.schedule(task, nanos, TimeUnit.NANOSECONDS));
    }

    private static boolean isOver(ChannelHandlerContext context) {
        SslHandler tls = context.pipeline().get(SslHandler.class);
        return tls == null || tls.handshakeFuture().isDone();
    }

    private HandshakeQueue queue(ChannelHandlerContext context) {
        return queues.computeIfAbsent(context.executor(), HandshakeGate::on);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (!(message instanceof ByteBuf bytes) || (step == null && isOver(context))) {
            context.fireChannelRead(message);
            if (!context.isRemoved()) {
                context.pipeline().remove(this);
            }
            return;
        }
        waiting.add(bytes);
        if (step == null) {
            Runnable next = () -> proceed(context);
            step = next;
            queue(context).run(source, next);
            if (step != null) {
                context.channel().config().setAutoRead(false);
            }
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        // Otherwise the handler of TLS would ask for more bytes.
        if (step == null) {
            context.fireChannelReadComplete();
        }
    }

    private void proceed(ChannelHandlerContext context) {
        step = null;
        // Before the bytes are passed on: their handlers may pause the connection themselves.
        context.channel().config().setAutoRead(true);
        for (ByteBuf next = waiting.poll(); next != null; next = waiting.poll()) {
            context.fireChannelRead(next);
        }
        context.fireChannelReadComplete();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        release(context);
        context.fireChannelInactive();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        release(context);
    }

    private void release(ChannelHandlerContext context) {
        Runnable ended = step;
        if (ended != null) {
            step = null;
            queue(context).remove(source, ended);
        }
        for (ByteBuf next = waiting.poll(); next != null; next = waiting.poll()) {
            next.release();
        }
    }
}
