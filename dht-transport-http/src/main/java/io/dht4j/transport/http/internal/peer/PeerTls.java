package io.dht4j.transport.http.internal.peer;

import io.dht4j.NodeId;
import io.dht4j.security.Tls;
import io.vertx.core.net.ClientSSLOptions;
import io.vertx.core.net.KeyCertOptions;
import io.vertx.core.net.TrustOptions;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSessionContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/**
 * TLS to one peer: this node's certificate, and trust only in the node that is called. Safe for use by any number of
 * threads.
 */
public final class PeerTls {

    /** The TLS versions between peers. */
    public static final Set<String> VERSIONS = Set.of("TLSv1.2", "TLSv1.3");

    private final X509ExtendedKeyManager own;
    private final Trust trust;

    public PeerTls(Tls tls, NodeId expected) {
        this.own = tls.keyManager();
        this.trust = new Trust(tls.trustManager((host, port) -> Optional.of(expected)));
    }

    /**
     * Returns whether the peer has ever proved its identity. Until then no request was sent, so no data was disclosed.
     */
    boolean hasTrusted() {
        return trust.trusted;
    }

    public SSLContext context() {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(new KeyManager[] {own}, new TrustManager[] {trust}, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("TLS is not to be had", e);
        }
    }

    /**
     * Returns options for Vert.x, with HTTP/2 or without; never equal to earlier ones, so that their sessions are not
     * resumed.
     */
    public ClientSSLOptions options(boolean http2) {
        ClientSSLOptions options = new ClientSSLOptions()
                // Trust depends on whose certificate it is, and not on the name of its host.
                .setHostnameVerificationAlgorithm("")
                .setKeyCertOptions(KeyCertOptions.wrap(own))
                .setTrustOptions(TrustOptions.wrap(new Trust(trust)))
                .setEnabledSecureTransportProtocols(VERSIONS);
        return http2 ? options.setUseAlpn(true).setApplicationLayerProtocols(List.of("h2")) : options;
    }

    /** Prevents further connections from resuming the sessions of a context. */
    public static void forget(@Nullable SSLSessionContext sessions) {
        if (sessions == null) {
            return;
        }
        for (byte[] id : Collections.list(sessions.getIds())) {
            SSLSession session = sessions.getSession(id);
            if (session != null) {
                session.invalidate();
            }
        }
    }

    /** Records whether it has ever trusted a server. */
    private static final class Trust extends X509ExtendedTrustManager {

        private final X509ExtendedTrustManager judge;
        private volatile boolean trusted;

        Trust(X509ExtendedTrustManager judge) {
            this.judge = judge;
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
                throws CertificateException {
            judge.checkServerTrusted(chain, authType, engine);
            trusted = true;
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket)
                throws CertificateException {
            judge.checkServerTrusted(chain, authType, socket);
            trusted = true;
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType) throws CertificateException {
            judge.checkServerTrusted(chain, authType);
            trusted = true;
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
                throws CertificateException {
            judge.checkClientTrusted(chain, authType, engine);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket)
                throws CertificateException {
            judge.checkClientTrusted(chain, authType, socket);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType) throws CertificateException {
            judge.checkClientTrusted(chain, authType);
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return judge.getAcceptedIssuers();
        }
    }
}
