package io.dht4j.transport.grpc;

import static java.util.Objects.requireNonNull;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.PeerConnections;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Endpoints;
import io.dht4j.spi.Frame;
import io.dht4j.spi.FrameHandler;
import io.dht4j.spi.Transport;
import io.dht4j.transport.common.OwnAddress;
import io.dht4j.transport.common.TransportLifecycle;
import io.dht4j.transport.common.calls.RefusedCalls;
import io.dht4j.transport.common.options.ListenerOptions.Listener;
import io.dht4j.transport.grpc.internal.GrpcVersions;
import io.dht4j.transport.grpc.internal.client.PeerClients;
import io.dht4j.transport.grpc.internal.loops.EventLoops;
import io.dht4j.transport.grpc.internal.server.PeerServer;
import io.dht4j.transport.grpc.internal.tls.PeerTls;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries frames between nodes over gRPC, on HTTP/2. {@link GrpcMode} chooses between one call for each frame and one
 * long-lived stream to each peer. Addresses are {@code host:port}, with IPv6 addresses in brackets.
 *
 * <p>A call counts as not sent if it never left this node, or if the peer's endpoint refused it before its handler saw
 * it. The peer's handler learns of the cancellation of a sent call.
 *
 * <p>Safe for use by any number of threads. Only {@link #close} blocks.
 */
public final class GrpcTransport implements Transport {

    private static final Logger LOG = LoggerFactory.getLogger(GrpcTransport.class);

    /** The bound on closing sockets and threads. They end well within it once no call is in flight. */
    private static final Duration CLOSE_BOUND = Duration.ofSeconds(10);

    private final GrpcTransportOptions options;
    private final EventLoops loops;
    private final PeerClients clients;
    private final OwnAddress ownAddress = new OwnAddress();
    private final TransportLifecycle lifecycle;
    private volatile @Nullable PeerServer server;
    private volatile @Nullable PeerTls tls;
    private volatile boolean running;

    private GrpcTransport(GrpcTransportOptions options) {
        this.options = options;
        this.lifecycle = new TransportLifecycle(
                options.address().toString(), options.listens(), task -> new Thread(task, "dht4j-grpc-start"));
        this.loops = new EventLoops(options.eventLoops(), "dht4j-grpc-loop");
        this.clients = new PeerClients(options.peers(), loops);
    }

    /**
     * Returns a transport that does not listen yet. It must be closed even if it is never started.
     *
     * @param options where to listen, how to call, and the limits
     * @return a new transport
     * @throws IllegalStateException if the class path has a gRPC that is too old; the message names the remedy
     */
    public static GrpcTransport create(GrpcTransportOptions options) {
        requireNonNull(options, "options");
        GrpcVersions.check();
        return new GrpcTransport(options);
    }

    /**
     * Returns the bound port.
     *
     * @return 1 to 65535, once {@link #start} has completed; 0 before, and if it does not listen
     */
    public int port() {
        PeerServer endpoint = server;
        return endpoint == null ? 0 : endpoint.port();
    }

    private OptionalInt listeningPort() {
        return options.listens() ? OptionalInt.of(port()) : OptionalInt.empty();
    }

    /** Returns the peer endpoint; the transport must have been started. */
    @Nullable
    PeerServer server() {
        return server;
    }

    @Override
    public CompletionStage<Void> start(FrameHandler handler) {
        return lifecycle.start(() -> listen(handler));
    }

    private void listen(FrameHandler handler) throws IOException {
        Listener listener = options.listener();
        PeerTls secure = null;
        if (listener.security().tls().isPresent()) {
            secure = new PeerTls(listener.security().tls().get(), handler.self(), LOG::warn);
            tls = secure;
            clients.secure(secure);
        }
        if (options.listens()) {
            listener.security()
                    .requirePlaintextAllowed("the transport", options.address().host(), LOG::warn);
            PeerServer endpoint = new PeerServer(handler, options, loops, secure);
            server = endpoint;
            endpoint.start();
        }
        ownAddress.warning(handler.self(), listeningPort()).ifPresent(LOG::warn);
        running = true;
    }

    @Override
    public CompletionStage<byte[]> call(Node node, Frame request, CallContext context) {
        if (!running || lifecycle.isClosed()) {
            return RefusedCalls.unavailable(node, lifecycle.isClosed());
        }
        long remaining = context.remainingNanos();
        CompletionStage<byte[]> refused = RefusedCalls.check(
                node, request, context, remaining, options.limits().maxFrameBytes());
        return refused == null ? clients.call(node, request, context, remaining) : refused;
    }

    @Override
    public Map<NodeId, PeerConnections> connections() {
        return clients.connections();
    }

    @Override
    public void forget(Node node) {
        clients.forget(node);
    }

    @Override
    public CompletionStage<List<Set<String>>> endpoints(List<Node> nodes) {
        ownAddress.resolving(nodes);
        return Endpoints.lookUp(nodes);
    }

    @Override
    public CompletionStage<String> failure() {
        return loops.failure();
    }

    @Override
    public String name() {
        return switch (options.mode()) {
            case UNARY -> "grpc/unary";
            case STREAM -> "grpc/stream";
        };
    }

    @Override
    public void close() {
        lifecycle.close(options.listener().drainTimeout().plus(CLOSE_BOUND).plus(CLOSE_BOUND), this::end);
    }

    private void end() {
        long end = System.nanoTime()
                + options.listener().drainTimeout().plus(CLOSE_BOUND).toNanos();
        boolean inTime = clients.endCalls(end);
        PeerServer endpoint = server;
        if (endpoint != null) {
            if (!endpoint.drain(options.listener().drainTimeout())) {
                LOG.warn("{} requests of peers were under way when the time to drain was over", endpoint.inFlight());
            }
            inTime &= endpoint.close(end);
        }
        inTime &= clients.close(end);
        PeerTls secure = tls;
        if (secure != null) {
            secure.close();
        }
        inTime &= loops.close(Duration.ofNanos(Math.max(1_000_000, end - System.nanoTime())));
        if (!inTime) {
            LOG.warn("{} did not close in time; its threads go on in the background", options.address());
        }
    }
}
