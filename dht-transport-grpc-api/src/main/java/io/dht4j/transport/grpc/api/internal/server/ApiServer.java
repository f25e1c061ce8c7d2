package io.dht4j.transport.grpc.api.internal.server;

import io.dht4j.Cluster;
import io.dht4j.security.Tls;
import io.dht4j.security.TokenGuard;
import io.dht4j.spi.ClosingThread;
import io.dht4j.spi.ConnectFailure;
import io.dht4j.spi.TransportException;
import io.dht4j.spi.TransportException.Outcome;
import io.dht4j.transport.common.BoundedWait;
import io.dht4j.transport.common.ThreadWatch;
import io.dht4j.transport.common.TransportLifecycle;
import io.dht4j.transport.common.options.ListenAddress;
import io.dht4j.transport.common.options.PublicApiOptions;
import io.dht4j.transport.common.options.PublicApiOptions.Limits;
import io.dht4j.transport.grpc.api.internal.common.ApiErrors;
import io.dht4j.transport.grpc.internal.connections.AcceptHandler;
import io.dht4j.transport.grpc.internal.connections.ConnectionLimit;
import io.dht4j.transport.grpc.internal.connections.Connections;
import io.dht4j.transport.grpc.internal.connections.Http2FrameLimit;
import io.dht4j.transport.grpc.internal.loops.PeriodicTask;
import io.dht4j.v1.KeyValueGrpc;
import io.grpc.DecompressorRegistry;
import io.grpc.Server;
import io.grpc.ServerInterceptors;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.nio.NioIoHandler;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioServerSocketChannel;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslProvider;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import io.grpc.netty.shaded.io.netty.util.concurrent.EventExecutor;
import io.grpc.protobuf.services.HealthStatusManager;
import io.grpc.protobuf.services.ProtoReflectionServiceV1;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The server of the public API: its port, its threads, and the three services. It closes after its calls have drained.
 * Safe for use by any number of threads.
 */
