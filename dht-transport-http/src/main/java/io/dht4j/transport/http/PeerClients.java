package io.dht4j.transport.http;

import io.vertx.core.net.HostAndPort;
import java.util.Optional;

/** Makes the clients of one kind, one for each peer. Safe for use by any number of threads. */
interface PeerClients {

    /** Returns clients of the kind that the options name, over the event loops of a listener that has started. */
    static PeerClients of(HttpListener listener, HttpTransportOptions options) {
        return switch (options.client()) {
            case VERTX, VERTX_PIPELINED, VERTX_H2 -> new VertxPeerClients(listener, options);
            case WEBCLIENT -> new WebPeerClients(listener, options);
            case JDK, JDK_H2 -> new JdkPeerClients(listener, options);
            case ONE_NIO -> new OneNioPeerClients(listener, options);
        };
    }

    /**
     * Returns a client that connects with the first call. Does not block.
     *
     * @param tls the own certificate and the trusted node; without it, connections are plaintext
     */
    PeerClient to(HostAndPort peer, Optional<PeerTls> tls);

    /** Releases the shared resources of the clients, once they are closed. May block for a bounded time. */
    default void close() {}
}
