package io.dht4j.transport.http.internal.vertx;

import io.dht4j.PeerConnections;
import io.dht4j.transport.common.calls.ConnectionCount;
import io.dht4j.transport.http.internal.peer.PeerCall;
import io.dht4j.transport.http.internal.peer.PeerClient;
import io.dht4j.transport.http.internal.peer.PeerClients;
import io.dht4j.transport.http.internal.peer.PeerLoop;
import io.dht4j.transport.http.internal.peer.PeerOptions;
import io.dht4j.transport.http.internal.peer.PeerProtocol;
import io.dht4j.transport.http.internal.peer.PeerTls;
import io.vertx.core.Vertx;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpConnectOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.HostAndPort;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/** Calls over Vert.x's HTTP client, without its pool: a {@linkplain VertxLane lane} for each peer and event loop. */
public final class VertxPeerClients implements PeerClients {

    /** The number of calls that a connection carries at a time with pipelining. */
    private static final int PIPELINED_CALLS = 16;

    private final List<PeerLoop> loops;
    private final PeerOptions options;
    private final boolean http2;
    private final int callsPerConnection;
    private final HttpClientAgent client;

    private VertxPeerClients(List<PeerLoop> loops, PeerOptions options, boolean http2, int callsPerConnection) {
        this.loops = loops;
        this.options = options;
        this.http2 = http2;
        this.callsPerConnection = callsPerConnection;
        Vertx vertx = loops.get(0).context().owner();
        this.client = vertx.httpClientBuilder().with(clientOptions()).build();
    }

    /** Returns clients over HTTP/1.1 whose connections carry one call at a time. */
    public static PeerClients plain(List<PeerLoop> loops, PeerOptions options) {
        return new VertxPeerClients(loops, options, false, 1);
    }

    /** Returns clients over HTTP/1.1 whose connections carry several calls, answered in order. */
    public static PeerClients pipelined(List<PeerLoop> loops, PeerOptions options) {
        return new VertxPeerClients(loops, options, false, PIPELINED_CALLS);
    }

    /** Returns clients over HTTP/2. */
    public static PeerClients http2(List<PeerLoop> loops, PeerOptions options) {
        return new VertxPeerClients(loops, options, true, PeerProtocol.HTTP2_CALLS);
    }

    private HttpClientOptions clientOptions() {
        HttpClientOptions result = new HttpClientOptions()
                .setKeepAlive(true)
                .setTcpNoDelay(true)
                .setConnectTimeout((int) options.connectTimeout().toMillis());
        if (http2) {
            return result.setProtocolVersion(HttpVersion.HTTP_2)
                    .setHttp2ClearTextUpgrade(false)
                    .setHttp2ConnectionWindowSize(PeerProtocol.HTTP2_CONNECTION_WINDOW)
                    .setInitialSettings(new Http2Settings()
                            .setPushEnabled(false)
                            .setInitialWindowSize(PeerProtocol.HTTP2_STREAM_WINDOW)
                            .setMaxHeaderListSize(PeerProtocol.MAX_HEADERS));
        }
        return result.setPipelining(callsPerConnection > 1).setPipeliningLimit(callsPerConnection);
    }

    private HttpConnectOptions connectTo(HostAndPort peer, Optional<PeerTls> tls) {
        HttpConnectOptions connect = new HttpConnectOptions()
                .setHost(peer.host())
                .setPort(peer.port())
                .setSsl(tls.isPresent());
        tls.ifPresent(own -> connect.setSslOptions(own.options(http2)));
        return connect;
    }

    @Override
    public PeerClient to(HostAndPort peer, Optional<PeerTls> tls) {
        VertxTarget target = new VertxTarget(
                () -> connectTo(peer, tls),
                new RequestOptions()
                        .setHost(peer.host())
                        .setPort(peer.port())
                        .setSsl(tls.isPresent())
                        .setMethod(HttpMethod.POST)
                        .setURI(PeerProtocol.PATH),
                http2,
                callsPerConnection,
                options.limits().maxFrameBytes());
        ConnectionCount connections = new ConnectionCount();
        return new Lanes(
                connections,
                loops.stream()
                        .map(loop -> new VertxLane(peer, loop, client, target, options, loops.size(), connections))
                        .toArray(VertxLane[]::new));
    }

    /** The lanes to one peer. */
    private static final class Lanes implements PeerClient {

        private final ConnectionCount connections;
        private final VertxLane[] lanes;

        Lanes(ConnectionCount connections, VertxLane[] lanes) {
            this.connections = connections;
            this.lanes = lanes;
        }

        @Override
        public void send(PeerCall call) {
            choose().offer(call);
        }

        @Override
        public Optional<PeerConnections> connections() {
            return Optional.of(connections.counts());
        }

        /** Returns the lane on the caller's own event loop, which saves a hop; any lane if the caller is on no loop. */
        private VertxLane choose() {
            for (VertxLane lane : lanes) {
                if (lane.isCurrent()) {
                    return lane;
                }
            }
            return lanes[ThreadLocalRandom.current().nextInt(lanes.length)];
        }

        @Override
        public void close(String why) {
            for (VertxLane lane : lanes) {
                lane.close(why);
            }
        }
    }
}
