package io.dht4j.transport.http.internal.server;

import io.dht4j.security.HandshakeFailureLog;
import io.dht4j.security.Tls;
import io.dht4j.transport.common.FloodCount;
import io.dht4j.transport.http.internal.peer.HostLookups;
import io.dht4j.transport.http.internal.peer.PeerProtocol;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.KeyCertOptions;
import io.vertx.core.net.TrustOptions;
import io.vertx.core.transport.Transport;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/** Starts the event loops of a listener, and sets the options of Vert.x's servers. */
final class HttpServerSetup {

    private static final Set<String> TLS_VERSIONS = Set.of("TLSv1.2", "TLSv1.3");

    /** From here on Vert.x warns of a handler that blocks its event loop. */
    private static final int BLOCKED_SECONDS = 10;

    private HttpServerSetup() {}

    /**
     * Starts the event loops, on a thread that ends afterwards. Netty keeps objects in the thread that starts it; in a
     * thread of the application, these would keep the class loader of a closed application. Blocks.
     */
    static Vertx startVertx(int eventLoops, Transport transport) {
        CompletableFuture<Vertx> started = new CompletableFuture<>();
        Thread starting = new Thread(
                () -> {
                    try {
                        started.complete(Vertx.builder()
                                .with(ofVertx(eventLoops))
                                .withTransport(transport)
                                .build());
                    } catch (Throwable e) {
                        // Netty throws checked exceptions undeclared, too.
                        started.completeExceptionally(e);
                    }
                },
                "dht4j-http-start");
        starting.setDaemon(true);
        starting.start();
        try {
            return started.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw e.getCause() instanceof RuntimeException failure ? failure : e;
        }
    }

    private static VertxOptions ofVertx(int eventLoops) {
        return new VertxOptions()
                .setEventLoopPoolSize(eventLoops)
                .setWorkerPoolSize(1)
                .setInternalBlockingPoolSize(2)
                .setAddressResolverOptions(HostLookups.options())
                // A start on a busy machine, which loads classes, delays a loop by some seconds; that is no fault.
                .setMaxEventLoopExecuteTimeUnit(TimeUnit.SECONDS)
                .setMaxEventLoopExecuteTime(BLOCKED_SECONDS)
                // A pause of the process is logged in one line; a stack trace would show its place and not its
                // cause.
                .setWarningExceptionTime(Long.MAX_VALUE)
                .setFileSystemOptions(
                        new FileSystemOptions().setFileCachingEnabled(false).setClassPathResolvingEnabled(false));
    }

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
