package io.dht4j.transport.grpc.internal.loops;

import io.dht4j.transport.common.ThreadWatch;
import io.dht4j.transport.grpc.internal.wire.RecordBatch;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.EventLoop;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.IoHandlerFactory;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.ServerChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.Epoll;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollIoHandler;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollServerSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.nio.NioIoHandler;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioServerSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioSocketChannel;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import io.grpc.netty.shaded.io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The event loops of one transport or server, on epoll where it is available, else on NIO. Safe for use by any number
 * of threads.
 */
public final class EventLoops {

    private final boolean epoll = Epoll.isAvailable();
    private final EventLoopGroup group;
    private final List<Loop> loops = new ArrayList<>();
    private final AtomicInteger turn = new AtomicInteger();
    private final ThreadWatch watch;

    /** Starts this many threads; {@code threadName} is the beginning of their names. */
    public EventLoops(int threads, String threadName) {
        IoHandlerFactory io = epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
        this.watch = ThreadWatch.start(
                threadName + "-watch", "an event loop of " + threadName + " has ended, most likely for lack of memory");
        // These threads accept the connections too.
        this.group = new MultiThreadIoEventLoopGroup(threads, watch.over(new DefaultThreadFactory(threadName)), io);
        for (EventExecutor loop : group) {
            loops.add(new Loop((EventLoop) loop, new RecordBatch()));
        }
    }

    /** Returns a stage that completes, on any thread, when an event loop ends without having been closed. */
    public CompletionStage<String> failure() {
        return watch.failure();
    }

    /** Returns all loops, for a listener. */
    public EventLoopGroup group() {
        return group;
    }

    /** Returns one loop after the other, round-robin. */
    public Loop next() {
        return loops.get(Math.floorMod(turn.getAndIncrement(), loops.size()));
    }

    /** Returns the loop that the caller runs on. */
    public Loop current() {
        for (Loop loop : loops) {
            if (loop.isCurrent()) {
                return loop;
            }
        }
        throw new IllegalStateException(Thread.currentThread() + " is none of the event loops");
    }

    /** Returns the type of the connections that these loops can serve. */
    public Class<? extends Channel> channelType() {
        return epoll ? EpollSocketChannel.class : NioSocketChannel.class;
    }

    /** Returns a listening socket that these loops can serve. */
    public ServerChannel newServerChannel() {
        return epoll ? new EpollServerSocketChannel() : new NioServerSocketChannel();
    }

    /** Ends the threads. Blocks for at most the bound. Returns false if they still run then. */
    public boolean close(Duration bound) {
        watch.close();
        return group.shutdownGracefully(0, bound.toMillis(), TimeUnit.MILLISECONDS)
                .awaitUninterruptibly(bound.toMillis());
    }

    /**
     * An event loop.
     *
     * @param executor runs tasks on it
     * @param batch for messages that are assembled and written within one task
     */
    public record Loop(EventLoop executor, RecordBatch batch) {

        /** Returns whether the caller runs on this loop. */
        public boolean isCurrent() {
            return executor.inEventLoop();
        }
    }
}
