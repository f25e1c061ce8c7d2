package io.dht4j.transport.http.clients;

import io.dht4j.transport.common.calls.PeerCall;
import io.dht4j.transport.http.internal.peer.PeerOptions;
import io.dht4j.transport.http.internal.peer.PeerProtocol;
import io.dht4j.transport.http.internal.peer.PeerQueue;
import io.dht4j.transport.http.internal.peer.PeerReply;
import io.dht4j.transport.http.internal.peer.PeerTls;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One {@code java.net.http} client and its connections to one peer: with HTTP/2, a single one.
 *
 * <p>That client begins HTTP/2 in plaintext with an upgrade of the first request, and several concurrent first requests
 * would each open a connection. The first call, and the first after a failure or a pause, therefore wait for an empty
 * request of this class that establishes the connection. It also shows that both sides use HTTP/2. Safe for use by any
 * number of threads.
 *
 * <p>The client has no ping. It keeps a connection over a cut network for as long as TCP does, which is minutes. So
 * when a deadline passes without received bytes, an empty request probes the peer, with as much time as the call had.
 * Without an answer another client replaces this one.
 */
final class JdkConnections {

    private static final Logger LOG = LoggerFactory.getLogger(JdkConnections.class);

    /** {@code HttpClient.shutdownNow()}, from JDK 21 on. */
    private static final Optional<MethodHandle> SHUTDOWN_NOW = method("shutdownNow");

    /** {@code HttpClient.shutdown()}, from JDK 21 on. */
    private static final Optional<MethodHandle> SHUTDOWN = method("shutdown");

    /** The shortest interval at which a client is replaced because its certificate was refused. */
    private static final long RENEW_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The least time for the answer to a probe: a pause of the peer's process must not cost the other calls. */
    private static final Duration LEAST_PATIENCE = Duration.ofSeconds(1);

    /** Less than the time after which JDKs close an unused connection. */
    private static final Duration PAUSE = Duration.ofSeconds(10);

    private final Supplier<HttpClient> clients;
    private final Optional<PeerTls> tls;
    private final PeerQueue queue;
    private final boolean http2;
    private final int maxFrameBytes;
    private final long pauseNanos;
    private final HttpRequest.Builder template;
    private final HttpRequest empty;
    private final AtomicReference<@Nullable CompletableFuture<Void>> settled = new AtomicReference<>();
    private final AtomicBoolean asking = new AtomicBoolean();
    private volatile long lastReply = System.nanoTime();
    /** When the last bytes came from the peer. */
    private volatile long heardAt = System.nanoTime();

    private volatile HttpClient client;
    private long lastRenewal = System.nanoTime() - RENEW_NANOS;
    private boolean closed;

    JdkConnections(
            Supplier<HttpClient> clients,
            URI uri,
            Optional<PeerTls> tls,
            PeerQueue queue,
            boolean http2,
            PeerOptions options) {
        this.tls = tls;
        this.clients = clients;
        this.client = clients.get();
        this.queue = queue;
        this.http2 = http2;
        this.maxFrameBytes = options.limits().maxFrameBytes();
        this.pauseNanos = Math.min(PAUSE.toNanos(), options.keepAlive().toNanos());
        this.template = HttpRequest.newBuilder(uri).header(PeerProtocol.PEER_HEADER, PeerProtocol.PEER);
        this.empty = template.copy()
                .method("OPTIONS", BodyPublishers.noBody())
                .timeout(options.connectTimeout())
                .build();
    }

    private static Optional<MethodHandle> method(String name) {
        try {
            return Optional.of(MethodHandles.publicLookup()
                    .findVirtual(HttpClient.class, name, MethodType.methodType(void.class)));
        } catch (NoSuchMethodException | IllegalAccessException e) {
            return Optional.empty();
        }
    }

    /** Sends a call; reports to the queue when the client is done with it. */
    void begin(PeerCall call) {
        if (!http2) {
            exchange(call);
            return;
        }
        connectFor(call, true);
    }

    /**
     * Connects for a call. The call fails only with a connection attempt that began after it came: an earlier one may
     * have failed because the peer was not there yet.
     *
     * @param first whether an attempt in progress may be an earlier one
     */
    private void connectFor(PeerCall call, boolean first) {
        CompletableFuture<Void> before = settled.get();
        CompletableFuture<Void> connection = connection();
        boolean mayBeTooOld = first && connection == before;
        if (connection.isDone() && !connection.isCompletedExceptionally()) {
            exchange(call);
            return;
        }
        connection.whenComplete((done, error) -> {
            if (error == null) {
                exchange(call);
            } else if (mayBeTooOld) {
                connectFor(call, false);
            } else {
                // No byte of its frame has been sent yet.
                Throwable cause = unwrapped(error);
                PeerReply.unconnected(call, "cannot connect: " + PeerReply.reason(cause), cause);
                queue.done(call);
            }
        });
    }

