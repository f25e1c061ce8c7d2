package io.dht4j.transport.tcp.internal.tls;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.PrintableText;
import io.dht4j.security.HandshakeFailureLog;
import io.dht4j.security.Tls;
import io.dht4j.spi.ConnectFailure;
import io.dht4j.spi.FrameHandler;
import io.dht4j.spi.TlsFiles;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import javax.net.ssl.TrustManager;

/** TLS between nodes, in both directions. Safe for use by any number of threads. */
public final class TransportTls implements AutoCloseable {

    private static final String[] PROTOCOLS = {"TLSv1.3", "TLSv1.2"};

    /** How deep chains of causes are searched, which may be circular. */
    private static final int DEEPEST = 20;

    private final Tls tls;
    private final HandshakeFailureLog refused;
    private final SSLContext listening;

    /**
     * Reads the files. Blocks.
     *
     * @param self the node that the certificate should name, if that is known
     */
    public TransportTls(TlsFiles files, Optional<NodeId> self, Consumer<String> warnings) {
        this.tls = Tls.load(files, warnings);
        self.ifPresent(tls::expectName);
        this.refused = new HandshakeFailureLog(warnings);
        this.listening = context(tls.trustManager());
    }

    /** Returns an engine for one accepted connection. */
    public SSLEngine accepting() {
        SSLEngine engine = listening.createSSLEngine();
        engine.setUseClientMode(false);
        engine.setNeedClientAuth(true);
        engine.setEnabledProtocols(PROTOCOLS);
        return engine;
    }

    /**
     * Returns an engine for one connection to a node. Each has its own context, so that no session is resumed: a
     * resumed session would continue under an old certificate.
     */
    public SSLEngine calling(Node node) {
        TrustManager only = tls.trustManager((host, port) -> Optional.of(node.id()));
        SSLEngine engine = context(only).createSSLEngine(node.host(), node.port());
        engine.setUseClientMode(true);
        engine.setEnabledProtocols(PROTOCOLS);
        return engine;
    }

    private SSLContext context(TrustManager trust) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(new KeyManager[] {tls.keyManager()}, new TrustManager[] {trust}, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JVM cannot set up TLS: " + e.getMessage(), e);
        }
    }

    /**
     * Returns the names of the caller.
     *
     * @throws CertificateException with the reason if the caller may not call
     */
    public Set<String> callerNames(SSLSession session, FrameHandler frames) throws CertificateException {
        Set<String> names;
        try {
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

    /** Logs a caller that is refused. */
    public void refuse(String host, String why) {
        refused.refused(host, why);
    }

    /** Logs a handshake that failed because of the caller; others, as of a caller that went away, are not logged. */
    public void handshakeFailed(String host, Throwable failure) {
        reason(failure).ifPresent(why -> refused.refused(host, why));
    }

    private static Optional<String> reason(Throwable failure) {
        Throwable cause = failure;
        for (int depth = 0; cause != null && depth < DEEPEST; depth++) {
            if (cause instanceof CertificateException) {
                return Optional.of(String.valueOf(cause.getMessage()));
            }
            cause = cause.getCause();
        }
        Optional<String> words = ConnectFailure.inWords(failure);
        String message = String.valueOf(failure.getMessage());
        boolean lacksCertificate = failure instanceof SSLHandshakeException
                && message.contains("certificate")
                && !message.startsWith("Received");
        return lacksCertificate
                ? Optional.of("the caller presents no certificate of a trusted authority: " + message)
                : words;
    }

    @Override
    public void close() {
        tls.close();
    }
}
