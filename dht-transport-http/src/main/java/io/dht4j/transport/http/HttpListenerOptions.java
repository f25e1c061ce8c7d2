package io.dht4j.transport.http;

import io.dht4j.spi.TlsFiles;
import io.dht4j.transport.common.OptionChecks;
import java.time.Duration;
import java.util.Optional;

/**
 * Where a listener listens, what it spends on its connections, and who may hear what goes over them.
 *
 * @param host the address to bind
 * @param port the port to bind, 0 for any free one
 * @param eventLoops event loop threads
 * @param connections how many there may be, and how long they may leave the port without a request
 * @param idleTimeout a connection over which nothing moved for so long is closed, a request under way or not
 * @param drainTimeout how long closing waits for requests under way
 * @param tls the own certificate, without which everything is plaintext
 * @param plaintextAllowed whether plaintext may go further than loopback
 * @param plaintextOption what asks for that, for the warning
 * @param forPeers whether peers call here: then clients are asked for a certificate, and those that have none are
 *     served all the same, for it is the peer endpoint that demands one
 */
record HttpListenerOptions(
        String host,
        int port,
        int eventLoops,
        HttpConnectionLimits connections,
        Duration idleTimeout,
        Duration drainTimeout,
        Optional<TlsFiles> tls,
        boolean plaintextAllowed,
        String plaintextOption,
        boolean forPeers) {

    /** Longest request line: a key of 4096 bytes, each percent-encoded, twice, and the rest. */
    static final int MAX_REQUEST_LINE = 32 * 1024;

    /** Longest header section. */
    static final int MAX_HEADERS = 8 * 1024;

    /** HTTP/2 streams under way on a connection, where peers call. */
    static final int PEER_STREAMS = 1024;

    /**
     * Bytes that may be on their way in on an HTTP/2 stream, where peers call: more would only help over long
     * distances.
     */
    static final int PEER_STREAM_WINDOW = 1 << 20;

    /** The same for all streams of a connection together. */
    static final int PEER_CONNECTION_WINDOW = 4 << 20;

    /** Past this a peer that gives up on its HTTP/2 calls loses its connection. */
    static final int PEER_RESETS_PER_SECOND = 50_000;

    HttpListenerOptions {
        OptionChecks.host(host);
        OptionChecks.range("port", port, 0, 65_535);
        OptionChecks.range("eventLoops", eventLoops, 1, 256);
        OptionChecks.range("idleTimeout", idleTimeout, Duration.ofSeconds(1), Duration.ofHours(2));
        OptionChecks.range("drainTimeout", drainTimeout, Duration.ZERO, Duration.ofMinutes(10));
        tls.ifPresent(files -> OptionChecks.serverFiles(files, forPeers));
    }

    /** Without TLS, on loopback only, for the public API only. */
    HttpListenerOptions(
            String host,
            int port,
            int eventLoops,
            HttpConnectionLimits connections,
            Duration idleTimeout,
            Duration drainTimeout) {
        this(
                host,
                port,
                eventLoops,
                connections,
                idleTimeout,
                drainTimeout,
                Optional.empty(),
                false,
                "withPlaintextAllowed()",
                false);
    }

    static int defaultEventLoops() {
        return Math.min(2, Runtime.getRuntime().availableProcessors());
    }

    static HttpListenerOptions of(String host, int port) {
        return new HttpListenerOptions(
                host,
                port,
                defaultEventLoops(),
                HttpConnectionLimits.of(HttpConnectionLimits.DEFAULT_MAX),
                Duration.ofSeconds(60),
                Duration.ofSeconds(5));
    }

    /**
     * The same options with this certificate, or none, and this leave for plaintext beyond loopback, by its usual name.
     */
    HttpListenerOptions secured(Optional<TlsFiles> files, boolean plaintext) {
        return secured(files, plaintext, "withPlaintextAllowed()");
    }

    /** As {@link #secured(Optional, boolean)}, with the name by which plaintext is asked for. */
    HttpListenerOptions secured(Optional<TlsFiles> files, boolean plaintext, String option) {
        return new HttpListenerOptions(
                host, port, eventLoops, connections, idleTimeout, drainTimeout, files, plaintext, option, forPeers);
    }

    /** The same options, for a port that peers call. */
    HttpListenerOptions servingPeers() {
        return new HttpListenerOptions(
                host,
                port,
                eventLoops,
                connections,
                idleTimeout,
                drainTimeout,
                tls,
                plaintextAllowed,
                plaintextOption,
                true);
    }
}
