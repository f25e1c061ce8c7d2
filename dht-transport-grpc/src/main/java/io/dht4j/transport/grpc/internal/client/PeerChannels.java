package io.dht4j.transport.grpc.internal.client;

import io.dht4j.Node;
import io.dht4j.transport.common.BoundedWait;
import io.dht4j.transport.common.calls.ConnectionCount;
import io.dht4j.transport.grpc.internal.loops.EventLoops;
import io.dht4j.transport.grpc.internal.tls.PeerTls;
import io.dht4j.transport.grpc.internal.wire.FlowControl;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Opens the channels to peers. Each channel connects once. A failed channel is discarded: its own back-off before the
 * next attempt would delay the use of a restarted peer. Safe for use by any number of threads.
 */
final class PeerChannels {

    private final PeerOptions options;
    private final ExecutorService names;
    private final Set<ManagedChannel> channels = ConcurrentHashMap.newKeySet();
    private volatile @Nullable PeerTls tls;
    private volatile boolean closed;

    PeerChannels(PeerOptions options) {
        this.options = options;
        // The queue holds at most one entry for each channel that connects.
        ThreadPoolExecutor executor = new ThreadPoolExecutor(
                1, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> new Thread(task, "dht4j-grpc-names"));
        executor.allowCoreThreadTimeOut(true);
        this.names = executor;
    }

    /** Opens channels with TLS from now on. */
    void secure(PeerTls with) {
        tls = with;
    }

    /** The address on which a peer listens. */
    record Target(Node node, String host, int port) {

        static Target of(Node node) {
            return new Target(node, node.host(), node.port());
        }
    }

    /**
     * Opens a channel whose connection lives on one event loop. The caller returns it with {@link #close}.
     *
     * @param count counts the connection
     */
    ManagedChannel open(Target target, EventLoops loops, EventLoops.Loop loop, int maxMessage, ConnectionCount count) {
        NettyChannelBuilder builder = builder(target)
                .eventLoopGroup(loop.executor())
                .channelType(loops.channelType())
                .withOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int)
                        options.common().connectTimeout().toMillis())
                .withOption(ChannelOption.TCP_NODELAY, true)
                .flowControlWindow(FlowControl.WINDOW)
                .maxInboundMessageSize(maxMessage)
                .keepAliveTime(20, TimeUnit.SECONDS)
                .keepAliveTimeout(10, TimeUnit.SECONDS)
                .idleTimeout(options.common().keepAlive().toMillis(), TimeUnit.MILLISECONDS);
        PeerTls secure = tls;
        if (secure == null) {
            builder.usePlaintext();
        } else {
            builder.sslContext(secure.calling(target.node().id()));
        }
        ManagedChannel channel = builder.directExecutor()
                .offloadExecutor(names)
                .disableServiceConfigLookUp()
                .proxyDetector(address -> null)
                .disableRetry()
                .build();
        // Closed channels stay until they have ended, because their calls end with them.
        channels.removeIf(ManagedChannel::isTerminated);
        channels.add(channel);
        count(channel, ConnectivityState.IDLE, count);
        // Closing sets its flag first and searches for channels afterwards.
        if (closed) {
            close(channel);
        }
        return channel;
    }

    /** Counts the change of a channel's connection since its last observed state. */
    private static void count(ManagedChannel channel, ConnectivityState before, ConnectionCount count) {
        channel.notifyWhenStateChanged(before, () -> {
            ConnectivityState now = channel.getState(false);
            // The state may have changed several times since, and be the same again.
            if (before == ConnectivityState.READY) {
                count.closed();
            }
            if (now == ConnectivityState.READY) {
                count.opened();
            } else if (now == ConnectivityState.TRANSIENT_FAILURE) {
                count.failed();
            }
            if (now != ConnectivityState.SHUTDOWN) {
                count(channel, now, count);
            }
        });
    }

    private static NettyChannelBuilder builder(Target target) {
        byte[] literal = NetUtil.createByteArrayFromIpAddressString(target.host());
        if (literal == null) {
            return NettyChannelBuilder.forTarget("dns:///" + target.host() + ":" + target.port());
        }
        try {
            return NettyChannelBuilder.forAddress(
                    new InetSocketAddress(InetAddress.getByAddress(literal), target.port()));
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("neither 4 nor 16 bytes: " + target.host(), e);
        }
    }

    /** Ends a channel and every call on it soon afterwards. Does not block. */
    void close(ManagedChannel channel) {
        channel.shutdownNow();
    }

    /**
     * Ends all channels. Blocks until {@code end} at most, a moment of {@link System#nanoTime()}. Returns false if some
     * channels are still open then.
     */
    boolean close(long end) {
        closed = true;
        Set<ManagedChannel> closing = Set.copyOf(channels);
        closing.forEach(this::close);
        names.shutdown();
        boolean gone = true;
        for (ManagedChannel channel : closing) {
            gone &= BoundedWait.until(end, channel::awaitTermination);
        }
        boolean ended = BoundedWait.until(end, names::awaitTermination);
        return gone && ended;
    }
}
