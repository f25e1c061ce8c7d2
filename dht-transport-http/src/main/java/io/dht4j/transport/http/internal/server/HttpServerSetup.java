package io.dht4j.transport.http.internal.server;

import io.dht4j.security.HandshakeFailureLog;
import io.dht4j.security.Tls;
import io.dht4j.transport.common.FloodCount;
import io.dht4j.transport.http.internal.peer.PeerProtocol;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.KeyCertOptions;
import io.vertx.core.net.TrustOptions;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Sets the options of Vert.x's servers. */
final class HttpServerSetup {

    private static final Set<String> TLS_VERSIONS = Set.of("TLSv1.2", "TLSv1.3");

    private HttpServerSetup() {}

    /**
     * Returns the options of each server of a listener.
     *
     * @param tls the own keys and certificates; plaintext without them
     * @param refusedCallers is notified of peers whose certificates are not acceptable
     */
    static HttpServerOptions ofServer(
            HttpListenerOptions options, Optional<Tls> tls, HandshakeFailureLog refusedCallers) {
        HttpServerOptions server = new HttpServerOptions()
                .setIdleTimeoutUnit(TimeUnit.MILLISECONDS)
                .setIdleTimeout((int) options.listener().idleTimeout().toMillis())
                .setMaxInitialLineLength(HttpListenerOptions.MAX_REQUEST_LINE)
                .setMaxHeaderSize(HttpListenerOptions.MAX_HEADERS)
                .setInitialSettings(new Http2Settings()
                        .setMaxConcurrentStreams(HttpServerOptions.DEFAULT_INITIAL_SETTINGS_MAX_CONCURRENT_STREAMS)
                        .setInitialWindowSize(HttpServerOptions.DEFAULT_INITIAL_SETTINGS_INITIAL_WINDOW_SIZE)
                        .setMaxHeaderListSize(HttpListenerOptions.MAX_REQUEST_LINE + HttpListenerOptions.MAX_HEADERS))
                // For peers only, which use it with prior knowledge or by an upgrade.
                .setHttp2ClearTextEnabled(options.forPeers() && tls.isEmpty())
                .setTcpNoDelay(true)
                // There are no web sockets here; their handlers would inspect every message.
                .setPerFrameWebSocketCompressionSupported(false)
                .setPerMessageWebSocketCompressionSupported(false)
                .setHttp2RstFloodMaxRstFramePerWindow(HttpFloodGuard.MAX_RESETS)
                .setHttp2RstFloodWindowDuration(FloodCount.WINDOW_SECONDS)
                .setHttp2RstFloodWindowDurationTimeUnit(TimeUnit.SECONDS)
                .setAcceptBacklog(1024)
                .setStrictThreadMode(true);
        if (options.forPeers()) {
            server.getInitialSettings()
                    .setMaxConcurrentStreams(HttpListenerOptions.PEER_STREAMS)
                    .setInitialWindowSize(PeerProtocol.HTTP2_STREAM_WINDOW);
            // An abandoned call resets its stream, which is normal among peers.
            server.setHttp2ConnectionWindowSize(PeerProtocol.HTTP2_CONNECTION_WINDOW)
                    .setHttp2RstFloodMaxRstFramePerWindow(HttpListenerOptions.PEER_RESETS_PER_SECOND)
                    .setHttp2RstFloodWindowDuration(1)
                    .setHttp2RstFloodWindowDurationTimeUnit(TimeUnit.SECONDS);
        }
        tls.ifPresent(own -> {
            server.setSsl(true)
                    .setKeyCertOptions(KeyCertOptions.wrap(own.keyManager()))
                    .setEnabledSecureTransportProtocols(TLS_VERSIONS)
                    .setUseAlpn(true)
                    .setAlpnVersions(List.of(HttpVersion.HTTP_2, HttpVersion.HTTP_1_1));
            if (options.forPeers()) {
                server.setClientAuth(ClientAuth.REQUEST)
                        .setTrustOptions(TrustOptions.wrap(own.trustManager(refusedCallers)));
            }
        });
        return server;
    }
}
