package io.dht4j.transport.http;

import static java.util.Objects.requireNonNull;

import io.dht4j.DhtException;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.PeerConnections;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Endpoints;
import io.dht4j.spi.Frame;
import io.dht4j.spi.FrameHandler;
import io.dht4j.spi.Transport;
import io.dht4j.spi.TransportException;
import io.dht4j.spi.TransportException.Outcome;
import io.dht4j.spi.TransportException.Reason;
import io.dht4j.transport.common.BoundedWait;
import io.dht4j.transport.common.OwnAddress;
import io.dht4j.transport.common.calls.CallBudget;
import io.dht4j.transport.common.calls.PeerCalls;
import io.dht4j.transport.common.calls.RefusedCalls;
import io.dht4j.transport.http.internal.netty.VertxVersions;
import io.dht4j.transport.http.internal.peer.PeerClients;
import io.dht4j.transport.http.internal.peer.PeerTls;
import io.dht4j.transport.http.internal.server.HttpListener;
import io.dht4j.transport.http.internal.server.HttpTransportServer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries frames between nodes over HTTP: each call is {@code POST /peer/v1/frame} with the frame as its body. Vert.x
 * serves them. The options choose the {@linkplain HttpClientKind client} that sends them, and with it the number of
 * concurrent calls on a connection. Addresses are {@code host:port}, with IPv6 addresses in brackets.
 *
 * <p>A call counts as not sent if it never left this node, or if the peer's endpoint refused it before its handler saw
 * it. Over HTTP/1.1, a sent call that is cancelled or whose deadline passes costs its connection, because HTTP/1.1 has
 * no other way to abandon a request.
 *
 * <p>Safe for use by any number of threads. Only {@link #close} blocks.
 */
public final class HttpTransport implements Transport {

    private static final Logger LOG = LoggerFactory.getLogger(HttpTransport.class);

    private static final Pattern LOOPBACK = Pattern.compile("localhost|::1|127(\\.[0-9]{1,3}){3}");

    /** The time for a concurrent start to notice that the transport is closed. */
    private static final Duration CLOSE_BOUND = Duration.ofSeconds(10);

    private final HttpTransportOptions options;
    private final HttpListener listener;
    private final OwnAddress ownAddress = new OwnAddress();
    private final AtomicBoolean started = new AtomicBoolean();
    private final CompletableFuture<Void> starting = new CompletableFuture<>();
    private final Object lifecycle = new Object();
    /** Written with the lock held: once {@link #closed}, there are no new ones. */
    private volatile @Nullable PeerClients clients;

    private volatile @Nullable PeerCalls calls;
    private volatile @Nullable HttpTransportServer server;
    private volatile boolean closed;
    /** The name of this node, once the transport has begun to start. */
    private volatile Optional<NodeId> self = Optional.empty();

    private HttpTransport(HttpTransportOptions options) {
        this.options = options;
        this.listener = new HttpListener(options.listenerOptions());
        listener.browsers().accept(options.publicHosts());
    }

    /**
     * Creates a transport that does not listen yet. Its threads run from here on: close it even if it is never started.
     *
     * @param options where to listen, and the limits
     * @return a new transport
     * @throws IllegalStateException if the class path has a Vert.x or Netty that is too old; the message names the
     *     remedy
     */
    public static HttpTransport create(HttpTransportOptions options) {
        requireNonNull(options, "options");
        VertxVersions.check();
        options.peerClientKind().clients().load();
        return new HttpTransport(options);
    }

    /**
     * Returns the bound port.
     *
     * @return 1 to 65535, once {@link #start} has completed; 0 before
     */
    public int port() {
        return listener.port();
    }

    private OptionalInt listeningPort() {
        return options.listens() ? OptionalInt.of(port()) : OptionalInt.empty();
    }

    /** Returns the peer endpoint; the transport must have been started. */
    @Nullable
    HttpTransportServer server() {
        return server;
    }

    /** Returns the port that the public API may share. */
    HttpListener listener() {
        return listener;
    }

    /** Refuses an API that would share the port in vain, or in place of another one. */
    void requireShareable() {
        if (closed) {
            throw new IllegalStateException("the transport for " + options.address() + " is closed");
        }
        if (listener.hasApi()) {
            throw new IllegalStateException("an API shares the transport for " + options.address()
                    + " already: close that one first, or let this one listen on a port of its own");
        }
    }

    @Override
    public CompletionStage<Void> start(FrameHandler handler) {
        HttpTransportServer endpoint = new HttpTransportServer(handler, options.limits(), listener);
        CompletionStage<Void> listening;
        synchronized (lifecycle) {
            if (closed) {
                return CompletableFuture.failedFuture(notSent("is closed"));
            }
            if (!started.compareAndSet(false, true)) {
                return CompletableFuture.failedFuture(new TransportException(
                        Reason.STARTED, "the transport for " + options.address() + " is started already"));
            }
            server = endpoint;
            self = handler.self();
            acceptOwnHost();
            listener.attachPeer(endpoint);
            listening = options.listens() ? listener.start() : listener.startWithoutListening();
        }
        listening
                .thenRun(() -> listener.tls().ifPresent(own -> handler.self().ifPresent(own::expectName)))
                .thenRun(this::makeClients)
                .thenRun(() ->
                        ownAddress.warning(handler.self(), listeningPort()).ifPresent(LOG::warn))
                .whenComplete((done, error) -> {
                    if (error == null) {
                        starting.complete(null);
                    } else {
                        starting.completeExceptionally(DhtException.unwrap(error));
                    }
                });
        return starting.minimalCompletionStage();
    }

    /** Accepts the host that peers use to call this node, once both the node's name and the topology are known. */
    private void acceptOwnHost() {
        self.flatMap(ownAddress::node).ifPresent(node -> listener.browsers().accept(List.of(node.host())));
    }

    /**
     * Makes the clients, the last step of a start. It fails if closing came before it; otherwise closing closes the
     * clients too.
     */
    private void makeClients() {
        synchronized (lifecycle) {
            if (closed) {
                throw notSent("was closed while it started");
            }
            PeerClients made = options.peerClientKind().clients().create(listener.loops(), options.peers());
            clients = made;
            calls = new PeerCalls(
                    () -> CallBudget.ofWaiting(options.limits()),
                    (node, budget) -> made.lanes(node, budget, listener.tls().map(own -> new PeerTls(own, node.id()))));
        }
    }

    private TransportException notSent(String why) {
        return new TransportException(Outcome.NOT_SENT, "the transport for " + options.address() + " " + why);
    }

    @Override
    public CompletionStage<byte[]> call(Node node, Frame request, CallContext context) {
        PeerCalls running = calls;
        if (running == null || closed) {
            return RefusedCalls.unavailable(node, closed);
        }
        long remaining = context.remainingNanos();
        CompletionStage<byte[]> refused = RefusedCalls.check(
                node, request, context, remaining, options.limits().maxFrameBytes());
        if (refused != null) {
            return refused;
        }
        if (!mayBePlaintext(node.host())) {
            return RefusedCalls.notSent(
                    node,
                    "calls would be plaintext beyond this machine: set up TLS, or ask for it by "
                            + "withPlaintextAllowed()");
        }
        return running.call(node, request, context, remaining);
    }

    /**
     * Returns whether plaintext may go to a host. Members that listen beyond this machine have been permitted to; those
     * that do not listen have not.
     */
    private boolean mayBePlaintext(String host) {
        return options.listens()
                || options.listener().security().tls().isPresent()
                || options.listener().security().plaintextAllowed()
                // Without a lookup, which could block: all names except one count as foreign.
                || LOOPBACK.matcher(host).matches();
    }

    @Override
    public Map<NodeId, PeerConnections> connections() {
        PeerCalls running = calls;
        PeerClients made = clients;
        return running == null || made == null || !made.countsConnections() ? Map.of() : running.connections();
    }

    @Override
    public void forget(Node node) {
        PeerCalls running = calls;
        if (running != null) {
            running.forget(node);
        }
    }

    @Override
    public CompletionStage<List<Set<String>>> endpoints(List<Node> nodes) {
        ownAddress.resolving(nodes);
        acceptOwnHost();
        return Endpoints.lookUp(nodes);
    }

    @Override
    public CompletionStage<String> failure() {
        return listener.failure();
    }

    @Override
    public String name() {
        return options.client().equals(HttpClientKind.VERTX)
                ? "http"
                : "http/" + options.client().label();
    }

    @Override
    public void close() {
        closed = true;
        PeerClients made;
        synchronized (lifecycle) {
            made = clients;
        }
        long end = System.nanoTime() + options.listener().drainTimeout().toNanos();
        PeerCalls running = calls;
        if (running != null) {
            // Requests that have not ended by then end with the event loops.
            running.end(end);
        }
        HttpTransportServer endpoint = server;
        if (endpoint != null && !BoundedWait.upTo(options.listener().drainTimeout(), endpoint.drain())) {
            LOG.warn("{} requests of peers were under way when the time to drain was over", endpoint.inFlight());
        }
        if (made != null) {
            made.close();
        }
        listener.close(Duration.ofNanos(Math.max(0, end - System.nanoTime())));
        if (started.get()) {
            // With the listener closed, a concurrent start does not wait any longer.
            BoundedWait.upTo(CLOSE_BOUND, starting);
        }
    }
}
