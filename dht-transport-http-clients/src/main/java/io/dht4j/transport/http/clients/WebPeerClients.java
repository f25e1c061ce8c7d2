package io.dht4j.transport.http.clients;

import io.dht4j.Node;
import io.dht4j.transport.common.calls.CallBudget;
import io.dht4j.transport.common.calls.PeerCall;
import io.dht4j.transport.http.internal.peer.HostLookups;
import io.dht4j.transport.http.internal.peer.PeerBody;
import io.dht4j.transport.http.internal.peer.PeerClients;
import io.dht4j.transport.http.internal.peer.PeerLoop;
import io.dht4j.transport.http.internal.peer.PeerOptions;
import io.dht4j.transport.http.internal.peer.PeerProtocol;
import io.dht4j.transport.http.internal.peer.PeerQueue;
import io.dht4j.transport.http.internal.peer.PeerReply;
import io.dht4j.transport.http.internal.peer.PeerTls;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.ClientSSLOptions;
import io.vertx.ext.web.client.HttpRequest;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.ext.web.client.WebClient;
import io.vertx.ext.web.client.WebClientOptions;
import io.vertx.ext.web.codec.BodyCodec;
import io.vertx.ext.web.codec.spi.BodyStream;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Calls over Vert.x's {@code WebClient} and its connection pool. A {@link PeerQueue} precedes the pool, which never has
 * more calls than connections, so its own queue stays empty. The client does not expose which connection carries a
 * request, so a cancelled call leaves its connection busy until the reply or the deadline comes.
 */
final class WebPeerClients implements PeerClients {

    /** The shortest interval at which a client is replaced because its certificate was refused. */
    private static final long RENEW_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Vertx vertx;
    private final List<PeerLoop> loops;
    private final PeerOptions options;

    WebPeerClients(List<PeerLoop> loops, PeerOptions options) {
        this.vertx = loops.get(0).context().owner();
        this.loops = loops;
        this.options = options;
    }

    @Override
    public List<PeerQueue> lanes(Node peer, CallBudget budget, Optional<PeerTls> tls) {
        PeerLoop timers = loops.get(ThreadLocalRandom.current().nextInt(loops.size()));
        return List.of(new Peer(peer, budget, tls, timers).queue);
    }

    private WebClientOptions clientOptions(Optional<PeerTls> tls) {
        WebClientOptions result = new WebClientOptions()
                .setUserAgentEnabled(false)
                .setFollowRedirects(false)
                .setKeepAlive(true)
                .setTcpNoDelay(true)
                .setConnectTimeout((int) options.connectTimeout().toMillis())
                .setIdleTimeoutUnit(TimeUnit.MILLISECONDS)
                .setIdleTimeout((int) options.keepAlive().toMillis() * 2)
                .setKeepAliveTimeout((int) Math.max(1, options.keepAlive().toSeconds()));
        tls.ifPresent(own -> {
            ClientSSLOptions secured = own.options(false);
            result.setSsl(true)
                    .setVerifyHost(false)
                    .setKeyCertOptions(secured.getKeyCertOptions())
                    .setTrustOptions(secured.getTrustOptions())
                    .setEnabledSecureTransportProtocols(PeerTls.VERSIONS);
        });
        return result;
    }

    private Client newClient(Node peer, Optional<PeerTls> tls) {
        WebClientOptions of = clientOptions(tls);
        HttpClient connections = vertx.httpClientBuilder()
                .with(of)
                .with(HostLookups.following(of))
                .with(new PoolOptions()
                        .setHttp1MaxSize(options.connectionsPerPeer())
                        .setMaxWaitQueueSize(options.connectionsPerPeer()))
                .build();
        WebClient client = WebClient.wrap(connections, of);
        RequestOptions request = new RequestOptions()
                .setMethod(HttpMethod.POST)
                .setHost(PeerProtocol.hostInUri(peer.host()))
                .setPort(peer.port())
                .setURI(PeerProtocol.PATH)
                .putHeader(PeerProtocol.PEER_HEADER, PeerProtocol.PEER);
        BodyCodec<byte[]> codec = () -> new Body(options.limits().maxFrameBytes());
        return new Client(client, client.request(request).ssl(tls.isPresent()).as(codec));
    }

    /**
     * A client and the common properties of its requests.
     *
     * @param template copied for each request
     */
    private record Client(WebClient client, HttpRequest<byte[]> template) {}

    /** One peer. */
    private final class Peer implements PeerQueue.Client {

        private final Node peer;
        private final Optional<PeerTls> tls;
        private final PeerQueue queue;
        private volatile Client current;
        private volatile boolean heard = true;

        /** Guarded by this, as are the following fields. */
        private long silentSince;

        private long lastRenewal = System.nanoTime() - RENEW_NANOS;

        Peer(Node peer, CallBudget budget, Optional<PeerTls> tls, PeerLoop timers) {
            this.peer = peer;
            this.tls = tls;
            this.queue = new PeerQueue(timers, options.connectionsPerPeer(), peer.address(), budget, this);
            this.current = newClient(peer, tls);
        }

