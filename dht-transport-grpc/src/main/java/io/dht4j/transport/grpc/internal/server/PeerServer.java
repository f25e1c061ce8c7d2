package io.dht4j.transport.grpc.internal.server;

import io.dht4j.spi.FrameHandler;
import io.dht4j.transport.common.BoundedWait;
import io.dht4j.transport.common.options.PeerTransportOptions;
import io.dht4j.transport.grpc.internal.connections.AcceptHandler;
import io.dht4j.transport.grpc.internal.connections.ConnectionLimit;
import io.dht4j.transport.grpc.internal.connections.Connections;
import io.dht4j.transport.grpc.internal.connections.Http2FrameLimit;
import io.dht4j.transport.grpc.internal.loops.EventLoops;
import io.dht4j.transport.grpc.internal.loops.EventLoops.Loop;
import io.dht4j.transport.grpc.internal.tls.PeerTls;
import io.dht4j.transport.grpc.internal.wire.FlowControl;
import io.dht4j.transport.grpc.internal.wire.PeerMethods;
import io.dht4j.transport.grpc.internal.wire.RecordHead;
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
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The peer endpoint: one port that serves both methods. Safe for use by any number of threads. */
public final class PeerServer {

    private static final Logger LOG = LoggerFactory.getLogger(PeerServer.class);

    /** The number of reset streams after which a peer loses its connection. An abandoned call resets its stream. */
    private static final int MAX_RESETS = 50_000;

    private static final int RESET_WINDOW_SECONDS = 1;

    /** Additional calls beyond the bound, so that they can be refused. */
    private static final int MORE_CALLS = 1000;

    private final FrameHandler frames;
    private final PeerTransportOptions<?> options;
    private final EventLoops loops;
    private final @Nullable PeerTls tls;
    private final RequestAdmission admission;
    private final ConnectionLimit limit;
    private final Connections connections = new Connections();
    private final Map<Loop, IncompleteRequests> incomplete = new ConcurrentHashMap<>();
    private volatile @Nullable Server server;

    /**
     * Creates an endpoint that does not listen yet.
     *
     * @param tls the own certificate and the trusted ones; null for plaintext
     */
    public PeerServer(FrameHandler frames, PeerTransportOptions<?> options, EventLoops loops, @Nullable PeerTls tls) {
        this.frames = frames;
        this.options = options;
        this.loops = loops;
        this.tls = tls;
        this.admission = new RequestAdmission(options);
        this.limit = ConnectionLimit.of(
                "the transport at " + options.address(),
                options.listener().connections().max(),
                options.listener().connections().perAddress(),
                LOG::warn);
    }

    /** Binds the port. Blocks. */
    public void start() throws IOException {
        InetSocketAddress address = new InetSocketAddress(
                InetAddress.getByName(options.address().host()),
                options.address().port());
        long idleNanos = options.listener().idleTimeout().toNanos();
        NettyServerBuilder builder = NettyServerBuilder.forAddress(address)
                .bossEventLoopGroup(loops.group())
                .workerEventLoopGroup(loops.group())
                .channelFactory(() -> AcceptHandler.limiting(
                        loops.newServerChannel(), limit, connections::strangerGivesWay, this::prepare))
                .addTransportFilter(connections.filter())
                .withOption(ChannelOption.SO_REUSEADDR, true)
                .withOption(ChannelOption.SO_BACKLOG, 1024)
                .withChildOption(ChannelOption.TCP_NODELAY, true)
                .flowControlWindow(FlowControl.WINDOW)
                .maxInboundMessageSize(Math.max(options.limits().maxFrameBytes(), RecordHead.MAX_MESSAGE))
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
        return ServerServiceDefinition.builder(PeerMethods.SERVICE)
                .addMethod(
                        PeerMethods.unary(options.limits().maxFrameBytes()),
                        (call, headers) -> UnaryExchange.begin(call, headers, frames, admission, incomplete()))
                .addMethod(
                        PeerMethods.stream(),
                        (call, headers) ->
                                ServerStream.begin(call, headers, frames, admission, loops.current(), options))
                .build();
    }

    private IncompleteRequests incomplete() {
        Loop loop = loops.current();
        IncompleteRequests requests = incomplete.get(loop);
        return requests == null ? incomplete.computeIfAbsent(loop, this::newIncomplete) : requests;
    }

    private IncompleteRequests newIncomplete(Loop loop) {
        return new IncompleteRequests(loop, options.listener().idleTimeout().toNanos());
    }

    private void prepare(Channel connection) {
        Http2FrameLimit.watch(connection);
        connections.accepted(connection);
        if (tls != null) {
            connection.pipeline().addLast(tls.handshakeReport());
        }
    }

    /** Returns the bound port; 0 before. */
    public int port() {
        Server listening = server;
        return listening == null ? 0 : listening.getPort();
    }

    /** Returns the number of requests in flight. */
    public int inFlight() {
        return admission.inFlight();
    }

    /** Returns the number of bytes that are held for them. */
    public long inFlightBytes() {
        return admission.inFlightBytes();
    }

    /** Returns the number of open connections. */
    public int connections() {
        return limit.open();
    }

    /**
     * Refuses further requests, and blocks until those in flight have been answered. Returns false if they are not in
     * time.
     */
    public boolean drain(Duration timeout) {
        return admission.drain(timeout);
    }

    /**
     * Stops listening and ends all connections. Blocks until {@code end} at most, a moment of
     * {@link System#nanoTime()}. Returns false if it took longer.
     */
    public boolean close(long end) {
        Server listening = server;
        if (listening == null) {
            return true;
        }
        listening.shutdownNow();
        return BoundedWait.until(end, listening::awaitTermination);
    }
}