public final class ApiServer implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(ApiServer.class);

    /** The bound on the steps of closing that normally take no time. */
    private static final Duration CLOSE_BOUND = Duration.ofSeconds(5);

    /** The time that closing connections have without calls to drain. */
    private static final Duration GOODBYE = Duration.ofSeconds(2);

    /** How long a node is unhealthy because the others cannot be read. */
    private static final Duration START = Duration.ofSeconds(30);

    /** The time that the last answers have to leave. */
    private static final Duration ANSWERS = Duration.ofSeconds(2);

    private static final Duration HANDSHAKE_TIMEOUT = Duration.ofSeconds(20);
    /** The shortest interval at which clients may ping a connection. */
    private static final Duration SHORTEST_KEEP_ALIVE = Duration.ofSeconds(10);
    /** Additional calls beyond the bound, so that they can be refused. */
    private static final int MORE_CALLS = 1000;

    /**
     * The number of resets in a window that ends a connection: above what clients whose deadlines pass cause, below a
     * flood.
     */
    private static final int MAX_RESETS = 6000;

    private static final int RESET_WINDOW_SECONDS = 30;

    /** The bytes of a message without values: a key, and the names and lengths of the fields. */
    private static final int MESSAGE_OVERHEAD = 64 << 10;

    /** The bytes of each item of a batch without key and value. */
    private static final int ITEM_OVERHEAD = 32;

    private final PublicApiOptions<?> options;
    private final CallAdmission admission;
    private final Connections connections = new Connections();
    private final AuxiliaryServices auxiliary;
    private final TokenGuard guard;
    private final Optional<Tls> tls;
    private final HealthStatusManager health = new HealthStatusManager();
    private final ThreadWatch watch = ThreadWatch.start(
            "dht4j-grpc-api-watch", "an event loop of the gRPC API has ended, most likely for lack of memory");
    private final EventLoopGroup acceptors;
    private final EventLoopGroup loops;
    private final Server server;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final AtomicBoolean healthEnded = new AtomicBoolean();
    private final CountDownLatch closing = new CountDownLatch(1);
    private volatile int port;

    private ApiServer(
            InetSocketAddress address,
            Cluster cluster,
            PublicApiOptions<?> options,
            int eventLoops,
            TokenGuard guard,
            Optional<Tls> tls,
            Optional<SslContext> ssl) {
        ApiErrors.prepare();
        this.options = options;
        this.guard = guard;
        this.tls = tls;
        this.admission = new CallAdmission(options.limits());
        this.acceptors = group(1, "dht4j-grpc-api-acceptor");
        this.loops = group(eventLoops, "dht4j-grpc-api");
        guard.onChange(() -> admission.inProgress().forEach(ApiStream::checkToken));
        ConnectionLimit limit = ConnectionLimit.of(
                "the gRPC API at " + address.getHostString() + ":" + address.getPort(),
                options.listener().connections().max(),
                options.listener().connections().perAddress(),
                LOG::warn);
        this.auxiliary = new AuxiliaryServices(limit.max());
        NettyServerBuilder builder = NettyServerBuilder.forAddress(address)
                .channelFactory(() ->
                        AcceptHandler.limiting(new NioServerSocketChannel(), limit, connections::giveWay, channel -> {
                            Http2FrameLimit.watch(channel);
                            connections.accepted(channel);
                        }))
                .bossEventLoopGroup(acceptors)
                .workerEventLoopGroup(loops)
                .directExecutor()
                .withOption(ChannelOption.SO_BACKLOG, 1024)
                .handshakeTimeout(HANDSHAKE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
                .maxInboundMessageSize(maxMessageBytes(options.limits()))
                .maxConcurrentCallsPerConnection(options.limits().maxInFlight() + MORE_CALLS)
                .maxConnectionIdle(options.listener().idleTimeout().toMillis(), TimeUnit.MILLISECONDS)
                .keepAliveTime(options.listener().idleTimeout().toMillis(), TimeUnit.MILLISECONDS)
                .permitKeepAliveTime(SHORTEST_KEEP_ALIVE.toMillis(), TimeUnit.MILLISECONDS)
                .permitKeepAliveWithoutCalls(true)
                .maxRstFramesPerWindow(MAX_RESETS, RESET_WINDOW_SECONDS)
                // Compressed messages would be counted by their size on the wire.
                .decompressorRegistry(DecompressorRegistry.emptyInstance())
                .addStreamTracerFactory(ApiStream.factory(admission, auxiliary, connections))
                .addService(new ApiService(cluster, options.limits(), admission, guard).definition())
                .addService(ServerInterceptors.intercept(health.getHealthService(), auxiliary))
                .addService(ServerInterceptors.intercept(ProtoReflectionServiceV1.newInstance(), auxiliary));
        ssl.ifPresent(builder::sslContext);
        this.server = builder.build();
        setHealth(ServingStatus.NOT_SERVING);
        // A node that starts may be of use without the others, which may not come.
        cluster.ready().thenRun(() -> setHealth(ServingStatus.SERVING));
        loops.schedule(() -> setHealth(ServingStatus.SERVING), START.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Sets the health, unless the stop was announced. */
    private void setHealth(ServingStatus status) {
        health.setStatus(HealthStatusManager.SERVICE_NAME_ALL_SERVICES, status);
        health.setStatus(KeyValueGrpc.SERVICE_NAME, status);
    }

    private EventLoopGroup group(int threads, String name) {
        return new MultiThreadIoEventLoopGroup(
                threads, watch.over(new DefaultThreadFactory(name, true)), NioIoHandler.newFactory());
    }

    /** Returns the size of the largest message that is taken from a client. */
    private static int maxMessageBytes(Limits limits) {
        return Math.max(limits.maxValueBytes(), limits.maxBatchBytes())
                + MESSAGE_OVERHEAD
                + ITEM_OVERHEAD * limits.maxBatchKeys();
    }

    /**
     * Starts a server. Blocks until it listens.
     *
     * @param eventLoops the number of threads that read and write
     * @throws IllegalArgumentException if a file of tokens or for TLS is invalid
     * @throws TransportException if the port cannot be bound; the message names host and port
     */
    public static ApiServer start(ListenAddress own, Cluster cluster, PublicApiOptions<?> options, int eventLoops) {
        InetSocketAddress address = new InetSocketAddress(own.host(), own.port());
        if (address.isUnresolved()) {
            String message = "cannot listen on " + own + ": " + ConnectFailure.UNKNOWN_HOST;
            throw new TransportException(Outcome.NOT_SENT, message).traced();
        }
        TokenGuard guard = new TokenGuard(options.tokens(), LOG::warn);
        Optional<Tls> tls = Optional.empty();
        try {
            tls = options.listener().security().tls().map(files -> Tls.load(files, LOG::warn));
            ApiServer server =
                    new ApiServer(address, cluster, options, eventLoops, guard, tls, tls.map(ApiServer::serverContext));
            server.start(own);
            return server;
        } catch (RuntimeException | Error e) {
            guard.close();
            tls.ifPresent(Tls::close);
            throw e;
        }
    }

    /** Returns a context of the JDK's own TLS, the only one that asks the managers again at each handshake. */
    private static SslContext serverContext(Tls tls) {
        try {
            return GrpcSslContexts.configure(SslContextBuilder.forServer(tls.keyManager()), SslProvider.JDK)
                    .build();
        } catch (SSLException e) {
            throw new IllegalArgumentException("tls: " + e.getMessage(), e);
        }
    }

    private void start(ListenAddress own) {
        try {
            server.start();
            port = server.getPort();
        } catch (IOException e) {
            close();
            String message = "cannot listen on " + own + ": " + TransportLifecycle.reason(e);
            throw new TransportException(Outcome.NOT_SENT, message, e).traced();
        }
        long period = Math.min(
                Duration.ofSeconds(1).toNanos(),
                Math.min(
                        options.patience().bodyTimeout().toNanos(),
                        options.patience().writeTimeout().toNanos()));
        loops.scheduleWithFixedDelay(
                new PeriodicTask("cutting off slow clients of the gRPC API", this::checkTimeouts),
                period,
                period,
                TimeUnit.NANOSECONDS);
    }

    private void checkTimeouts() {
        for (ApiStream stream : admission.inProgress()) {
            stream.checkTimeouts(
                    options.patience().bodyTimeout(), options.patience().writeTimeout());
        }
        auxiliary.checkTimeouts(options.patience().bodyTimeout());
    }

    /** Returns the port that is bound, or was until it was closed. */
    public int port() {
        return port;
    }

    /** Returns the number of streams of health and reflection that have a place. */
    public int auxiliaryStreams() {
        return auxiliary.streams();
    }

    /** Returns the number of counted calls in flight. */
    public int callsInFlight() {
        return admission.requestsInFlight();
    }

    /** Returns the number of cheap calls in flight, which are not counted. */
    public int cheapCallsInFlight() {
        return admission.cheapCallsInFlight();
    }

    /** Returns the number of bytes that are held for calls. */
    public long bytesInFlight() {
        return admission.bytesInFlight();
    }

    /** Returns a stage that completes, on any thread, when an event loop ends without having been closed. */
    public CompletionStage<String> failure() {
        return watch.failure();
    }

    /** Announces to clients that this server is about to close, and serves them as before. Does not block. */
    public void announceStop() {
        if (admission.announceStop()) {
            endHealth();
            connections.sayGoodbye();
        }
    }

    /** Reports the node as not serving from now on. The health service logs a second call with a trace. */
    private void endHealth() {
        if (healthEnded.compareAndSet(false, true)) {
            health.enterTerminalState();
        }
    }

    /**
     * Stops accepting calls, drains those in flight, and releases the port and the threads. Blocks; must not be called
     * on an event loop. May be called repeatedly.
     *
     * @throws IllegalStateException as {@link ClosingThread#check} does, and on an event loop; nothing is closed then
     */
    @Override
    public void close() {
        if (closing.getCount() == 0) {
            return;
        }
        boolean isOnEventLoop = false;
        for (EventExecutor loop : loops) {
            isOnEventLoop |= loop.inEventLoop();
        }
        ClosingThread.check("the gRPC API", isOnEventLoop, LOG::warn);
        if (!closed.compareAndSet(false, true)) {
            BoundedWait.upTo(options.listener().drainTimeout().plus(CLOSE_BOUND.multipliedBy(3)), closing::await);
            return;
        }
        watch.close();
        try {
            endHealth();
            admission.stop();
            server.shutdown();
            if (!admission.awaitIdle(options.listener().drainTimeout())) {
                admission.inProgress().forEach(ApiStream::interrupt);
                admission.awaitIdle(ANSWERS);
            }
            // Some calls may still arrive until the clients know that no further ones are taken.
            awaitServer(
                    GOODBYE.compareTo(options.listener().drainTimeout()) < 0
                            ? GOODBYE
                            : options.listener().drainTimeout());
            server.shutdownNow();
            if (!awaitServer(CLOSE_BOUND)) {
                LOG.warn("the gRPC API's connections did not close within {}", CLOSE_BOUND);
            }
        } finally {
            acceptors.shutdownGracefully(0, 0, TimeUnit.SECONDS);
            loops.shutdownGracefully(0, 0, TimeUnit.SECONDS);
            acceptors.terminationFuture().awaitUninterruptibly(CLOSE_BOUND.toMillis());
            loops.terminationFuture().awaitUninterruptibly(CLOSE_BOUND.toMillis());
            guard.close();
            tls.ifPresent(Tls::close);
            closing.countDown();
        }
    }

    private boolean awaitServer(Duration timeout) {
        return BoundedWait.upTo(timeout, server::awaitTermination);
    }
}
