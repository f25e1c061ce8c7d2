package io.dht4j.transport.http;

import java.time.Duration;

/**
 * Where a listener listens and what it spends on its connections.
 *
 * @param host the address to bind
 * @param port the port to bind, 0 for any free one
 * @param eventLoops event loop threads
 * @param maxConnections further connections are closed as soon as they are accepted
 * @param idleTimeout a connection over which nothing moved for so long is closed, a request under way or not
 * @param drainTimeout how long closing waits for requests under way
 */
record HttpListenerOptions(
        String host, int port, int eventLoops, int maxConnections, Duration idleTimeout, Duration drainTimeout) {

    /** Longest request line: a key of 4096 bytes, each percent-encoded, twice, and the rest. */
    static final int MAX_REQUEST_LINE = 32 * 1024;

    /** Longest header section. */
    static final int MAX_HEADERS = 8 * 1024;

    HttpListenerOptions {
        HttpOptionChecks.host(host);
        HttpOptionChecks.range("port", port, 0, 65_535);
        HttpOptionChecks.range("eventLoops", eventLoops, 1, 256);
        HttpOptionChecks.range("maxConnections", maxConnections, 1, 1_000_000);
        HttpOptionChecks.range("idleTimeout", idleTimeout, Duration.ofSeconds(1), Duration.ofHours(2));
        HttpOptionChecks.range("drainTimeout", drainTimeout, Duration.ZERO, Duration.ofMinutes(10));
    }

    static int defaultEventLoops() {
        return Math.min(2, Runtime.getRuntime().availableProcessors());
    }

    static HttpListenerOptions of(String host, int port) {
        return new HttpListenerOptions(
                host, port, defaultEventLoops(), 10_000, Duration.ofSeconds(60), Duration.ofSeconds(5));
    }
}
