package io.dht4j.transport.grpc;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.security.Plaintext;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Endpoints;
import io.dht4j.spi.Frame;
import io.dht4j.spi.FrameHandler;
import io.dht4j.spi.Transport;
import io.dht4j.spi.TransportException;
import io.dht4j.spi.TransportException.Outcome;
import io.dht4j.transport.grpc.GrpcTransportChannels.Target;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries frames between nodes over gRPC, on HTTP/2: a call for each frame, or one long-lived stream to each peer, as
 * {@link GrpcMode} says. Addresses are {@code host:port}, IPv6 addresses in brackets.
 *
 * <p>Not sent, besides what never left: what the peer's endpoint refused before its handler saw it. Whoever cancels a
 * call that is sent makes the peer's handler learn of it.
 *
 * <p>Safe for use by any number of threads. Only {@link #close} blocks.
 */
public final class GrpcTransport implements Transport {

    private static final Logger LOG = LoggerFactory.getLogger(GrpcTransport.class);

    /** Sockets and threads end well within this once nothing is under way. */
    private static final Duration CLOSE_BOUND = Duration.ofSeconds(10);

    private final GrpcTransportOptions options;
    private final GrpcTransportLoops loops;
    private final GrpcTransportChannels channels;
    private final AtomicBoolean started = new AtomicBoolean();
    private final AtomicBoolean closing = new AtomicBoolean();
    private final CountDownLatch ended = new CountDownLatch(1);
    private final CompletableFuture<Void> starting = new CompletableFuture<>();
    private final ConcurrentHashMap<Peer, GrpcTransportPeer> peers = new ConcurrentHashMap<>();
    private volatile @Nullable GrpcTransportServer server;
    private volatile @Nullable GrpcTransportTls tls;
    private volatile boolean running;
    private volatile boolean closed;

    private GrpcTransport(GrpcTransportOptions options) {
        this.options = options;
        this.loops = new GrpcTransportLoops(options.eventLoops(), "dht4j-grpc-loop");
        this.channels = new GrpcTransportChannels(options);
    }

    /**
     * A transport that does not listen yet. Close it even if it is never started.
     *
     * @param options where to listen, how to call, and the limits
     * @return a new transport
     */
    public static GrpcTransport create(GrpcTransportOptions options) {
        return new GrpcTransport(options);
    }

    /**
     * The port that is bound.
     *
     * @return 1 to 65535, once {@link #start} has completed; 0 before, and if nothing listens
     */
    public int port() {
        GrpcTransportServer endpoint = server;
        return endpoint == null ? 0 : endpoint.port();
    }

    /** The peer endpoint, once it is started. */
    @Nullable
    GrpcTransportServer server() {
        return server;
    }

    @Override
    public CompletionStage<Void> start(FrameHandler handler) {
        if (closed || !started.compareAndSet(false, true)) {
            return CompletableFuture.failedFuture(new TransportException(
                    Outcome.NOT_SENT,
                    "the transport for " + options.host() + ":" + options.port() + " is "
                            + (closed ? "closed" : "started already")));
        }
        // Binding, and looking up the host before, may block.
        new Thread(() -> listen(handler), "dht4j-grpc-start").start();
        return starting.minimalCompletionStage();
    }

    private void listen(FrameHandler handler) {
        try {
            GrpcTransportTls secure = null;
            if (options.tls().isPresent()) {
                secure = new GrpcTransportTls(options.tls().get(), handler.self(), LOG::warn);
                tls = secure;
                channels.secure(secure);
            }
            if (options.listening()) {
                if (secure == null) {
                    Plaintext.require(
                            "the transport",
                            options.host(),
                            options.plaintextAllowed(),
                            options.plaintextOption(),
                            LOG::warn);
                }
                GrpcTransportServer endpoint = new GrpcTransportServer(handler, options, loops, secure);
                server = endpoint;
                endpoint.start();
                // Closing marks first and looks for the server then.
                if (closed) {
                    endpoint.close(System.nanoTime());
                    throw new TransportException(Outcome.NOT_SENT, "the transport was closed while it started");
                }
            }
            running = true;
            starting.complete(null);
        } catch (TransportException e) {
            starting.completeExceptionally(e);
        } catch (Throwable e) {
            // Whatever it is, who waits for the start must hear of it.
            starting.completeExceptionally(new TransportException(
                    Outcome.NOT_SENT,
                    "cannot listen on " + options.host() + ":" + options.port() + ": " + reason(e),
                    e));
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
        if (request.length() > options.maxFrameBytes()) {
            return refused(
                    address,
                    "a frame of " + request.length() + " bytes is over the limit of " + options.maxFrameBytes());
        }
        if (context.isCancelled()) {
            return refused(address, "cancelled before it was sent");
        }
        long remaining = context.remainingNanos();
        if (remaining <= 0) {
            return refused(address, "deadline passed before it was sent");
        }
        Peer key = new Peer(address, node.id());
        GrpcTransportPeer peer = peers.get(key);
        if (peer == null) {
            peer = peers.computeIfAbsent(key, ignored -> newPeer(Target.of(node)));
        }
        GrpcTransportBudget budget = peer.budget();
        boolean fits = budget.enter(request.length());
        GrpcTransportCall call =
                new GrpcTransportCall(address, request, context, System.nanoTime() + remaining, budget);
        // Closing marks first and waits for the calls that are counted then; this is counted first and looks for the
        // mark then.
        if (closed || !fits) {
            call.abandon(closed ? "the transport is closed" : budget.exceeded());
            return call;
        }
        peer.offer(call);
        return call;
    }

    private GrpcTransportPeer newPeer(Target target) {
        return switch (options.mode()) {
            case UNARY -> new GrpcTransportUnaryPeer(target, loops, channels, options);
            case STREAM -> new GrpcTransportStreamPeer(target, loops, channels, options);
        };
    }

    private static CompletionStage<byte[]> refused(String address, String why) {
        return CompletableFuture.failedFuture(new TransportException(Outcome.NOT_SENT, address + ": " + why));
    }

    @Override
    public CompletionStage<List<Set<String>>> endpoints(List<Node> nodes) {
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
        Duration bound = options.drainTimeout().plus(CLOSE_BOUND).plus(CLOSE_BOUND);
        GrpcTransportAwait.untilEnd(System.nanoTime() + bound.toNanos(), ended::await);
    }

    private void end() {
        if (started.get()) {
            // It ends for certain: binding is all that it waits for.
            starting.exceptionally(failed -> null).join();
        }
        long end = System.nanoTime() + options.drainTimeout().plus(CLOSE_BOUND).toNanos();
        boolean inTime = endCalls(end);
        GrpcTransportServer endpoint = server;
        if (endpoint != null) {
            if (!endpoint.drain(options.drainTimeout())) {
                LOG.warn("{} requests of peers were under way when the time to drain was over", endpoint.inFlight());
            }
            inTime &= endpoint.close(end);
        }
        inTime &= channels.close(end);
        GrpcTransportTls secure = tls;
        if (secure != null) {
            secure.close();
        }
        inTime &= loops.close(Duration.ofNanos(Math.max(1_000_000, end - System.nanoTime())));
        if (!inTime) {
            LOG.warn(
                    "{}:{} did not close in time; its threads go on in the background", options.host(), options.port());
        }
    }

    /**
     * Ends the calls to peers, and waits for them: without event loops, none would end. False if some have not in time.
     */
    private boolean endCalls(long end) {
        while (true) {
            // Each time again: a call that began before the mark was set may have come to a new peer or connection.
            boolean unused = true;
            for (GrpcTransportPeer peer : peers.values()) {
                peer.close();
                unused &= peer.budget().isUnused();
            }
            if (unused) {
                return true;
            }
            if (System.nanoTime() - end > 0) {
                return false;
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
    }

    /** Whom to call: the same address may become another node's. */
    private record Peer(String address, NodeId id) {}
}
