package io.dht4j.transport.http;

import io.dht4j.Node;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.FrameHandler;
import io.dht4j.spi.Transport;
import io.dht4j.spi.TransportException;
import io.dht4j.spi.TransportException.Outcome;
import io.vertx.core.net.HostAndPort;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries frames between nodes over HTTP/1.1, on Vert.x: each call is {@code POST /peer/v1/frame} with the frame as its
 * body, over kept-alive connections that carry one call at a time. Addresses are {@code host:port}, IPv6 addresses in
 * brackets.
 *
 * <p>Not sent, besides what never left: what the peer's endpoint refused before its handler saw it. A call whose deadline
 * passes or that is cancelled once it is sent costs its connection, for HTTP/1.1 knows no other way to give up.
 *
 * <p>Safe for use by any number of threads. Only {@link #close} blocks.
 */
public final class HttpTransport implements Transport {

    private static final Logger LOG = LoggerFactory.getLogger(HttpTransport.class);

    private final HttpTransportOptions options;
    private final HttpListener listener;
    private final AtomicBoolean started = new AtomicBoolean();
    private final ConcurrentHashMap<String, PeerClient> peers = new ConcurrentHashMap<>();
    private volatile @Nullable PeerClients clients;
    private volatile @Nullable HttpTransportServer server;
    private volatile boolean closed;

    private HttpTransport(HttpTransportOptions options) {
        this.options = options;
        this.listener = new HttpListener(options.listener());
    }

    /**
     * A transport that does not listen yet. Its threads run from here on: close it even if it is never started.
     *
     * @param options where to listen, and the limits
     * @return a new transport
     * @throws IllegalStateException if the library of the client is missing; the message names its artifact
     */
    public static HttpTransport create(HttpTransportOptions options) {
        options.client().requireLibrary();
        return new HttpTransport(options);
    }

    /**
     * The port that is bound.
     *
     * @return 1 to 65535, once {@link #start} has completed; 0 before
     */
    public int port() {
        return listener.port();
    }

    /** The peer endpoint, once it is started. */
    @Nullable
    HttpTransportServer server() {
        return server;
    }

    /** The port that the public API may share. */
    HttpListener listener() {
        return listener;
    }

    @Override
    public CompletionStage<Void> start(FrameHandler handler) {
        if (closed || !started.compareAndSet(false, true)) {
            return CompletableFuture.failedFuture(new TransportException(
                    Outcome.NOT_SENT,
                    "the transport for " + options.host() + ":" + options.port() + " is "
                            + (closed ? "closed" : "started already")));
        }
        HttpTransportServer endpoint = new HttpTransportServer(handler, options);
        server = endpoint;
        listener.attachPeer(endpoint);
        return (options.listens() ? listener.start() : listener.startWithoutListening())
                .thenRun(() -> clients = PeerClients.of(listener, options));
    }

    @Override
    public CompletionStage<byte[]> call(Node node, byte[] request, CallContext context) {
        String address = node.address();
        PeerClients running = clients;
        if (running == null || closed) {
            return refused(address, closed ? "the transport is closed" : "the transport is not started");
        }
        if (request.length > options.maxFrameBytes()) {
            return refused(
                    address, "a frame of " + request.length + " bytes is over the limit of " + options.maxFrameBytes());
        }
        if (context.isCancelled()) {
            return refused(address, "cancelled before it was sent");
        }
        long remaining = context.remainingNanos();
        if (remaining <= 0) {
            return refused(address, "deadline passed before it was sent");
        }
        PeerClient peer = peers.get(address);
        if (peer == null) {
            HostAndPort parsed = HostAndPort.parseAuthority(address, -1);
            if (parsed == null || parsed.port() < 1) {
                return refused(address, "not an address of the form host:port");
            }
            peer = peers.computeIfAbsent(address, key -> running.to(parsed));
            if (closed) {
                peer.close();
            }
        }
        HttpTransportCall call = new HttpTransportCall(address, request, context, System.nanoTime() + remaining);
        peer.send(call);
        // Closing marks first and looks for peers then.
        if (closed) {
            call.abandon("the transport is closed");
        }
        if (!call.isDone()) {
            context.onCancel(call::cancel);
        }
        return call;
    }

    private static CompletionStage<byte[]> refused(String address, String why) {
        return CompletableFuture.failedFuture(new TransportException(Outcome.NOT_SENT, address + ": " + why));
    }

    @Override
    public String name() {
        return options.client() == HttpClientKind.VERTX
                ? "http"
                : "http/" + options.client().label();
    }

    @Override
    public void close() {
        closed = true;
        peers.values().forEach(PeerClient::close);
        long end = System.nanoTime() + options.drainTimeout().toNanos();
        HttpTransportServer endpoint = server;
        if (endpoint != null && !HttpAwait.done(endpoint.drain(), options.drainTimeout())) {
            LOG.warn("{} requests of peers were under way when the time to drain was over", endpoint.inFlight());
        }
        PeerClients running = clients;
        if (running != null) {
            running.close();
        }
        listener.close(Duration.ofNanos(Math.max(0, end - System.nanoTime())));
    }
}
