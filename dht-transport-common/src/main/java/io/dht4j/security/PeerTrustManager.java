package io.dht4j.security;

import io.dht4j.NodeId;
import io.dht4j.PrintableText;
import io.dht4j.security.Tls.ExpectedPeer;
import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Set;
import java.util.TreeSet;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/**
 * Trusts certificates with the name of the called node. The delegate gets the chain without engine or socket. With one
 * of them it would also check host names if the client library requires that, as HTTP clients do by default.
 */
final class PeerTrustManager extends X509ExtendedTrustManager {

    private final X509ExtendedTrustManager authorities;
    private final ExpectedPeer peers;

    PeerTrustManager(X509ExtendedTrustManager authorities, ExpectedPeer peers) {
        this.authorities = authorities;
        this.peers = peers;
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType) throws CertificateException {
        authorities.checkServerTrusted(chain, authType);
        require(chain, null, -1);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType, @Nullable Socket socket)
            throws CertificateException {
        authorities.checkServerTrusted(chain, authType);
        SSLSession session = socket instanceof SSLSocket tls ? tls.getHandshakeSession() : null;
        if (session == null) {
            require(chain, null, -1);
        } else {
            require(chain, session.getPeerHost(), session.getPeerPort());
        }
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType, @Nullable SSLEngine engine)
            throws CertificateException {
        authorities.checkServerTrusted(chain, authType);
        if (engine == null) {
            require(chain, null, -1);
        } else {
            require(chain, engine.getPeerHost(), engine.getPeerPort());
        }
    }

    private void require(X509Certificate[] chain, @Nullable String host, int port) throws CertificateException {
        if (host == null) {
            throw new CertificateException("the connection does not tell which node it calls, so the node's certificate"
                    + " cannot be checked");
        }
        NodeId wanted = peers.at(host, port)
                .orElseThrow(() -> new CertificateException("no node is expected at " + host + ":" + port));
        Set<String> names = Tls.names(chain[0]);
        if (!names.contains(wanted.value())) {
            throw new CertificateException("the certificate of " + host + ":" + port + " names "
                    + PrintableText.of(new TreeSet<>(names)) + ", not " + wanted + ", the node that is called");
        }
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType) throws CertificateException {
        authorities.checkClientTrusted(chain, authType);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType, @Nullable Socket socket)
            throws CertificateException {
        authorities.checkClientTrusted(chain, authType);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType, @Nullable SSLEngine engine)
            throws CertificateException {
        authorities.checkClientTrusted(chain, authType);
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return authorities.getAcceptedIssuers();
    }
}
