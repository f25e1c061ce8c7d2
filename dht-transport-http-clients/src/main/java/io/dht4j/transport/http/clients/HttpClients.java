package io.dht4j.transport.http.clients;

import io.dht4j.transport.http.HttpClientKind;
import io.dht4j.transport.http.internal.peer.PeerClientKind;
import io.dht4j.transport.http.internal.peer.PeerClients;
import io.dht4j.transport.http.internal.peer.PeerLoop;
import io.dht4j.transport.http.internal.peer.PeerOptions;
import java.util.List;

/**
 * Further HTTP clients for the calls to peers, for {@link io.dht4j.transport.http.HttpTransportOptions#withClient}.
 * Their libraries come with this module.
 */
public final class HttpClients {

    /**
     * Vert.x's {@code WebClient} over its own pool, HTTP/1.1: a connection carries one call. A call that is abandoned
     * before its deadline does not free the connection.
     */
    public static final HttpClientKind WEBCLIENT =
            new Kind("webclient", 32, PeerClientKind.MOST_CONNECTIONS, WebPeerClients::new);

    /** {@code java.net.http}, HTTP/1.1: a connection carries one call, and an abandoned call costs the connection. */
    public static final HttpClientKind JDK =
            new Kind("jdk", 32, PeerClientKind.MOST_CONNECTIONS, JdkPeerClients::http1);

    /**
     * {@code java.net.http}, HTTP/2: a connection carries up to 256 calls, and an abandoned call affects no other call.
     * Each connection costs a thread, so there are at most 16.
     */
    public static final HttpClientKind JDK_H2 = new Kind("jdk-h2", 1, 16, JdkPeerClients::http2);

    /**
     * one-nio, HTTP/1.1: a connection carries one call and needs a thread that waits for the reply, a virtual one where
     * the JDK has them.
     */
    public static final HttpClientKind ONE_NIO =
            new Kind("one-nio", 32, PeerClientKind.MOST_CONNECTIONS, new OneNioFactory());

    private HttpClients() {}

    private record Kind(String label, int defaultConnections, int maxConnections, PeerClients.Factory clients)
            implements HttpClientKind, PeerClientKind {

        /** Returns the label. */
        @Override
        public String toString() {
            return label;
        }
    }

    /** Loads the native library when a transport is created, which may block. */
    private static final class OneNioFactory implements PeerClients.Factory {

        @Override
        public void load() {
            OneNioSockets.load();
        }

        @Override
        public PeerClients create(List<PeerLoop> loops, PeerOptions options) {
            return new OneNioPeerClients(loops, options);
        }
    }
}
