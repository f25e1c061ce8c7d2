package io.dht4j.transport.http;

import static java.util.Objects.requireNonNull;

import io.dht4j.Cluster;
import io.dht4j.DhtException;
import io.dht4j.security.TokenGuard;
import io.dht4j.spi.ClosingThread;
import io.dht4j.spi.TransportException;
import io.dht4j.transport.common.ReadinessConditions;
import io.dht4j.transport.common.options.ListenAddress;
import io.dht4j.transport.http.internal.api.ApiHandler;
import io.dht4j.transport.http.internal.api.MetricsEndpoint;
import io.dht4j.transport.http.internal.api.ProbesEndpoint;
import io.dht4j.transport.http.internal.api.RequestAdmission;
import io.dht4j.transport.http.internal.netty.VertxVersions;
import io.dht4j.transport.http.internal.server.HttpListener;
import io.dht4j.transport.http.internal.server.HttpListenerOptions;
import io.vertx.core.Context;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves a cluster's keys to clients over HTTP: entities, scans, placement and status under {@code /v0}, errors as
 * problem details. {@code docs/reference/http-api.md} is the contract.
 *
 * <p>An API does not own its cluster: close the API first, then the cluster. Safe for use by any number of threads.
 */
public final class HttpApi implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(HttpApi.class);

    private final HttpListener listener;
    private final RequestAdmission admission;
    private final TokenGuard guard;
    private final HttpApiOptions options;
    private final boolean ownsListener;
    private final ProbesEndpoint probes;
    private final MetricsEndpoint metrics = new MetricsEndpoint();
    private volatile boolean closed;

    private HttpApi(
            HttpListener listener,
            Cluster cluster,
            RequestAdmission admission,
            TokenGuard guard,
            HttpApiOptions options,
            boolean ownsListener) {
        this.listener = listener;
        this.admission = admission;
        this.guard = guard;
        this.options = options;
        this.ownsListener = ownsListener;
        listener.browsers().accept(options.publicHosts());
        guard.onChange(admission::recheckTokens);
        this.probes = new ProbesEndpoint(cluster, admission);
        listener.attachApi(new ApiHandler(
                listener, cluster, options.limits(), options.patience(), admission, guard, probes, metrics));
    }

    /**
     * Starts an API on the port on which a transport listens for the node's peers. A transport is shared by one API at
     * a time. Blocks while it reads the file of tokens.
     *
     * @param transport the cluster's own transport. The API serves from the transport's start on
     * @param cluster what to serve
     * @param options limits, timeouts and tokens; {@code idleTimeout}, TLS and the permission for plaintext are the
     *     transport's instead
     * @return the API, serving
     * @throws IllegalArgumentException if the file of tokens is missing or has a bad line, or if the options have TLS
     * @throws IllegalStateException if the transport or the cluster is closed, or another API shares the transport
     */
    public static HttpApi sharing(HttpTransport transport, Cluster cluster, HttpApiOptions options) {
        requireNonNull(transport, "transport");
        requireNonNull(cluster, "cluster");
        requireNonNull(options, "options");
        if (options.listener().security().tls().isPresent()) {
            throw new IllegalArgumentException("tls is the transport's option where the API shares its port");
        }
        transport.requireShareable();
        ReadinessConditions.requireOpen(cluster);
        RequestAdmission admission = new RequestAdmission(options.limits());
        TokenGuard guard = new TokenGuard(options.tokens(), LOG::warn);
        return new HttpApi(transport.listener(), cluster, admission, guard, options, false);
    }

    /**
     * Starts an API on a port of its own. Blocks until it listens.
     *
     * @param host the address to bind
     * @param port the port to bind, 0 for any free one
     * @param cluster what to serve
     * @param options limits, timeouts, tokens and TLS
     * @return the API, serving
     * @throws IllegalArgumentException if the host is blank or has a port, the port is not 0 to 65535, the file of
     *     tokens is missing or has a bad line, a file for TLS is invalid, or the port would be plaintext beyond
     *     loopback without permission
     * @throws TransportException if the port cannot be bound; the message names host and port
     * @throws IllegalStateException if the cluster is closed, or the class path has a Vert.x or Netty that is too old;
     *     the message names the remedy
     */
    public static HttpApi listening(String host, int port, Cluster cluster, HttpApiOptions options) {
        requireNonNull(host, "host");
        requireNonNull(cluster, "cluster");
        requireNonNull(options, "options");
        VertxVersions.check();
        ReadinessConditions.requireOpen(cluster);
        HttpListenerOptions own =
                HttpListenerOptions.of(new ListenAddress(host, port), options.listener(), options.headTimeout());
        RequestAdmission admission = new RequestAdmission(options.limits());
        TokenGuard guard = new TokenGuard(options.tokens(), LOG::warn);
        HttpApi api = new HttpApi(new HttpListener(own), cluster, admission, guard, options, true);
        try {
            api.listener.start().toCompletableFuture().join();
        } catch (RuntimeException e) {
            api.close();
            Throwable failure = DhtException.unwrap(e);
            if (failure.getCause() instanceof IllegalArgumentException refused) {
                throw new IllegalArgumentException(refused.getMessage(), failure);
            }
            throw failure instanceof TransportException reason ? reason.traced() : e;
        }
        return api;
    }

    /**
     * Makes {@code /readyz} report what the node waits for until it has started.
     *
     * @param waitsFor returns one line for people, or an empty text once the node has started; must neither block nor
     *     throw
     */
    public void starting(Supplier<String> waitsFor) {
        probes.starting(requireNonNull(waitsFor, "waitsFor"));
    }

    /**
     * Lets {@code GET /metrics} answer with a text in the format of Prometheus, for any token. Without this the path is
     * unknown.
     *
     * @param text begins to gather the text and returns a stage that completes with it, on any thread; called on an
     *     event loop for each request, so it must neither block nor begin more work than it can bound
     */
    public void metrics(Supplier<? extends CompletionStage<String>> text) {
        metrics.from(requireNonNull(text, "text"));
    }

    /**
     * Returns the port.
     *
     * @return the port that is bound
     */
    public int port() {
        return listener.port();
    }

    /**
     * Reports that this API can no longer serve although it was not closed, because an event loop has ended.
     *
     * @return completes with the reason, one line for people, on any thread
     */
    public CompletionStage<String> failure() {
        return listener.failure();
    }

    /**
     * Announces to clients that this API is about to close, and serves them as before. From now on {@code /readyz}
     * answers 503, each answer has the header {@code Dht-Stopping} and ends its connection, and HTTP/2 connections of
     * clients receive a GOAWAY. A client that honours one of these calls another node before this one closes. Does not
     * block; may be called repeatedly.
     */
    public void announceStop() {
        if (admission.announceStop()) {
            listener.connections().announceStop();
        }
    }

    /**
     * Stops accepting requests, waits for at most {@code drainTimeout} until those in flight have ended, then closes
     * their connections. Requests that arrive in the meantime over open connections are answered 503. On return an own
     * port is released and its threads have ended; a shared one continues to serve the node's peers. Blocks; must not
     * be called on an event loop. May be called repeatedly.
     *
     * @throws IllegalStateException if called on an event loop, or if an action of a stage, an observer or a listener
     *     calls this on a thread of the library; nothing is closed then
     */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        ClosingThread.check("the HTTP API", Context.isOnEventLoopThread(), LOG::warn);
        admission.stop();
        if (ownsListener) {
            listener.close();
        } else {
            if (!admission.awaitIdle(options.listener().drainTimeout())) {
                admission.cutAll();
            }
            listener.detachPublic();
        }
        guard.close();
        closed = true;
    }
}
