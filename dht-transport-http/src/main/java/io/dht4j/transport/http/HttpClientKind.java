package io.dht4j.transport.http;

/**
 * The HTTP clients that can carry calls to peers. All speak to the same endpoint, so the nodes of a cluster may differ
 * in it. They differ in what one connection carries at a time, and in what giving up on a call costs.
 */
public enum HttpClientKind {
    /**
     * Vert.x's client without its pool, HTTP/1.1: a connection carries one call, and giving up costs the connection.
     */
    VERTX("vertx", 32, 10_000),

    /**
     * The same with pipelining: a connection carries up to {@value #PIPELINE} calls, once no more connections are
     * allowed. Replies come in the order of the requests, so a slow one holds up those behind it. Giving up on a call
     * keeps its connection from taking further ones, and it ends with the last that it carries.
     */
    VERTX_PIPELINED("vertx-pipelined", 8, 10_000),

    /**
     * The same over HTTP/2, with prior knowledge or by ALPN: a connection carries up to {@value #STREAMS} calls, in any
     * order, and giving up on one costs nothing else.
     */
    VERTX_H2("vertx-h2", 2, 10_000),

    /**
     * Vert.x's {@code WebClient} over its own pool, HTTP/1.1: a connection carries one call. Giving up on a call before
     * its deadline does not free the connection. Needs {@code io.vertx:vertx-web-client}.
     */
    WEBCLIENT("webclient", 32, 10_000),

    /** {@code java.net.http}, HTTP/1.1: a connection carries one call, and giving up costs the connection. */
    JDK("jdk", 32, 10_000),

    /**
     * {@code java.net.http}, HTTP/2: a connection carries up to {@value #STREAMS} calls, and giving up on one costs
     * nothing else. Each connection costs a thread, so there are at most 16.
     */
    JDK_H2("jdk-h2", 1, 16),

    /**
     * one-nio, HTTP/1.1: a connection carries one call and needs a thread that waits for the reply, a virtual one where
     * the JDK has them. Needs {@code ru.odnoklassniki:one-nio}.
     */
    ONE_NIO("one-nio", 32, 10_000);

    /** How many calls a connection carries at a time with HTTP/2. */
    static final int STREAMS = 256;

    /** How many calls a connection carries at a time with pipelining. */
    static final int PIPELINE = 16;

    private final String label;
    private final int defaultConnections;
    private final int maxConnections;

    HttpClientKind(String label, int defaultConnections, int maxConnections) {
        this.label = label;
        this.defaultConnections = defaultConnections;
        this.maxConnections = maxConnections;
    }

    /**
     * Its name on command lines and in status.
     *
     * @return for example {@code vertx-h2}
     */
    public String label() {
        return label;
    }

    /**
     * Looks for the library that the client needs.
     *
     * @throws IllegalStateException if it is missing
     */
    void requireLibrary() {
        switch (this) {
            case WEBCLIENT -> require("io.vertx.ext.web.client.WebClient", "io.vertx:vertx-web-client");
            case ONE_NIO -> require("one.nio.http.HttpClient", "ru.odnoklassniki:one-nio");
            default -> {}
        }
    }

    private void require(String type, String artifact) {
        try {
            Class.forName(type, false, HttpClientKind.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(
                    "the client " + label + " needs the library " + artifact + ", which is not on the class path", e);
        }
    }

    /** How many connections to a peer there are unless an option says otherwise. */
    int defaultConnections() {
        return defaultConnections;
    }

    /** How many connections to a peer there may be. */
    int maxConnections() {
        return maxConnections;
    }
}
