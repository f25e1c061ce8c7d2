package io.dht4j.transport.http.internal.vertx;

import io.dht4j.Node;
import io.dht4j.transport.common.calls.CallBudget;
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
    public List<VertxLane> lanes(Node peer, CallBudget budget, Optional<PeerTls> tls) {
        HostAndPort address = HostAndPort.create(peer.host(), peer.port());
        VertxTarget target = new VertxTarget(
                () -> connectTo(address, tls),
                new RequestOptions()
                        .setHost(PeerProtocol.hostInUri(address.host()))
                        .setPort(address.port())
                        .setSsl(tls.isPresent())
                        .setMethod(HttpMethod.POST)
                        .setURI(PeerProtocol.PATH),
                http2,
                callsPerConnection,
                options.limits().maxFrameBytes());
        // Rounded up: each lane needs a connection.
        int connections = (options.connectionsPerPeer() + loops.size() - 1) / loops.size();
        return loops.stream()
                .map(loop -> new VertxLane(
                        peer.address(),
                        loop,
                        client,
                        target,
                        connections,
                        options.keepAlive().toNanos(),
                        budget))
                .toList();
    }

    @Override
    public boolean countsConnections() {
        return true;
    }
}
