package io.dht4j.security;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Stays the same while the authorities are replaced. Host names are checked by the JDK's manager behind it, if the
 * socket or the engine asks for that. Errors about callers say which names their certificates have.
 */
final class AuthorityTrustManager extends X509ExtendedTrustManager {

    private final Supplier<X509ExtendedTrustManager> current;
    private final BiConsumer<String, String> refused;

    AuthorityTrustManager(Supplier<X509ExtendedTrustManager> current) {
        this(current, (address, why) -> {});
    }

    /**
     * One that tells of callers that it does not trust.
     *
     * @param refused takes the address, where an engine knows it, and why
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
