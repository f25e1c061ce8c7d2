package io.dht4j.transport.http;

import io.dht4j.transport.http.internal.peer.PeerClients;
import io.dht4j.transport.http.internal.vertx.VertxPeerClients;
import java.util.Objects;

/**
 * A kind of HTTP client that can carry calls to peers. All kinds use the same endpoint, so the nodes of a cluster may
 * have different ones. They differ in how many calls one connection carries at a time, and in the cost of an abandoned
 * call. Those of this class are Vert.x's client without its pool; the module {@code dht-transport-http-clients} has
 * further ones. Immutable; kinds are equal if they have the same label.
 */
public final class HttpClientKind {

    private static final int MOST_CONNECTIONS = 10_000;

    /** HTTP/1.1: a connection carries one call, and an abandoned call costs the connection. */
    public static final HttpClientKind VERTX =
            new HttpClientKind("vertx", 32, MOST_CONNECTIONS, VertxPeerClients::plain);

    /**
     * HTTP/1.1 with pipelining: a connection carries up to 16 calls, once no more connections are allowed. Replies come
     * in the order of the requests, so a slow one delays those behind it. After an abandoned call its connection takes
     * no further calls, and ends with the last one that it carries.
     */
    public static final HttpClientKind VERTX_PIPELINED =
            new HttpClientKind("vertx-pipelined", 8, MOST_CONNECTIONS, VertxPeerClients::pipelined);

    /**
     * HTTP/2, with prior knowledge or by ALPN: a connection carries up to 256 calls, in any order, and an abandoned
     * call costs nothing else.
     */
    public static final HttpClientKind VERTX_H2 =
            new HttpClientKind("vertx-h2", 2, MOST_CONNECTIONS, VertxPeerClients::http2);

    private final String label;
    private final int defaultConnections;
    private final int maxConnections;
    private final PeerClients.Factory clients;

    private HttpClientKind(String label, int defaultConnections, int maxConnections, PeerClients.Factory clients) {
        this.label = label;
        this.defaultConnections = defaultConnections;
        this.maxConnections = maxConnections;
        this.clients = clients;
    }

    /**
     * Returns a kind of another module of this project. Applications take one of the constants instead: this class's,
     * or those of {@code io.dht4j.transport.http.clients.HttpClients}.
     *
     * @param label the name on command lines and in status
     * @param defaultConnections the default number of connections to a peer, 1 or more
     * @param maxConnections the largest number of connections to a peer
     * @param clients makes the clients
     * @return the kind
     */
    @SuppressWarnings("exports")
    public static HttpClientKind of(
            String label, int defaultConnections, int maxConnections, PeerClients.Factory clients) {
        return new HttpClientKind(label, defaultConnections, maxConnections, clients);
    }

    /**
     * Returns the name on command lines and in status.
     *
     * @return for example {@code vertx-h2}
     */
    public String label() {
        return label;
    }

    /** Returns the default number of connections to a peer. */
    int defaultConnections() {
        return defaultConnections;
    }

    /** Returns the largest number of connections to a peer. */
    int maxConnections() {
        return maxConnections;
    }

    /** Returns what makes the clients. */
    PeerClients.Factory clients() {
        return clients;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof HttpClientKind kind && kind.label.equals(label);
    }

    @Override
    public int hashCode() {
        return Objects.hash(label);
    }

    /** Returns the label. */
    @Override
    public String toString() {
        return label;
    }
}
