package io.dht4j.transport.http;

import io.dht4j.transport.http.HttpListener.Loop;
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
final class VertxPeerClients implements PeerClients {

    private final List<Loop> loops;
    private final HttpTransportOptions options;
    private final HttpClientAgent client;

    /** Creates clients on the event loops of a listener that has started. */
    VertxPeerClients(HttpListener listener, HttpTransportOptions options) {
        this.loops = listener.loops();
        this.options = options;
        this.client = listener.vertx().httpClientBuilder().with(clientOptions()).build();
    }

    private boolean http2() {
        return options.client() == HttpClientKind.VERTX_H2;
    }

    private int callsPerConnection() {
        return switch (options.client()) {
            case VERTX_PIPELINED -> HttpClientKind.PIPELINE;
            case VERTX_H2 -> HttpClientKind.STREAMS;
            default -> 1;
        };
    }

    private HttpClientOptions clientOptions() {
        HttpClientOptions result = new HttpClientOptions()
                .setKeepAlive(true)
                .setTcpNoDelay(true)
                .setConnectTimeout((int) options.connectTimeout().toMillis());
        if (http2()) {
            return result.setProtocolVersion(HttpVersion.HTTP_2)
                    .setHttp2ClearTextUpgrade(false)
                    .setHttp2ConnectionWindowSize(HttpListenerOptions.PEER_CONNECTION_WINDOW)
                    .setInitialSettings(new Http2Settings()
                            .setPushEnabled(false)
                            .setInitialWindowSize(HttpListenerOptions.PEER_STREAM_WINDOW)
                            .setMaxHeaderListSize(HttpListenerOptions.MAX_HEADERS));
        }
        return result.setPipelining(callsPerConnection() > 1).setPipeliningLimit(callsPerConnection());
    }

    private HttpConnectOptions connectTo(HostAndPort peer, Optional<PeerTls> tls) {
        HttpConnectOptions connect = new HttpConnectOptions()
                .setHost(peer.host())
                .setPort(peer.port())
                .setSsl(tls.isPresent());
        tls.ifPresent(own -> connect.setSslOptions(own.options(http2())));
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
                        .setURI(HttpListener.PEER_PATH),
                http2(),
                callsPerConnection(),
                options.maxFrameBytes());
        return new Lanes(loops.stream()
                .map(loop -> new VertxLane(peer, loop, client, target, options, loops.size()))
                .toArray(VertxLane[]::new));
    }

    /** The lanes to one peer. */
    private static final class Lanes implements PeerClient {

        private final VertxLane[] lanes;

        Lanes(VertxLane[] lanes) {
            this.lanes = lanes;
        }

        @Override
        public void send(HttpTransportCall call) {
            choose().offer(call);
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
        public void close() {
            for (VertxLane lane : lanes) {
                lane.close();
            }
        }
    }
}