        @Override
        public void begin(PeerCall call) {
            Client used = current;
            long nanos = Math.max(1, call.deadline() - System.nanoTime());
            // Rounded up: a call must not end before its deadline.
            used.template()
                    .copy()
                    .putHeader(PeerProtocol.DEADLINE_HEADER, PeerProtocol.deadline(call))
                    .timeout(TimeUnit.NANOSECONDS.toMillis(nanos) + 1)
                    .sendBuffer(PeerBody.buffer(call.request()))
                    .onComplete((response, error) -> {
                        if (error == null) {
                            heard();
                        } else if (error instanceof TimeoutException) {
                            deadlinePassed(used, nanos);
                        }
                        if (error == null && response.statusCode() == PeerProtocol.FORBIDDEN && tls.isPresent()) {
                            renew(used);
                        }
                        queue.done(call);
                        if (error != null) {
                            PeerReply.failed(call, error, tls);
                        } else {
                            finish(call, response);
                        }
                    });
        }

        private void heard() {
            if (!heard) {
                heard = true;
            }
        }

        /**
         * Handles a passed deadline. If another one had passed before that call began, and no bytes have arrived since,
         * the connections are most likely dead: a call on each remaining one would miss its deadline. The library does
         * not expose them, so a client without connections replaces this one.
         *
         * @param nanos how much time the call had
         */
        private synchronized void deadlinePassed(Client used, long nanos) {
            long now = System.nanoTime();
            if (heard) {
                heard = false;
                silentSince = now;
            } else if (now - nanos - silentSince >= 0) {
                renew(used);
            }
        }

        /**
         * Replaces a client whose certificate was refused. There may be another certificate by now, and a client
         * resumes sessions of the old one. The calls in flight over the old client get some time.
         */
        private synchronized void renew(Client refused) {
            if (current.client() == refused.client() && System.nanoTime() - lastRenewal > RENEW_NANOS) {
                lastRenewal = System.nanoTime();
                current = newClient(peer, tls);
                vertx.setTimer(
                        TimeUnit.SECONDS.toMillis(10), late -> refused.client().close());
            }
        }

        private void finish(PeerCall call, HttpResponse<byte[]> response) {
            String declared = response.getHeader(HttpHeaders.CONTENT_LENGTH.toString());
            int length = declared == null ? -1 : PeerBody.length(declared);
            byte[] body = response.body() == null ? new byte[0] : response.body();
            if (length != body.length) {
                call.abandon(PeerReply.unusable(
                        response.statusCode(), length, options.limits().maxFrameBytes()));
                return;
            }
            PeerReply.finish(call, response.statusCode(), response.getHeader(PeerProtocol.OUTCOME_HEADER), body);
        }

        @Override
        public void close() {
            current.client().close();
        }
    }

    /** Collects a body, up to a limit; its declared length is not known here. For one thread. */
    private static final class Body implements BodyStream<byte[]> {

        private final int limit;
        private final Promise<byte[]> result = Promise.promise();
        private byte[] bytes = {};
        private int received;

        Body(int limit) {
            this.limit = limit;
        }

        @Override
        public Future<Void> write(Buffer chunk) {
            if (result.future().failed()) {
                return Future.failedFuture(result.future().cause());
            }
            int length = chunk.length();
            if (length > limit - received) {
                IllegalStateException error =
                        new IllegalStateException("a reply over the limit of " + limit + " bytes");
                result.tryFail(error);
                return Future.failedFuture(error);
            }
            try {
                add(chunk, length);
            } catch (OutOfMemoryError e) {
                return lacksMemory(e);
            }
            return Future.succeededFuture();
        }

        private void add(Buffer chunk, int length) {
            if (received == 0) {
                bytes = chunk.getBytes();
            } else {
                if (bytes.length < received + length) {
                    bytes = Arrays.copyOf(bytes, (int) Math.min(limit, 2L * (received + length)));
                }
                chunk.getBytes(0, length, bytes, received);
            }
            received += length;
        }

        private Future<Void> lacksMemory(OutOfMemoryError cause) {
            bytes = new byte[0];
            IllegalStateException error = new IllegalStateException(PeerReply.NO_MEMORY, cause);
            result.tryFail(error);
            return Future.failedFuture(error);
        }

        @Override
        public Future<Void> end() {
            if (result.future().failed()) {
                return Future.failedFuture(result.future().cause());
            }
            try {
                result.tryComplete(received == bytes.length ? bytes : Arrays.copyOf(bytes, received));
            } catch (OutOfMemoryError e) {
                return lacksMemory(e);
            }
            return Future.succeededFuture();
        }

        @Override
        public void handle(Throwable error) {
            result.tryFail(error);
        }

        @Override
        public Future<byte[]> result() {
            return result.future();
        }

        @Override
        public BodyStream<byte[]> exceptionHandler(@Nullable Handler<Throwable> handler) {
            return this;
        }

        @Override
        public BodyStream<byte[]> setWriteQueueMaxSize(int maxSize) {
            return this;
        }

        @Override
        public boolean writeQueueFull() {
            return false;
        }

        @Override
        public BodyStream<byte[]> drainHandler(@Nullable Handler<Void> handler) {
            return this;
        }
    }
}
