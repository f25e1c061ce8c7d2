package io.dht4j.transport.http.internal.server;

import io.dht4j.spi.TlsFiles;
import io.dht4j.transport.common.OptionChecks;
import io.dht4j.transport.http.internal.peer.PeerProtocol;
import java.time.Duration;
import java.util.Optional;

/**
 * The address, the connection limits and the encryption of a listener.
 *
 * @param host the address to bind
 * @param port the port to bind, 0 for any free one
 * @param eventLoops event loop threads
 * @param connections how many there may be, and how long they may leave the port without a request
 * @param idleTimeout a connection over which nothing moved for so long is closed, a request in flight or not
 * @param drainTimeout how long closing waits for requests in flight
 * @param tls the own certificate, without which everything is plaintext
 * @param plaintextAllowed whether plaintext may go beyond loopback
 * @param plaintextOption the option that allows that, for the warning
 * @param forPeers whether peers call here: then clients are asked for a certificate, and those without one are served
 *     too, because it is the peer endpoint that demands one
 */
public record HttpListenerOptions(
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

    /** The longest request line: a key of 4096 bytes, each percent-encoded, twice, and the rest. */
    public static final int MAX_REQUEST_LINE = 32 * 1024;

    /** The longest header section. */
    public static final int MAX_HEADERS = PeerProtocol.MAX_HEADERS;

    /** The number of HTTP/2 streams on a connection, where peers call. */
    public static final int PEER_STREAMS = 1024;

    /** The number of resets after which a peer that abandons its HTTP/2 calls loses its connection. */
    public static final int PEER_RESETS_PER_SECOND = 50_000;

    public HttpListenerOptions {
        OptionChecks.host(host);
        OptionChecks.range("port", port, 0, 65_535);
        OptionChecks.range("eventLoops", eventLoops, 1, 256);
        OptionChecks.range("idleTimeout", idleTimeout, Duration.ofSeconds(1), Duration.ofHours(2));
        OptionChecks.range("drainTimeout", drainTimeout, Duration.ZERO, Duration.ofMinutes(10));
        tls.ifPresent(files -> OptionChecks.serverFiles(files, forPeers));
    }

    /** Creates options without TLS, on loopback only, for the public API only. */
    public HttpListenerOptions(
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

    public static int defaultEventLoops() {
        return Math.min(2, Runtime.getRuntime().availableProcessors());
    }

    public static HttpListenerOptions of(String host, int port) {
        return new HttpListenerOptions(
                host,
                port,
                defaultEventLoops(),
                HttpConnectionLimits.of(HttpConnectionLimits.DEFAULT_MAX),
                Duration.ofSeconds(60),
                Duration.ofSeconds(5));
    }

    /**
     * Returns a copy with this certificate, or none, and this permission for plaintext beyond loopback, by its usual
     * name.
     */
    public HttpListenerOptions secured(Optional<TlsFiles> files, boolean plaintext) {
        return secured(files, plaintext, "withPlaintextAllowed()");
    }

    /** Does the same as {@link #secured(Optional, boolean)}, with the name of the option that allows plaintext. */
    public HttpListenerOptions secured(Optional<TlsFiles> files, boolean plaintext, String option) {
        return new HttpListenerOptions(
                host, port, eventLoops, connections, idleTimeout, drainTimeout, files, plaintext, option, forPeers);
    }

    /** Returns a copy for a port that peers call. */
    public HttpListenerOptions servingPeers() {
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