    /** Returns the HTTP/2 connection, or the attempt to make it. */
    private CompletableFuture<Void> connection() {
        while (true) {
            CompletableFuture<Void> known = settled.get();
            if (known != null && (!known.isDone() || System.nanoTime() - lastReply < pauseNanos)) {
                return known;
            }
            CompletableFuture<Void> making = new CompletableFuture<>();
            if (settled.compareAndSet(known, making)) {
                HttpClient used = client;
                used.sendAsync(empty, BodyHandlers.discarding()).whenComplete((response, error) -> {
                    lastReply = System.nanoTime();
                    if (error == null) {
                        heardAt = System.nanoTime();
                    } else if (isSilence(error)) {
                        replace(used);
                    }
                    if (error != null) {
                        settled.compareAndSet(making, null);
                        making.completeExceptionally(error);
                    } else if (response.version() != HttpClient.Version.HTTP_2) {
                        settled.compareAndSet(making, null);
                        making.completeExceptionally(new IllegalStateException("it does not speak HTTP/2"));
                    } else {
                        making.complete(null);
                    }
                });
                return making;
            }
        }
    }

    private void exchange(PeerCall call) {
        if (call.hasEnded()) {
            queue.done(call);
            return;
        }
        HttpRequest request = template.copy()
                .header(PeerProtocol.DEADLINE_HEADER, PeerProtocol.deadline(call))
                .POST(new JdkFrames.Publisher(call.request()))
                .build();
        HttpClient used = client;
        long sentAt = System.nanoTime();
        CompletableFuture<HttpResponse<Void>> response = used.sendAsync(request, info -> {
            heardAt = System.nanoTime();
            return JdkFrames.subscriber(call, info, maxFrameBytes);
        });
        call.carriedBy(() -> response.cancel(true));
        if (call.isCompletedExceptionally()) {
            response.cancel(true);
        }
        response.whenComplete((reply, error) -> {
            if (error != null) {
                if (!call.hasEnded()) {
                    settled.set(null);
                }
                PeerReply.failed(call, error, tls);
                long waited = System.nanoTime() - sentAt;
                if (System.nanoTime() - call.deadline() >= 0 && sentAt - heardAt > 0) {
                    doubt(used, waited);
                }
            } else {
                lastReply = System.nanoTime();
                heardAt = System.nanoTime();
                if (reply.statusCode() == PeerProtocol.FORBIDDEN && tls.isPresent()) {
                    renew(used);
                }
            }
            queue.done(call);
        });
    }

    /** Probes the peer over the same connection; with HTTP/2 further calls wait for its answer. */
    private void doubt(HttpClient used, long nanos) {
        if (client != used || !asking.compareAndSet(false, true)) {
            return;
        }
        HttpRequest question = template.copy()
                .method("OPTIONS", BodyPublishers.noBody())
                .timeout(Duration.ofNanos(Math.max(nanos, LEAST_PATIENCE.toNanos())))
                .build();
        CompletableFuture<Void> known = settled.get();
        CompletableFuture<Void> answered = new CompletableFuture<>();
        boolean held = known != null && known.isDone() && settled.compareAndSet(known, answered);
        used.sendAsync(question, BodyHandlers.discarding()).whenComplete((response, error) -> {
            asking.set(false);
            if (error == null) {
                heardAt = System.nanoTime();
                lastReply = heardAt;
                answered.complete(null);
                return;
            }
            if (isSilence(error)) {
                replace(used);
            }
            if (held) {
                settled.compareAndSet(answered, null);
            }
            answered.completeExceptionally(error);
        });
    }

    /** Returns whether a failure is a missing answer over an established connection. */
    private static boolean isSilence(Throwable error) {
        Throwable cause = error instanceof CompletionException ? unwrapped(error) : error;
        return cause instanceof HttpTimeoutException && !(cause instanceof HttpConnectTimeoutException);
    }

    /** Replaces a client. The calls in flight over the old one continue, and its connections end with them. */
    private synchronized void replace(HttpClient silent) {
        if (client == silent && !closed) {
            client = clients.get();
            settled.set(null);
            invoke(SHUTDOWN, silent);
        }
    }

    /**
     * Replaces a client whose certificate was refused. There may be another certificate by now, and a client resumes
     * sessions of the old one. The calls in flight over the old client continue.
     */
    private synchronized void renew(HttpClient refused) {
        if (client == refused && !closed && System.nanoTime() - lastRenewal > RENEW_NANOS) {
            lastRenewal = System.nanoTime();
            client = clients.get();
            settled.set(null);
            invoke(SHUTDOWN, refused);
        }
    }

    private static Throwable unwrapped(Throwable error) {
        Throwable cause = error.getCause();
        return cause == null ? error : cause;
    }

    /** Ends the connections, where the JDK can. Does not block. */
    synchronized void close() {
        closed = true;
        invoke(SHUTDOWN_NOW, client);
    }

    private static void invoke(Optional<MethodHandle> method, HttpClient client) {
        if (method.isPresent()) {
            try {
                method.get().invoke(client);
            } catch (Throwable e) {
                LOG.warn("closing the HTTP client failed", e);
            }
        }
    }
}
