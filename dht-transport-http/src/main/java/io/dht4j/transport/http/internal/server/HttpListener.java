package io.dht4j.transport.http.internal.server;

import io.dht4j.ErrorCode;
import io.dht4j.security.HandshakeFailureLog;
import io.dht4j.security.Tls;
import io.dht4j.spi.ConnectFailure;
import io.dht4j.spi.TransportException;
import io.dht4j.spi.TransportException.Outcome;
import io.dht4j.transport.common.BoundedWait;
import io.dht4j.transport.common.OpenFiles;
import io.dht4j.transport.common.RateLimitedLog;
import io.dht4j.transport.common.ThreadWatch;
import io.dht4j.transport.common.TransportLifecycle;
import io.dht4j.transport.common.options.WireSecurity;
import io.dht4j.transport.http.internal.common.HttpProblem;
import io.dht4j.transport.http.internal.common.HttpText;
import io.dht4j.transport.http.internal.netty.BrowserHeaders;
import io.dht4j.transport.http.internal.peer.PeerLoop;
import io.dht4j.transport.http.internal.peer.PeerProtocol;
import io.dht4j.transport.http.internal.peer.VertxStart;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One port and the event loops behind it. On a port for peers, requests to {@link PeerProtocol#PATH} go to the peer
 * handler; all others go to the public handler. Either may be attached and detached while the listener runs. Without a
 * handler the answer is 503.
 *
 * <p>There is one HTTP server per event loop. The servers share the port, and each connection stays with the loop that
 * accepted it. Handlers run on that loop and must not block. Their later work on a response must run on that loop too
 * ({@code Vertx.currentContext()} while handling, then {@code runOnContext}). A handler must not replace
 * {@link HttpConnection#closeHandler}, which counts connections. Safe for use by any number of threads.
 */
public final class HttpListener {

    private static final Logger LOG = LoggerFactory.getLogger(HttpListener.class);

    /** The bound on closing sockets and threads. They end well within it once no request is in flight. */
    private static final Duration CLOSE_BOUND = Duration.ofSeconds(10);

    /** The bound when event loops have ended, whose tasks never end. */
    private static final Duration FAILED_BOUND = Duration.ofSeconds(1);

    private static final Handler<HttpServerRequest> UNATTACHED =
            notServing("this node does not serve: it starts or stops");

    private static final PublicHandler NONE = new PublicHandler(UNATTACHED, false, Optional.empty());

    private static final PublicHandler NEVER_ATTACHED = new PublicHandler(
            notServing("this port serves other nodes only, unless HttpApi.sharing lets it serve clients"),
            false,
            Optional.empty());

    private final HttpListenerOptions options;
    private final HttpConnections connections;
    private final HttpBrowserGuard browsers = new HttpBrowserGuard();
    private final Vertx vertx;
    private final Queue<HttpServer> servers = new ConcurrentLinkedQueue<>();
    private final Queue<PeerLoop> loops = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean closed = new AtomicBoolean();
    private final CompletableFuture<Void> started = new CompletableFuture<>();
    private final CompletableFuture<Void> closing = new CompletableFuture<>();
    /** Watches the event loops, and the thread that accepts connections for them. */
    private final ThreadWatch watch;

    private final HandshakeFailureLog refusedCallers = new HandshakeFailureLog(LOG::warn);
    /** For failures that any number of requests may have. */
    private final RateLimitedLog failures = new RateLimitedLog(LOG::warn);

    private volatile Optional<Tls> tls = Optional.empty();
    private volatile Handler<HttpServerRequest> peerHandler = UNATTACHED;
    private volatile PublicHandler publicHandler = NEVER_ATTACHED;
    private volatile int port;

    /** Starts the event loops; the port opens only with {@link #start}. */
    public HttpListener(HttpListenerOptions options) {
        this(options, OpenFiles.limit());
    }

    /** Does the same as {@link #HttpListener(HttpListenerOptions)}, with this limit of open files. */
    public HttpListener(HttpListenerOptions options, OptionalLong openFiles) {
        this.options = options;
        this.connections = new HttpConnections(options, openFiles);
        browsers.accept(List.of(options.address().host()));
        this.vertx = VertxStart.run(() -> Vertx.builder()
                .with(VertxStart.options(options.eventLoops()))
                .withTransport(connections.transport())
                .build());
        this.watch = ThreadWatch.start(
                "dht4j-http-watch",
                "an event loop of " + options.address() + " has ended, most likely for lack of memory");
    }

    private static Handler<HttpServerRequest> notServing(String why) {
        return request -> {
            request.response().putHeader(PeerProtocol.OUTCOME_HEADER, PeerProtocol.NOT_SENT);
            answer(closing(request), HttpProblem.of(ErrorCode.NOT_SERVING, why));
        };
    }

    /** Returns the response of a request after which its connection ends; HTTP/2 has no such header. */
    static HttpServerResponse closing(HttpServerRequest request) {
        return request.version() == HttpVersion.HTTP_2
                ? request.response()
                : request.response().putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
    }

    /** Returns a response that the pages of other sites cannot use. */
    static HttpServerResponse forbidUse(HttpServerResponse response) {
        return response.putHeader(BrowserHeaders.CONTENT_TYPE_OPTIONS, BrowserHeaders.NOSNIFF)
                .putHeader(BrowserHeaders.RESOURCE_POLICY, BrowserHeaders.SAME_ORIGIN);
    }

    /**
     * Answers with an error.
     *
     * @return completes when the answer is written, or cannot be
     */
    static Future<Void> answer(HttpServerResponse response, HttpProblem problem) {
        forbidUse(response)
                .setStatusCode(problem.status())
                .putHeader(HttpHeaders.CONTENT_TYPE, HttpProblem.CONTENT_TYPE);
        if (problem.retryLater()) {
            response.putHeader(HttpHeaders.RETRY_AFTER, "1");
        }
        return response.end(problem.body());
    }

    /** Returns the Vert.x instance, for clients and timers on the same event loops. {@link #close} ends it. */
    public Vertx vertx() {
        return vertx;
    }

    /** Returns the event loops that accept connections, once {@link #start} has completed. */
    public List<PeerLoop> loops() {
        return List.copyOf(loops);
    }

    /**
     * Reads the certificates and binds the port.
     *
     * @return completes when connections are accepted; fails with a {@link TransportException} that names host and
     *     port, and the file if one is invalid
     */
    public CompletionStage<Void> start() {
        connections.warnOfLimits();
        browsers.acceptMachineNames();
        return start(Optional.of(
                options.address().port() == 0
                        ? SocketAddress.sharedRandomPort(1, options.address().host())
                        : SocketAddress.inetSocketAddress(
                                options.address().port(), options.address().host())));
    }

    /**
     * Reads the certificates and starts the event loops, for a member that only calls.
     *
     * @return completes when that is done; fails with a {@link TransportException} that names an invalid file
     */
    public CompletionStage<Void> startWithoutListening() {
        return start(Optional.empty());
    }

    private CompletionStage<Void> start(Optional<SocketAddress> address) {
        DeploymentOptions onEveryLoop = new DeploymentOptions().setInstances(options.eventLoops());
        vertx.executeBlocking(() -> secure(address.isPresent()), false)
                .compose(secured -> vertx.deployVerticle(() -> new Server(address), onEveryLoop))
                .onComplete(result -> {
                    if (result.succeeded()) {
                        loops.forEach(loop -> watch.add(loop.thread()));
                        connections.acceptor().ifPresent(watch::add);
                        started.complete(null);
                    } else {
                        String what = address.isEmpty() ? "cannot start" : "cannot listen on " + options.address();
                        String message = what + ": " + TransportLifecycle.reason(result.cause());
                        started.completeExceptionally(
                                new TransportException(Outcome.NOT_SENT, message, result.cause()));
                    }
                });
        return started;
    }

    /** Reads the certificates, or checks that none are needed. Blocks. */
    private boolean secure(boolean listens) {
        WireSecurity security = options.listener().security();
        if (security.tls().isEmpty()) {
            if (listens) {
                security.requirePlaintextAllowed("HTTP", options.address().host(), LOG::warn);
            }
            return false;
        }
        Tls loaded = Tls.load(security.tls().get(), LOG::warn);
        tls = Optional.of(loaded);
        // Closing sets its flag first and searches for files afterwards; this method does the opposite.
        if (closed.get()) {
            loaded.close();
            throw new IllegalStateException("closed");
        }
        return true;
    }

    /** Returns a stage that completes, on any thread, when an event loop ends without having been closed. */
    public CompletionStage<String> failure() {
        return watch.failure();
    }

    /**
     * Returns the own keys and certificates, once {@link #start} has completed, if there are any. {@link #close} closes
     * them.
     */
    public Optional<Tls> tls() {
        return tls;
    }

    /** Returns the log of callers whose certificates are not acceptable. */
    HandshakeFailureLog refusedCallers() {
        return refusedCallers;
    }

    /** Returns the bound port, once {@link #start} has completed; 0 before. */
    public int port() {
        return port;
    }

    /** Returns whether the options have TLS. */
    boolean isSecure() {
        return options.listener().security().tls().isPresent();
    }

    /** Returns the host of the options. */
    public String host() {
        return options.address().host();
    }

    /** Sends requests to {@link PeerProtocol#PATH} to a handler from now on, where the options are for peers. */
    public void attachPeer(Handler<HttpServerRequest> handler) {
        peerHandler = handler;
    }

    /** Sends requests to all other paths to a handler from now on. The first request gets its connection a place. */
    public void attachPublic(Handler<HttpServerRequest> handler) {
        publicHandler = new PublicHandler(handler, false, Optional.empty());
    }

    /**
     * Does the same as {@link #attachPublic} for a public API. It asks by itself for a connection's place, when it
     * carries out a request: refused requests need none. Requests that a foreign page may have sent do not reach it.
     */
    public void attachApi(Api api) {
        publicHandler = new PublicHandler(api, true, Optional.of(api));
    }

    /** Returns whether a public API is attached. */
    public boolean hasApi() {
        return publicHandler.api.isPresent();
    }

    /** A public API. Its methods do not block. */
    public interface Api extends Handler<HttpServerRequest> {

        /** Returns whether its clients need tokens. */
        boolean hasTokens();

        /** Answers a request with an error. */
        void refuse(HttpServerRequest request, HttpProblem problem);
    }

    /** Returns the check for requests of foreign pages, which knows the names of this node. */
    public HttpBrowserGuard browsers() {
        return browsers;
    }

    /** Answers further requests to all other paths with 503. */
    public void detachPublic() {
        publicHandler = NONE;
    }

    /** Returns the connections to this port. */
    public HttpConnections connections() {
        return connections;
    }

    /**
     * Stops listening, gives requests in flight the time of the options, closes every connection and ends the threads.
     * Blocks for a bounded time; must not be called on an event loop. May be called repeatedly and by several threads:
     * each returns when it is done.
     */
    public void close() {
        close(options.listener().drainTimeout());
    }

    /** Does the same as {@link #close()}, with another time for requests in flight. */
    public void close(Duration drainTimeout) {
        if (closed.compareAndSet(false, true)) {
            watch.close();
            try {
                shutDown(drainTimeout);
            } catch (RejectedExecutionException e) {
                // An event loop has ended that would close its part of the port: only the end of the process closes it.
                LOG.debug("{}:{} cannot be closed in order", options.address().host(), port, e);
                closed(Optional.of(e));
            }
        }
        awaitClosed();
    }

    private void shutDown(Duration drainTimeout) {
        connections.close();
        Future<Void> drained = Future.succeededFuture();
        for (HttpServer server : servers) {
            Future<Void> shutdown = server.shutdown(drainTimeout);
            drained = drained.eventually(() -> shutdown);
        }
        drained.eventually(vertx::close).onComplete(result -> closed(Optional.ofNullable(result.cause())));
    }

    private void closed(Optional<Throwable> problem) {
        tls.ifPresent(Tls::close);
        problem.ifPresent(
                cause -> LOG.warn("closing {}:{} failed: {}", options.address().host(), port, cause.toString()));
        // A start that was overtaken may have been dropped with the threads.
        started.completeExceptionally(new TransportException(Outcome.NOT_SENT, options.address() + " is closed"));
        closing.complete(null);
    }

    private void awaitClosed() {
        Duration bound = watch.hasFailed()
                ? FAILED_BOUND
                : options.listener().drainTimeout().plus(CLOSE_BOUND);
        if (!BoundedWait.upTo(bound, closing)) {
            LOG.warn(
                    "{}:{} did not close in time; its threads go on in the background",
                    options.address().host(),
                    port);
        }
    }

    private void handle(HttpServerRequest request) {
        PublicHandler known = publicHandler;
        Handler<HttpServerRequest> handler = known.handler;
        boolean isPeers = options.forPeers() && PeerProtocol.PATH.equals(request.path());
        if (!isPeers || !request.method().equals(HttpMethod.POST)) {
            // A frame that passes the check below is no browser's, and its reply does without.
            forbidUse(request.response());
        }
        if (!connections.admitsHead(request, isPeers || known.asksForPlaces)) {
            return;
        }
        if (PeerProtocol.PATH.equals(request.path())) {
            if (options.forPeers()) {
                handler = peerHandler;
            } else {
                // The public API refuses it as it does any other path; a peer with the wrong port learns that its
                // request was not carried out.
                request.response().putHeader(PeerProtocol.OUTCOME_HEADER, PeerProtocol.NOT_SENT);
            }
        }
        try {
            if (!isForeignPage(request, isPeers, known)) {
                handler.handle(request);
            }
        } catch (RuntimeException | Error e) {
            String shown = request.method() + " " + HttpText.shown(request.path());
            if (e instanceof OutOfMemoryError) {
                failures.log(() -> "no memory to handle " + shown);
            } else {
                // One line: a stranger can make the wrapped server fail, over connections that it breaks.
                failures.log(() -> "handling " + shown + " failed: " + e + place(e));
                LOG.debug("handling {} failed", shown, e);
            }
            if (!request.response().ended() && !request.response().headWritten()) {
                answer(
                        closing(request),
                        HttpProblem.of(ErrorCode.INTERNAL, "internal error; the log of the node names it"));
            } else if (!request.response().ended()) {
                request.connection().close();
            }
        }
    }

    /** Returns whether a request may be a foreign page's, and answers it then: one check before any handler. */
    private boolean isForeignPage(HttpServerRequest request, boolean isPeers, PublicHandler known) {
        if (isPeers) {
            Optional<HttpProblem> refusal = browsers.refusalOfPeer(request);
            refusal.ifPresent(problem -> HttpTransportServer.refuse(request, problem));
            return refusal.isPresent();
        }
        if (known.api.isEmpty()) {
            return false;
        }
        Api api = known.api.get();
        Optional<HttpProblem> refusal = browsers.refusalOfClient(request, api.hasTokens());
        refusal.ifPresent(problem -> api.refuse(request, problem));
        return refusal.isPresent();
    }

    private static String place(Throwable e) {
        StackTraceElement[] trace = e.getStackTrace();
        return trace.length == 0 ? "" : " (" + trace[0] + ")";
    }

    /** Answers bytes that are not HTTP, or longer than HTTP requests may be here, and closes the connection. */
    private static void answerMalformed(HttpServerRequest request) {
        HttpProblem problem = HttpProblem.of(
                ErrorCode.BAD_REQUEST,
                "not a well-formed HTTP/1.1 request, or one whose request line is over "
                        + HttpListenerOptions.MAX_REQUEST_LINE + " or whose headers are over "
                        + HttpListenerOptions.MAX_HEADERS + " bytes");
        answer(closing(request), problem)
                .onComplete(sent -> request.connection().close());
    }

    /**
     * A handler of public requests.
     *
     * @param asksForPlaces whether it requires the places of connections itself
     * @param api the handler as an API, whose requests are guarded against foreign pages; empty for any other
     */
    private record PublicHandler(Handler<HttpServerRequest> handler, boolean asksForPlaces, Optional<Api> api) {}

    /** The server of one event loop. */
    private final class Server extends VerticleBase {

        private final Optional<SocketAddress> address;

        Server(Optional<SocketAddress> address) {
            this.address = address;
        }

        @Override
        public Future<?> start() {
            loops.add(new PeerLoop(context, Thread.currentThread()));
            if (address.isEmpty()) {
                return Future.succeededFuture();
            }
            HttpServer server = vertx.createHttpServer(HttpServerSetup.ofServer(options, tls, refusedCallers))
                    .connectionHandler(connections::connected)
                    .exceptionHandler(this::failedEarly)
                    .invalidRequestHandler(HttpListener::answerMalformed)
                    .requestHandler(HttpListener.this::handle);
            servers.add(server);
            return server.listen(address.get()).onSuccess(listening -> port = listening.actualPort());
        }

        private void failedEarly(Throwable failure) {
            if (ConnectFailure.isPlaintext(failure)) {
                // Vert.x does not tell its address. The exception contains what the caller has sent, perhaps a token.
                refusedCallers.refused("a caller of " + options.address(), "it does not speak TLS");
            } else {
                LOG.debug("connection failed before its first request", failure);
            }
        }
    }
}
