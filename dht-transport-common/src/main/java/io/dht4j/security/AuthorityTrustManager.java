package io.dht4j.security;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * A trust manager whose authorities can be replaced. The delegate of the JDK checks host names if the socket or the
 * engine requires it. Errors about callers contain the names in their certificates.
 */
final class AuthorityTrustManager extends X509ExtendedTrustManager {

    private final Supplier<X509ExtendedTrustManager> current;
    private final BiConsumer<String, String> refused;

    AuthorityTrustManager(Supplier<X509ExtendedTrustManager> current) {
        this(current, (address, why) -> {});
    }

    /**
     * Creates a trust manager that reports untrusted callers.
     *
     * @param refused takes the caller's address, if an engine knows it, and the reason
     */
    AuthorityTrustManager(Supplier<X509ExtendedTrustManager> current, BiConsumer<String, String> refused) {
        this.current = current;
        this.refused = refused;
    }

    private static CertificateException named(X509Certificate[] chain, CertificateException error) {
        return new CertificateException(HandshakeFailureLog.untrusted(chain, error), error);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType) throws CertificateException {
        try {
            current.get().checkClientTrusted(chain, authType);
        } catch (CertificateException e) {
            throw named(chain, e);
        }
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket)
            throws CertificateException {
        try {
            current.get().checkClientTrusted(chain, authType, socket);
        } catch (CertificateException e) {
            throw named(chain, e);
        }
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
            throws CertificateException {
        try {
            current.get().checkClientTrusted(chain, authType, engine);
        } catch (CertificateException e) {
            CertificateException named = named(chain, e);
            if (engine.getPeerHost() != null) {
                refused.accept(engine.getPeerHost(), String.valueOf(named.getMessage()));
            }
            throw named;
        }
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType) throws CertificateException {
        current.get().checkServerTrusted(chain, authType);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket)
            throws CertificateException {
        current.get().checkServerTrusted(chain, authType, socket);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
            throws CertificateException {
        current.get().checkServerTrusted(chain, authType, engine);
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return current.get().getAcceptedIssuers();
    }
}
