package io.dht4j.transport.http;

/**
 * The HTTP clients that can carry calls to peers. All use the same endpoint, so the nodes of a cluster may have
 * different ones. They differ in how many calls one connection carries at a time, and in the cost of an abandoned call.
 */
public enum HttpClientKind {
    /**
     * Vert.x's client without its pool, HTTP/1.1: a connection carries one call, and an abandoned call costs the
     * connection.
     */
    VERTX("vertx", 32, 10_000),

    /**
     * The same with pipelining: a connection carries up to {@value #PIPELINE} calls, once no more connections are
     * allowed. Replies come in the order of the requests, so a slow one delays those behind it. After an abandoned call
     * its connection takes no further calls, and ends with the last one that it carries.
     */
    VERTX_PIPELINED("vertx-pipelined", 8, 10_000),

    /**
     * The same over HTTP/2, with prior knowledge or by ALPN: a connection carries up to {@value #STREAMS} calls, in any
     * order, and an abandoned call costs nothing else.
     */
    VERTX_H2("vertx-h2", 2, 10_000),

    /**
     * Vert.x's {@code WebClient} over its own pool, HTTP/1.1: a connection carries one call. A call that is abandoned
     * before its deadline does not free the connection. Needs {@code io.vertx:vertx-web-client}.
     */
    WEBCLIENT("webclient", 32, 10_000),

    /** {@code java.net.http}, HTTP/1.1: a connection carries one call, and an abandoned call costs the connection. */
    JDK("jdk", 32, 10_000),

    /**
     * {@code java.net.http}, HTTP/2: a connection carries up to {@value #STREAMS} calls, and an abandoned call costs
     * nothing else. Each connection costs a thread, so there are at most 16.
     */
    JDK_H2("jdk-h2", 1, 16),

    /**
     * one-nio, HTTP/1.1: a connection carries one call and needs a thread that waits for the reply, a virtual one where
     * the JDK has them. Needs {@code ru.odnoklassniki:one-nio}.
     */
    ONE_NIO("one-nio", 32, 10_000);

    /** The number of calls that a connection carries at a time with HTTP/2. */
    static final int STREAMS = 256;

    /** The number of calls that a connection carries at a time with pipelining. */
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
     * Returns the name on command lines and in status.
     *
     * @return for example {@code vertx-h2}
     */
    public String label() {
        return label;
    }

    /**
     * Checks that the library of the client is present.
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

    /** Returns the default number of connections to a peer. */
    int defaultConnections() {
        return defaultConnections;
    }

    /** Returns the largest number of connections to a peer. */
    int maxConnections() {
        return maxConnections;
    }
}
