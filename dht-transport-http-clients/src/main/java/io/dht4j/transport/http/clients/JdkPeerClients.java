package io.dht4j.transport.http.clients;

import io.dht4j.Node;
import io.dht4j.transport.common.calls.CallBudget;
import io.dht4j.transport.common.calls.PeerCall;
import io.dht4j.transport.http.internal.peer.PeerClients;
import io.dht4j.transport.http.internal.peer.PeerLoop;
import io.dht4j.transport.http.internal.peer.PeerOptions;
import io.dht4j.transport.http.internal.peer.PeerProtocol;
import io.dht4j.transport.http.internal.peer.PeerQueue;
import io.dht4j.transport.http.internal.peer.PeerTls;
import java.net.URI;
import java.net.http.HttpClient;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * Calls over {@code java.net.http}, HTTP/1.1 or HTTP/2. A {@link PeerQueue} precedes the client, which would otherwise
 * open a connection for each call.
 *
 * <p>Each peer has a client of its own (HTTP/2: one for each connection), and with it a selector thread. A client can
 * therefore be closed with its peer, and knows the expected certificate. All other work runs on a few threads for all
 * peers. Before JDK 21 a client cannot be closed: the garbage collector ends it, and its selector thread, when it is
 * unused.
 */
final class JdkPeerClients implements PeerClients {

    private final List<PeerLoop> loops;
    private final PeerOptions options;
    private final boolean http2;
    private final ThreadPoolExecutor threads;

    private JdkPeerClients(List<PeerLoop> loops, PeerOptions options, boolean http2) {
        this.loops = loops;
        this.options = options;
        this.http2 = http2;
        AtomicInteger count = new AtomicInteger();
        // The calls in flight bound the tasks in the queue. Tasks that come after closing are dropped: the calls have
        // ended by then.
        this.threads = new ThreadPoolExecutor(
                loops.size(),
                loops.size(),
                10,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                task -> {
                    Thread thread = new Thread(task, "dht4j-http-jdk-" + count.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                },
                new ThreadPoolExecutor.DiscardPolicy());
        threads.allowCoreThreadTimeOut(true);
    }

    /** Returns clients over HTTP/1.1. */
    static PeerClients http1(List<PeerLoop> loops, PeerOptions options) {
        return new JdkPeerClients(loops, options, false);
    }

    /** Returns clients over HTTP/2. */
    static PeerClients http2(List<PeerLoop> loops, PeerOptions options) {
        return new JdkPeerClients(loops, options, true);
    }

    private HttpClient newClient(Optional<PeerTls> tls) {
        HttpClient.Builder builder = HttpClient.newBuilder()
                .version(http2 ? HttpClient.Version.HTTP_2 : HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(options.connectTimeout())
                .executor(threads);
        tls.ifPresent(own -> builder.sslContext(own.context()));
        return builder.build();
    }

    @Override
    public List<PeerQueue> lanes(Node peer, CallBudget budget, Optional<PeerTls> tls) {
        String host = PeerProtocol.hostInUri(peer.host());
        URI uri = URI.create((tls.isPresent() ? "https://" : "http://") + host + ":" + peer.port() + PeerProtocol.PATH);
        PeerLoop timers = loops.get(ThreadLocalRandom.current().nextInt(loops.size()));
        return List.of(new Peer(uri, peer.address(), budget, tls, timers).queue);
    }

    @Override
    public void close() {
        threads.shutdown();
    }

    /** One peer. */
    private final class Peer implements PeerQueue.Client {

        private final PeerQueue queue;
        private final List<JdkConnections> clients;
        private final AtomicInteger next = new AtomicInteger();

        Peer(URI uri, String address, CallBudget budget, Optional<PeerTls> tls, PeerLoop timers) {
            int clientCount = http2 ? options.connectionsPerPeer() : 1;
            int underWay = options.connectionsPerPeer() * (http2 ? PeerProtocol.HTTP2_CALLS : 1);
            this.queue = new PeerQueue(timers, underWay, address, budget, this);
            this.clients = IntStream.range(0, clientCount)
                    .mapToObj(i -> new JdkConnections(() -> newClient(tls), uri, tls, queue, http2, options))
                    .toList();
        }

        @Override
        public void begin(PeerCall call) {
            clients.get(Math.floorMod(next.getAndIncrement(), clients.size())).begin(call);
        }

        @Override
        public void close() {
            clients.forEach(JdkConnections::close);
        }
    }
}
