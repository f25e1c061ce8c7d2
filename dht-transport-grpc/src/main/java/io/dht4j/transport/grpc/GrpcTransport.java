package io.dht4j.transport.grpc;

import io.dht4j.Node;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Endpoints;
import io.dht4j.spi.Frame;
import io.dht4j.spi.FrameHandler;
import io.dht4j.spi.Transport;
import io.dht4j.spi.TransportException;
import io.dht4j.spi.TransportException.Outcome;
import io.dht4j.transport.common.BoundedWait;
import io.dht4j.transport.common.OwnAddress;
import io.dht4j.transport.grpc.internal.GrpcVersions;
import io.dht4j.transport.grpc.internal.client.PeerClients;
import io.dht4j.transport.grpc.internal.loops.EventLoops;
import io.dht4j.transport.grpc.internal.server.PeerServer;
import io.dht4j.transport.grpc.internal.tls.PeerTls;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
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
    private final AtomicBoolean started = new AtomicBoolean();
    private final AtomicBoolean closing = new AtomicBoolean();
    private final CountDownLatch ended = new CountDownLatch(1);
    private final CompletableFuture<Void> starting = new CompletableFuture<>();
    private volatile @Nullable PeerServer server;
    private volatile @Nullable PeerTls tls;
    private volatile boolean running;
    private volatile boolean closed;

    private GrpcTransport(GrpcTransportOptions options) {
        this.options = options;
        this.loops = new EventLoops(options.eventLoops(), "dht4j-grpc-loop");
        this.clients = new PeerClients(options.peers(), loops);
    }

    /**
     * Returns a transport that does not listen yet. It must be closed even if it is never started.
     *
     * @param options where to listen, how to call, and the limits
     * @return a new transport
     * @throws IllegalStateException if the class path has a gRPC that is too old; the message states what to do
     */
    public static GrpcTransport create(GrpcTransportOptions options) {
        GrpcVersions.check();
        return new GrpcTransport(options);
    }

    /**
     * Returns the bound port.
     *
     * @return 1 to 65535, once {@link #start} has completed; 0 before, and if nothing listens
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
        if (closed || !started.compareAndSet(false, true)) {
            return CompletableFuture.failedFuture(new TransportException(
                    Outcome.NOT_SENT,
                    "the transport for " + options.address() + " is " + (closed ? "closed" : "started already")));
        }
        // Looking up the host and binding may block.
        new Thread(() -> listen(handler), "dht4j-grpc-start").start();
        return starting.minimalCompletionStage();
    }

    private void listen(FrameHandler handler) {
        try {
            PeerTls secure = null;
            if (options.listener().security().tls().isPresent()) {
                secure = new PeerTls(options.listener().security().tls().get(), handler.self(), LOG::warn);
                tls = secure;
                clients.secure(secure);
            }
            if (options.listens()) {
                if (secure == null) {
                    options.listener()
                            .security()
                            .requirePlaintextAllowed(
                                    "the transport", options.address().host(), LOG::warn);
                }
                PeerServer endpoint = new PeerServer(handler, options, loops, secure);
                server = endpoint;
                endpoint.start();
                // Closing sets its mark first and looks for the server afterwards.
                if (closed) {
                    endpoint.close(System.nanoTime());
                    throw new TransportException(Outcome.NOT_SENT, "the transport was closed while it started");
                }
            }
            ownAddress.warning(handler.self(), listeningPort()).ifPresent(LOG::warn);
            running = true;
            starting.complete(null);
        } catch (TransportException e) {
            starting.completeExceptionally(e);
        } catch (Throwable e) {
            // Every failure must reach the caller that waits for the start.
            starting.completeExceptionally(new TransportException(
                    Outcome.NOT_SENT, "cannot listen on " + options.address() + ": " + reason(e), e));
        }
    }

    private static String reason(Throwable error) {
        Throwable cause = error;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    }

    @Override
    public CompletionStage<byte[]> call(Node node, Frame request, CallContext context) {
        String address = node.address();
        if (!running || closed) {
            return refused(address, closed ? "the transport is closed" : "the transport is not started");
        }
        if (request.length() > options.limits().maxFrameBytes()) {
            return refused(
                    address,
                    "a frame of " + request.length() + " bytes is over the limit of "
                            + options.limits().maxFrameBytes());
        }
        if (context.isCancelled()) {
            return refused(address, "cancelled before it was sent");
        }
        long remaining = context.remainingNanos();
        if (remaining <= 0) {
            return refused(address, "deadline passed before it was sent");
        }
        return clients.call(node, request, context, remaining);
    }

    private static CompletionStage<byte[]> refused(String address, String why) {
        return CompletableFuture.failedFuture(new TransportException(Outcome.NOT_SENT, address + ": " + why));
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
        closed = true;
        if (closing.compareAndSet(false, true)) {
            end();
            ended.countDown();
        }
        Duration bound = options.listener().drainTimeout().plus(CLOSE_BOUND).plus(CLOSE_BOUND);
        BoundedWait.upTo(bound, ended::await);
    }

    private void end() {
        if (started.get()) {
            // The start always ends: it waits only for the port to be bound.
            starting.exceptionally(failed -> null).join();
        }
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
            LOG.warn(
                    "{}:{} did not close in time; its threads go on in the background",
                    options.address().host(),
                    options.address().port());
        }
    }
}
