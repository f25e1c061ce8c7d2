package io.dht4j.transport.http;

import io.dht4j.transport.http.internal.vertx.VertxPeerClients;

/**
 * A kind of HTTP client that can carry calls to peers. All kinds use the same endpoint, so the nodes of a cluster may
 * have different ones. They differ in how many calls one connection carries at a time, and in the cost of an abandoned
 * call. Those of this interface are Vert.x's client without its pool; the module {@code dht-transport-http-clients} has
 * further ones. Immutable.
 *
 * <p>Applications use a constant: of this interface, or of {@code io.dht4j.transport.http.clients.HttpClients}.
 * {@link HttpTransportOptions#withClient} refuses an implementation of their own.
 */
public interface HttpClientKind {

    /** HTTP/1.1: a connection carries one call, and an abandoned call costs the connection. */
    HttpClientKind VERTX = new VertxClientKind("vertx", 32, VertxPeerClients::plain);

    /**
     * HTTP/1.1 with pipelining: a connection carries up to 16 calls, once no more connections are allowed. Replies
     * arrive in the order of the requests, so a slow one delays those behind it. After an abandoned call its connection
     * accepts no further calls, and ends with the last one that it carries.
     */
    HttpClientKind VERTX_PIPELINED = new VertxClientKind("vertx-pipelined", 8, VertxPeerClients::pipelined);

    /**
     * HTTP/2, with prior knowledge or by ALPN: a connection carries up to 256 calls, in any order, and an abandoned
     * call affects no other call.
     */
    HttpClientKind VERTX_H2 = new VertxClientKind("vertx-h2", 2, VertxPeerClients::http2);

    /**
     * Returns the name on command lines and in status.
     *
     * @return for example {@code vertx-h2}
     */
    String label();
}
