package io.dht4j.transport.grpc.internal.tls;

import io.dht4j.NodeId;
import io.dht4j.PrintableText;
import io.dht4j.security.HandshakeFailureLog;
import io.dht4j.security.Tls;
import io.dht4j.spi.FrameHandler;
import io.dht4j.spi.TlsFiles;
import io.grpc.Attributes;
import io.grpc.Grpc;
import io.grpc.ServerTransportFilter;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandler;
import io.grpc.netty.shaded.io.netty.handler.ssl.ClientAuth;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.cert.CertificateException;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * TLS between nodes, in both directions. It uses the JDK's provider, the only one that queries the managers of
 * {@link Tls} again for each handshake. Safe for use by any number of threads.
 */
public final class PeerTls implements AutoCloseable {

    /** The reason why the caller of a connection is refused, on such a connection. */
    private static final Attributes.Key<String> REFUSAL = Attributes.Key.create("io.dht4j.transport.grpc.refusal");

    /** The names that the caller of a connection has proved. */
    private static final Attributes.Key<Set<String>> CALLER_NAMES =
            Attributes.Key.create("io.dht4j.transport.grpc.caller-names");

    private final Tls tls;
    private final HandshakeFailureLog refused;

    /**
     * Reads the files. Blocks.
     *
     * @param self the node that the certificate should name, if that is known
     */
    public PeerTls(TlsFiles files, Optional<NodeId> self, Consumer<String> warnings) {
        this.tls = Tls.load(files, warnings);
        self.ifPresent(tls::expectName);
        this.refused = new HandshakeFailureLog(warnings);
    }

    /** Returns a handler, for one connection, that reports a caller who fails to authenticate. */
    public ChannelHandler handshakeReport() {
        return new HandshakeReport(refused);
    }

    /**
     * Returns a context for one connection to a node. Each connection has its own, so that no session is resumed: a
     * resumed session would continue under an old certificate.
     */
    public SslContext calling(NodeId node) {
        try {
            return GrpcSslContexts.configure(
                            SslContextBuilder.forClient()
                                    .keyManager(tls.keyManager())
                                    .trustManager(tls.trustManager((host, port) -> Optional.of(node))),
                            SslProvider.JDK)
                    .build();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot set up TLS to call " + node, e);
        }
    }

    /** Returns a context for the port that listens. */
    public SslContext listening() throws IOException {
        return GrpcSslContexts.configure(
                        SslContextBuilder.forServer(tls.keyManager())
                                .trustManager(tls.trustManager())
                                .clientAuth(ClientAuth.REQUIRE),
                        SslProvider.JDK)
                .build();
    }

    /** Returns a filter that checks for each connection, before its first frame, whether its caller may call. */
    public ServerTransportFilter callers(FrameHandler frames) {
        return new ServerTransportFilter() {
            @Override
            public Attributes transportReady(Attributes connection) {
                Attributes.Builder known = connection.toBuilder();
                try {
                    known.set(CALLER_NAMES, callerNames(connection.get(Grpc.TRANSPORT_ATTR_SSL_SESSION), frames));
                } catch (CertificateException e) {
                    String why = String.valueOf(e.getMessage());
                    refused.refused(HandshakeReport.host(connection.get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR)), why);
                    known.set(REFUSAL, why);
                }
                return known.build();
            }
        };
    }

    /** Returns the names of the caller; throws an exception with the reason if the caller may not call. */
    private Set<String> callerNames(@Nullable SSLSession session, FrameHandler frames) throws CertificateException {
        Set<String> names;
        try {
            if (session == null) {
                throw new SSLPeerUnverifiedException("not TLS");
            }
            names = tls.callerNames(session);
        } catch (SSLPeerUnverifiedException e) {
            throw new CertificateException("the caller presents no certificate of a trusted authority", e);
        }
        if (names.stream().noneMatch(frames::mayCall)) {
            throw new CertificateException("the certificate names " + PrintableText.of(new TreeSet<>(names))
                    + ", which is no node of the topology and no trusted member");
        }
        return names;
    }

    /** Returns why the caller of a connection is refused; null if the caller may call. */
    public static @Nullable String refusal(Attributes connection) {
        return connection.get(REFUSAL);
    }

    /** Returns the names that the caller has proved; empty without TLS. */
    public static Set<String> provenNames(Attributes connection) {
        Set<String> names = connection.get(CALLER_NAMES);
        return names == null ? Set.of() : names;
    }

    @Override
    public void close() {
        tls.close();
    }
}
