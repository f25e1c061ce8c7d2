package io.dht4j.transport.tcp;

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
import io.dht4j.transport.tcp.internal.client.Peers;
import io.dht4j.transport.tcp.internal.loop.EventLoops;
import io.dht4j.transport.tcp.internal.server.TcpServer;
import io.dht4j.transport.tcp.internal.tls.TransportTls;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries frames between nodes directly over TCP, on the selectors of the JDK and with its TLS. A connection carries
 * any number of calls. Addresses are {@code host:port}, with IPv6 addresses in brackets.
 *
 * <p>A call counts as not sent if it never left this node, or if the peer refused it before its handler saw it. The
 * peer's handler learns of the cancellation of a sent call.
 *
 * <p>Safe for use by any number of threads. Only {@link #close} blocks.
 */
public final class TcpTransport implements Transport {

    private static final Logger LOG = LoggerFactory.getLogger(TcpTransport.class);

    /** The bound on closing sockets and threads. They end well within it once no call is in flight. */
    private static final Duration CLOSE_BOUND = Duration.ofSeconds(10);

    private static final Duration SLOWEST_SWEEP = Duration.ofSeconds(1);

    private final TcpTransportOptions options;
    private final OwnAddress ownAddress = new OwnAddress();
    private final TransportLifecycle lifecycle;
    private final CompletableFuture<String> failure = new CompletableFuture<>();
    private volatile @Nullable Peers peers;
    private volatile @Nullable TcpServer server;
    private volatile @Nullable EventLoops loops;
    private volatile @Nullable TransportTls tls;

    private TcpTransport(TcpTransportOptions options) {
        this.options = options;
        this.lifecycle = new TransportLifecycle(
                options.address().toString(), options.listens(), task -> new Thread(task, "dht4j-tcp-start"));
    }

    /**
     * Returns a transport that does not listen yet.
     *
     * @param options where to listen, how to call, and the limits
     * @return a new transport
     */
    public static TcpTransport create(TcpTransportOptions options) {
        return new TcpTransport(requireNonNull(options, "options"));
    }

    /**
     * Returns the bound port.
     *
     * @return 1 to 65535, once {@link #start} has completed; 0 before, and if it does not listen
     */
    public int port() {
        TcpServer endpoint = server;
        return endpoint == null ? 0 : endpoint.port();
    }

    private OptionalInt listeningPort() {
        return options.listens() ? OptionalInt.of(port()) : OptionalInt.empty();
    }

    /** Returns the peer endpoint; the transport must have been started. */
    @Nullable
    TcpServer server() {
        return server;
    }

    /** Returns the event loops; the transport must have been started. */
    @Nullable
    EventLoops loops() {
        return loops;
    }

    @Override
    public CompletionStage<Void> start(FrameHandler handler) {
        return lifecycle.start(() -> listen(handler));
    }

    private void listen(FrameHandler handler) throws IOException {
        Listener listener = options.listener();
        TransportTls secure = null;
        if (listener.security().tls().isPresent()) {
            secure = new TransportTls(listener.security().tls().get(), handler.self(), LOG::warn);
            tls = secure;
        }
        if (options.listens()) {
            listener.security()
                    .requirePlaintextAllowed("the transport", options.address().host(), LOG::warn);
        }
        Duration sweep = listener.idleTimeout().dividedBy(4);
        EventLoops running = EventLoops.start(
                options.eventLoops(), "dht4j-tcp-loop", sweep.compareTo(SLOWEST_SWEEP) < 0 ? sweep : SLOWEST_SWEEP);
        loops = running;
        running.failure().thenAccept(failure::complete);
        if (options.listens()) {
            TcpServer endpoint = new TcpServer(handler, options, options.helloTimeout(), running, secure);
            server = endpoint;
            endpoint.start();
        }
        peers = new Peers(running, options, options.connectionsPerPeer(), handler.self(), secure);
        ownAddress.warning(handler.self(), listeningPort()).ifPresent(LOG::warn);
    }

    @Override
    public CompletionStage<byte[]> call(Node node, Frame request, CallContext context) {
        Peers called = peers;
        if (called == null || lifecycle.isClosed()) {
            return RefusedCalls.unavailable(node, lifecycle.isClosed());
        }
        long remaining = context.remainingNanos();
        CompletionStage<byte[]> refused = RefusedCalls.check(
                node, request, context, remaining, options.limits().maxFrameBytes());
        return refused == null ? called.call(node, request, context, remaining) : refused;
    }

    @Override
    public Map<NodeId, PeerConnections> connections() {
        Peers called = peers;
        return called == null ? Map.of() : called.connections();
    }

    @Override
    public void forget(Node node) {
        Peers called = peers;
        if (called != null) {
            called.forget(node);
        }
    }

    @Override
    public CompletionStage<List<Set<String>>> endpoints(List<Node> nodes) {
        ownAddress.resolving(nodes);
        return Endpoints.lookUp(nodes);
    }

    @Override
    public CompletionStage<String> failure() {
        return failure.minimalCompletionStage();
    }

    @Override
    public String name() {
        return "tcp";
    }

    @Override
    public void close() {
        lifecycle.close(options.listener().drainTimeout().plus(CLOSE_BOUND).plus(CLOSE_BOUND), this::end);
    }

    private void end() {
        Duration drain = options.listener().drainTimeout();
        long end = System.nanoTime() + drain.plus(CLOSE_BOUND).toNanos();
        Peers called = peers;
        boolean inTime = called == null || called.close(end);
        TcpServer endpoint = server;
        if (endpoint != null) {
            if (!endpoint.drain(drain)) {
                LOG.warn("{} requests of peers were under way when the time to drain was over", endpoint.inFlight());
            }
            endpoint.close();
        }
        EventLoops running = loops;
        if (running != null) {
            inTime &= running.close(Duration.ofNanos(Math.max(1_000_000, end - System.nanoTime())));
        }
        TransportTls secure = tls;
        if (secure != null) {
            secure.close();
        }
        if (!inTime) {
            LOG.warn("{} did not close in time; its threads go on in the background", options.address());
        }
    }
}
