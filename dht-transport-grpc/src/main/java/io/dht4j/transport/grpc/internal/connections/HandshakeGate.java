package io.dht4j.transport.grpc.internal.connections;

import io.dht4j.transport.common.CallerNetwork;
import io.dht4j.transport.common.HandshakeQueue;
import io.grpc.netty.shaded.io.netty.buffer.ByteBuf;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.ChannelInboundHandlerAdapter;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslHandler;
import io.grpc.netty.shaded.io.netty.util.concurrent.EventExecutor;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.TimeUnit;

/**
 * Keeps what has come of a TLS handshake until it is the turn of its connection, so that handshakes do not take the
 * event loop from the calls of peers. Precedes the handler of TLS, and leaves the connection after the handshake, or at
 * its first bytes if there is no TLS. For the connection's event loop.
 */
final class HandshakeGate extends ChannelInboundHandlerAdapter {

    /** More than one flight of a client with a long chain of certificates. */
    private static final int MOST_WAITING = 128 << 10;

    private final Map<EventExecutor, HandshakeQueue> queues;
    private final CallerNetwork source;
    private final Queue<ByteBuf> waiting = new ArrayDeque<>(2);
    private int waitingBytes;
    private boolean queued;

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

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (!(message instanceof ByteBuf bytes) || (!queued && isOver(context))) {
            context.fireChannelRead(message);
            if (!context.isRemoved()) {
                context.pipeline().remove(this);
            }
            return;
        }
        waiting.add(bytes);
        waitingBytes += bytes.readableBytes();
        if (waitingBytes > MOST_WAITING) {
            release();
            context.close();
        } else if (!queued) {
            queued = true;
            queues.computeIfAbsent(context.executor(), HandshakeGate::on).run(source, () -> proceed(context));
        }
    }

    private void proceed(ChannelHandlerContext context) {
        queued = false;
        waitingBytes = 0;
        if (waiting.isEmpty()) {
            return;
        }
        for (ByteBuf next = waiting.poll(); next != null; next = waiting.poll()) {
            context.fireChannelRead(next);
        }
        context.fireChannelReadComplete();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        release();
        context.fireChannelInactive();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        release();
    }

    private void release() {
        waitingBytes = 0;
        for (ByteBuf next = waiting.poll(); next != null; next = waiting.poll()) {
            next.release();
        }
    }
}
