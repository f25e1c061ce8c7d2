package io.dht4j.transport.http;

import io.dht4j.transport.http.HttpListener.Loop;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.net.HostAndPort;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** Calls over Vert.x's HTTP client, without its pool: a {@linkplain VertxLane lane} for each peer and event loop. */
final class VertxPeerClients implements PeerClients {

    private final List<Loop> loops;
    private final HttpTransportOptions options;
    private final HttpClientAgent client;

    /** Clients on the event loops of a listener that has started. */
    VertxPeerClients(HttpListener listener, HttpTransportOptions options) {
        this.loops = listener.loops();
        this.options = options;
        this.client = listener.vertx()
                .httpClientBuilder()
                .with(new HttpClientOptions()
                        .setKeepAlive(true)
                        .setPipelining(false)
                        .setTcpNoDelay(true)
                        .setConnectTimeout((int) options.connectTimeout().toMillis()))
                .build();
    }

    @Override
    public PeerClient to(HostAndPort peer) {
        return new Lanes(loops.stream()
                .map(loop -> new VertxLane(peer, loop, client, options, loops.size()))
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

        /** The lane on the caller's own event loop, which saves a hop; any, if the caller is elsewhere. */
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
