package io.dht4j.transport.http;

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
import io.dht4j.transport.common.BoundedWait;
import io.dht4j.transport.common.OwnAddress;
import io.dht4j.transport.common.calls.RefusedCalls;
import io.dht4j.transport.http.internal.netty.VertxVersions;
import io.dht4j.transport.http.internal.peer.PeerCall;
import io.dht4j.transport.http.internal.peer.PeerClient;
import io.dht4j.transport.http.internal.peer.PeerClients;
import io.dht4j.transport.http.internal.peer.PeerTls;
import io.dht4j.transport.http.internal.server.HttpListener;
import io.dht4j.transport.http.internal.server.HttpTransportServer;
import io.vertx.core.net.HostAndPort;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries frames between nodes over HTTP: each call is {@code POST /peer/v1/frame} with the frame as its body. Vert.x
 * serves them. The options choose the {@linkplain HttpClientKind client} that sends them, and with it how many calls a
 * connection carries at a time. Addresses are {@code host:port}, with IPv6 addresses in brackets.
 *
 * <p>A call counts as not sent if it never left this node, or if the peer's endpoint refused it before its handler saw
 * it. Over HTTP/1.1, a sent call that is cancelled or whose deadline passes costs its connection, because HTTP/1.1 has
 * no other way to abandon a request.
 *
 * <p>Safe for use by any number of threads. Only {@link #close} blocks.
 */
public final class HttpTransport implements Transport {

    private static final Logger LOG = LoggerFactory.getLogger(HttpTransport.class);

    private static final String CLOSED = "the transport is closed";
    private static final String FORGOTTEN =
            "its connections are closed: it has left the cluster, or is not at this address";

    /** The time for a concurrent start to notice that the transport is closed. */
    private static final Duration CLOSE_BOUND = Duration.ofSeconds(10);

    private final HttpTransportOptions options;
    private final HttpListener listener;
    private final OwnAddress ownAddress = new OwnAddress();
    private final AtomicBoolean started = new AtomicBoolean();
    private final ConcurrentHashMap<String, Peer> peers = new ConcurrentHashMap<>();
    private final CompletableFuture<Void> starting = new CompletableFuture<>();
    private final Object lifecycle = new Object();
    /** Written with the lock held: once {@link #closed}, there are no new ones. */
    private volatile @Nullable PeerClients clients;

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
     * @throws IllegalStateException if the class path has a Vert.x or Netty that is too old; the message states what to
     *     do
     */
    public static HttpTransport create(HttpTransportOptions options) {
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

    @Override
    public CompletionStage<Void> start(FrameHandler handler) {
        HttpTransportServer endpoint = new HttpTransportServer(handler, options.limits(), listener);
        CompletionStage<Void> listening;
        synchronized (lifecycle) {
            if (closed || !started.compareAndSet(false, true)) {
                return CompletableFuture.failedFuture(notSent("is " + (closed ? "closed" : "started already")));
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

    /** Accepts the host at which peers call this node, once both the node's name and the topology are known. */
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
            clients = options.peerClientKind().clients().create(listener.loops(), options.peers());
        }
    }

    private TransportException notSent(String why) {
        return new TransportException(Outcome.NOT_SENT, "the transport for " + options.address() + " " + why);
    }

    @Override
    public CompletionStage<byte[]> call(Node node, Frame request, CallContext context) {
        String address = node.address();
        PeerClients running = clients;
        if (running == null || closed) {
            return RefusedCalls.unavailable(node, closed);
        }
        long remaining = context.remainingNanos();
        CompletionStage<byte[]> refused = RefusedCalls.check(
                node, request, context, remaining, options.limits().maxFrameBytes());
        if (refused != null) {
            return refused;
        }
        Peer peer = peers.get(address);
        if (peer == null || !peer.isFor(node.id())) {
            Peer before = peer;
            HostAndPort parsed = HostAndPort.create(node.host(), node.port());
            if (!mayBePlaintext(parsed.host())) {
                return RefusedCalls.notSent(
                        node,
                        "calls would be plaintext beyond this machine: set up TLS, or ask for it by "
                                + "withPlaintextAllowed()");
            }
            peer = peers.compute(address, (key, known) -> peer(running, parsed, node.id(), known));
            if (before != null && before != peer) {
                // Outside the map: it ends calls, and their dependent actions may call again.
                before.client.close(FORGOTTEN);
            }
            if (closed) {
                peer.client.close(CLOSED);
            }
        }
        peer.usedBy(node.id());
        PeerCall call = new PeerCall(address, request, context, System.nanoTime() + remaining);
        peer.client.send(call);
        // Closing sets its mark first and looks for peers afterwards.
        if (closed) {
            call.abandon(CLOSED);
        }
        if (!call.isDone()) {
            context.onCancel(call::cancel);
        }
        return call;
    }

    /**
     * Returns the client for a node at an address. With TLS, connections to an earlier node at the address are useless.
     */
    private Peer peer(PeerClients running, HostAndPort address, NodeId id, @Nullable Peer known) {
        if (known != null && known.isFor(id)) {
            return known;
        }
        Optional<PeerTls> tls = listener.tls().map(own -> new PeerTls(own, id));
        return new Peer(running.to(address, tls), tls.map(secured -> id));
    }

    /**
     * Returns whether plaintext may go to a host. Members that listen beyond this machine have been permitted to; those
     * that do not listen have not.
     */
    private boolean mayBePlaintext(String host) {
        return options.listens()
                || options.listener().security().tls().isPresent()
                || options.listener().security().plaintextAllowed()
                || isLoopback(host);
    }

    /**
     * Returns whether a host is loopback, without a lookup, which could block: all names except one count as foreign.
     */
    private static boolean isLoopback(String host) {
        return host.equals("localhost") || host.equals("::1") || host.matches("127(\\.[0-9]{1,3}){3}");
    }

    /** The node at an address, which with TLS must prove its identity. */
    private static final class Peer {

        private final PeerClient client;
        private final Optional<NodeId> expected;
        /** The node that was called last; without TLS, several may have had the address. */
        private volatile @Nullable NodeId user;

        Peer(PeerClient client, Optional<NodeId> expected) {
            this.client = client;
            this.expected = expected;
        }

        void usedBy(NodeId id) {
            if (!id.equals(user)) {
                user = id;
            }
        }

        boolean isFor(NodeId id) {
            return expected.isEmpty() || expected.get().equals(id);
        }
    }

    @Override
    public Map<NodeId, PeerConnections> connections() {
        Map<NodeId, PeerConnections> counts = new HashMap<>();
        for (Peer peer : peers.values()) {
            NodeId user = peer.user;
            if (user != null) {
                peer.client.connections().ifPresent(count -> counts.put(user, count));
            }
        }
        return counts;
    }

    @Override
    public void forget(Node node) {
        Peer known = peers.get(node.address());
        if (known != null && node.id().equals(known.user) && peers.remove(node.address(), known)) {
            known.client.close(FORGOTTEN);
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
        PeerClients running;
        synchronized (lifecycle) {
            running = clients;
        }
        peers.values().forEach(peer -> peer.client.close(CLOSED));
        long end = System.nanoTime() + options.listener().drainTimeout().toNanos();
        HttpTransportServer endpoint = server;
        if (endpoint != null && !BoundedWait.upTo(options.listener().drainTimeout(), endpoint.drain())) {
            LOG.warn("{} requests of peers were under way when the time to drain was over", endpoint.inFlight());
        }
        if (running != null) {
            running.close();
        }
        listener.close(Duration.ofNanos(Math.max(0, end - System.nanoTime())));
        if (started.get()) {
            // With the listener closed, a concurrent start has nothing left to wait for.
            BoundedWait.upTo(CLOSE_BOUND, starting);
        }
    }
}
