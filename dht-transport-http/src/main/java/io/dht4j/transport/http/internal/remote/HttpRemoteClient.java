package io.dht4j.transport.http.internal.remote;

import io.dht4j.security.Tls;
import io.dht4j.transport.common.BoundedWait;
import io.dht4j.transport.common.NodeAddress;
import io.dht4j.transport.common.RemoteAdmission;
import io.dht4j.transport.common.options.RemoteApiOptions.Limits;
import io.dht4j.transport.http.internal.common.ApiProtocol;
import io.dht4j.transport.http.internal.common.Ndjson;
import io.dht4j.transport.http.internal.peer.HostLookups;
import io.dht4j.transport.http.internal.peer.PeerProtocol;
import io.dht4j.transport.http.internal.peer.VertxStart;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.HostAndPort;
import io.vertx.core.net.KeyCertOptions;
import io.vertx.core.net.TrustOptions;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The connections of a client of the public API, and the calls in flight. Safe for use by any number of threads. */
public final class HttpRemoteClient implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(HttpRemoteClient.class);

    /** The bound on closing sockets and threads, which end well within it. */
    private static final Duration CLOSE_BOUND = Duration.ofSeconds(10);

    /**
     * The bound on a TLS handshake, which has to load hundreds of classes at first. Calls have deadlines of their own.
     */
    private static final int HANDSHAKE_SECONDS = 10;

    private static final Set<String> TLS_VERSIONS = Set.of("TLSv1.2", "TLSv1.3");

    private final HttpRemoteConnections connections;
    private final Optional<Tls> tls;
    private final Optional<String> authorization;
    private final Vertx vertx;
    private final Context context;
    private final HttpClientAgent agent;
    private final RemoteAdmission admission;
    private final Set<HttpRemoteCall<?>> underWay = ConcurrentHashMap.newKeySet();
    /** Hosts to which the token may go in plaintext. */
    private final Set<String> trusted = ConcurrentHashMap.newKeySet();

    /** The addresses at which a node has answered. */
    private final Set<String> answered = ConcurrentHashMap.newKeySet();

    private volatile Consumer<String> stopping = address -> {};
    private final AtomicBoolean closed = new AtomicBoolean();
    private final CompletableFuture<Void> closing = new CompletableFuture<>();

    public HttpRemoteClient(HttpRemoteConnections connections, Limits limits) {
        this.connections = connections;
        this.admission = new RemoteAdmission(limits);
        this.tls = connections.security().tls().map(files -> Tls.load(files, LOG::warn));
        this.authorization = connections.token().map(token -> "Bearer " + token);
        this.vertx = VertxStart.run(() -> Vertx.vertx(VertxStart.options(1).setPreferNativeTransport(true)));
        this.context = vertx.getOrCreateContext();
        HttpClientOptions client = clientOptions();
        this.agent = vertx.httpClientBuilder()
                .with(client)
                // Vert.x logs the failures of connections that have no handler.
                .withConnectHandler(made -> made.exceptionHandler(
                        e -> LOG.debug("connection to {} failed: {}", made.remoteAddress(), String.valueOf(e))))
                .with(HostLookups.following(client))
                .with(new PoolOptions()
                        .setHttp1MaxSize(connections.perNode())
                        .setMaxWaitQueueSize(limits.maxInFlight()))
                .build();
    }

    private HttpClientOptions clientOptions() {
        HttpClientOptions client = new HttpClientOptions()
                .setKeepAlive(true)
                .setKeepAliveTimeout((int) Math.max(1, connections.idleTimeout().toSeconds()))
                .setPipelining(false)
                .setTcpNoDelay(true)
                .setConnectTimeout((int) connections.connectTimeout().toMillis());
        tls.ifPresent(own -> {
            client.setSsl(true)
                    .setVerifyHost(true)
                    .setTrustOptions(TrustOptions.wrap(own.trustManager()))
                    .setEnabledSecureTransportProtocols(TLS_VERSIONS)
                    .setSslHandshakeTimeoutUnit(TimeUnit.SECONDS)
                    .setSslHandshakeTimeout(HANDSHAKE_SECONDS);
            if (connections
                    .security()
                    .tls()
                    .flatMap(files -> files.certificate())
                    .isPresent()) {
                client.setKeyCertOptions(KeyCertOptions.wrap(own.keyManager()));
            }
        });
        return client;
    }

    /**
     * Sends a request, and reads its answer.
     *
     * @return completes on the event loop, by the request's timeout
     */
    public <T> CompletionStage<T> call(String address, HttpRemoteRequest request, HttpRemoteAnswer<T> answer) {
        HttpRemoteCall<T> call = new HttpRemoteCall<>(address, request, answer, this);
        Optional<NodeAddress> parsed = NodeAddress.parse(address);
        if (parsed.isEmpty()) {
            call.refuse("not an address of the form " + NodeAddress.FORM);
            return call.stage();
        }
        HostAndPort node = HostAndPort.create(parsed.get().host(), parsed.get().port());
        String full = admission.enter(request.bodyBytes());
        if (full != null) {
            call.overload(full);
            return call.stage();
        }
        underWay.add(call);
        // The caller gets the stage behind this one, so that its next call finds the room that this one releases.
        CompletionStage<T> ended = call.stage().whenComplete((result, error) -> {
            underWay.remove(call);
            admission.leave(request.bodyBytes());
        });
        try {
            context.runOnContext(now -> call.start(node));
        } catch (RejectedExecutionException e) {
            call.refuseClosed();
        }
        // Closing sets its flag first and searches for calls afterwards.
        if (closed.get()) {
            call.refuseClosed();
        }
        return ended;
    }

    /** Sets the receiver of the address of a node whose answer announces that it is about to stop. */
    public void onStopping(Consumer<String> listener) {
        stopping = listener;
    }

    void isStopping(String address) {
        stopping.accept(address);
    }

    void hasAnswered(String address) {
        answered.add(address);
    }

    /** Returns a hint why a node closes a connection without an answer. */
    String hintOfClosed(String address) {
        if (answered.contains(address)) {
            return "";
        }
        return tls.isPresent()
                ? ": is this a port of another transport?"
                : ": does this port speak TLS, or is it a port of another transport?";
    }

    Vertx vertx() {
        return vertx;
    }

    /**
     * Gets a connection to a node for a request.
     *
     * @return fails if there is none; then no byte has been sent
     */
    Future<HttpClientRequest> connect(HostAndPort node, HttpRemoteRequest request) {
        RequestOptions head = new RequestOptions()
                .setHost(PeerProtocol.hostInUri(node.host()))
                .setPort(node.port())
                .setMethod(request.method())
                .setURI(request.target());
        authorization.ifPresent(header -> head.putHeader(HttpHeaders.AUTHORIZATION, header));
        request.headers().forEach(head::putHeader);
        if (request.isScanOrBatch()) {
            head.putHeader(HttpHeaders.ACCEPT, Ndjson.CONTENT_TYPE);
        }
        if (request.bringsLines()) {
            head.putHeader(HttpHeaders.CONTENT_TYPE, Ndjson.CONTENT_TYPE);
        }
        request.trace().ifPresent(trace -> {
            head.putHeader(ApiProtocol.TRACE_PARENT, trace.traceparent());
            if (!trace.state().isEmpty()) {
                head.putHeader(ApiProtocol.TRACE_STATE, trace.state());
            }
        });
        return guardToken(node.host()).compose(allowed -> agent.request(head));
    }

    /** Refuses to send the token in plaintext to a host where that is not allowed. */
    private Future<Void> guardToken(String host) {
        if (authorization.isEmpty() || tls.isPresent() || trusted.contains(host)) {
            return Future.succeededFuture();
        }
        return vertx.executeBlocking(
                () -> {
                    connections.security().requirePlaintextTokenAllowed("the token for HTTP", host, LOG::warn);
                    trusted.add(host);
                    return null;
                },
                false);
    }

    public boolean isClosed() {
        return closed.get();
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            for (HttpRemoteCall<?> call : underWay) {
                call.abandon("the client was closed");
            }
            vertx.close().onComplete(result -> {
                tls.ifPresent(Tls::close);
                if (result.failed()) {
                    LOG.warn("closing the HTTP client failed", result.cause());
                }
                closing.complete(null);
            });
        }
        if (!BoundedWait.upTo(CLOSE_BOUND, closing)) {
            LOG.warn("the HTTP client did not close in time; its threads go on in the background");
        }
    }
}
