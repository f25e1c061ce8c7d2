package io.dht4j.transport.grpc;

import io.dht4j.spi.FrameHandler;
import io.dht4j.transport.common.BoundedWait;
import io.dht4j.transport.grpc.internal.GrpcAccept;
import io.dht4j.transport.grpc.internal.GrpcConnectionLimit;
import io.dht4j.transport.grpc.internal.GrpcConnections;
import io.dht4j.transport.grpc.internal.GrpcFrameLimit;
import io.grpc.DecompressorRegistry;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The peer endpoint: one port that serves both methods. Safe for use by any number of threads. */
final class GrpcTransportServer {

    private static final Logger LOG = LoggerFactory.getLogger(GrpcTransportServer.class);

    /** The number of reset streams after which a peer loses its connection. An abandoned call resets its stream. */
    private static final int MAX_RESETS = 50_000;

    private static final int RESET_WINDOW_SECONDS = 1;

    /** Additional calls beyond the bound, so that they can be refused. */
    private static final int MORE_CALLS = 1000;

    private final FrameHandler frames;
    private final GrpcTransportOptions options;
    private final GrpcTransportLoops loops;
    private final @Nullable GrpcTransportTls tls;
    private final GrpcTransportAdmission admission;
    private final GrpcConnectionLimit limit;
    private final GrpcConnections connections = new GrpcConnections();
    private volatile @Nullable Server server;

    GrpcTransportServer(
            FrameHandler frames,
            GrpcTransportOptions options,
            GrpcTransportLoops loops,
            @Nullable GrpcTransportTls tls) {
        this.frames = frames;
        this.options = options;
        this.loops = loops;
        this.tls = tls;
        this.admission = new GrpcTransportAdmission(options);
        this.limit = GrpcConnectionLimit.of(
                "the transport at " + options.address(),
                options.listener().connections().max(),
                options.listener().connections().perAddress(),
                LOG::warn);
    }

    /** Binds the port. Blocks. */
    void start() throws IOException {
        InetSocketAddress address = new InetSocketAddress(
                InetAddress.getByName(options.address().host()),
                options.address().port());
        long idleNanos = options.listener().idleTimeout().toNanos();
        NettyServerBuilder builder = NettyServerBuilder.forAddress(address)
                .bossEventLoopGroup(loops.group())
                .workerEventLoopGroup(loops.group())
                .channelFactory(() -> GrpcAccept.limiting(
                        loops.newServerChannel(), limit, connections::strangerGivesWay, this::prepare))
                .addTransportFilter(connections.filter())
                .withOption(ChannelOption.SO_REUSEADDR, true)
                .withOption(ChannelOption.SO_BACKLOG, 1024)
                .withChildOption(ChannelOption.TCP_NODELAY, true)
                .flowControlWindow(GrpcTransportChannels.FLOW_CONTROL_WINDOW)
                .maxInboundMessageSize(Math.max(options.limits().maxFrameBytes(), GrpcTransportRecord.MAX_MESSAGE))
                .handshakeTimeout(Math.min(idleNanos, TimeUnit.SECONDS.toNanos(10)), TimeUnit.NANOSECONDS)
                .maxConnectionIdle(idleNanos, TimeUnit.NANOSECONDS)
                .keepAliveTime(Math.max(TimeUnit.SECONDS.toNanos(1), idleNanos / 2), TimeUnit.NANOSECONDS)
                .keepAliveTimeout(10, TimeUnit.SECONDS)
                .permitKeepAliveTime(5, TimeUnit.SECONDS)
                .permitKeepAliveWithoutCalls(true)
                .maxConcurrentCallsPerConnection(options.limits().maxInFlight() + MORE_CALLS)
                .maxRstFramesPerWindow(MAX_RESETS, RESET_WINDOW_SECONDS);
        if (tls != null) {
            builder.sslContext(tls.listening()).addTransportFilter(tls.callers(frames));
        }
        server = builder.directExecutor()
                .addStreamTracerFactory(InboundByteMeter.factory())
                // Decompression could turn a small frame into a large one, unseen by the count of received bytes.
                .decompressorRegistry(DecompressorRegistry.emptyInstance())
                .addService(service())
                .build()
                .start();
    }

    private ServerServiceDefinition service() {
        return ServerServiceDefinition.builder(GrpcTransportMethods.SERVICE)
                .addMethod(
                        GrpcTransportMethods.unary(options.limits().maxFrameBytes()),
                        (call, headers) -> GrpcTransportUnaryExchange.begin(call, headers, frames, admission))
                .addMethod(
                        GrpcTransportMethods.stream(),
                        (call, headers) -> GrpcTransportServerStream.begin(
                                call, headers, frames, admission, loops.current(), options))
                .build();
    }

    private void prepare(Channel connection) {
        GrpcFrameLimit.watch(connection);
        connections.accepted(connection);
        if (tls != null) {
            connection.pipeline().addLast(new GrpcTransportHandshakes(tls.refused()));
        }
    }

    /** Returns the bound port; 0 before. */
    int port() {
        Server listening = server;
        return listening == null ? 0 : listening.getPort();
    }

    int inFlight() {
        return admission.inFlight();
    }

    long inFlightBytes() {
        return admission.inFlightBytes();
    }

    /** Returns the number of open connections. */
    int connections() {
        return limit.open();
    }

    /**
     * Refuses further requests, and blocks until those in flight have been answered. Returns false if they are not in
     * time.
     */
    boolean drain(Duration timeout) {
        return admission.drain(timeout);
    }

    /**
     * Stops listening and ends all connections. Blocks until {@code end} at most, a moment of
     * {@link System#nanoTime()}. Returns false if it took longer.
     */
    boolean close(long end) {
        Server listening = server;
        if (listening == null) {
            return true;
        }
        listening.shutdownNow();
        return BoundedWait.until(end, listening::awaitTermination);
    }
}
