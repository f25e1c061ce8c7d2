package io.dht4j.server.client;

import java.security.KeyManagementException;
import java.security.Provider;
import java.security.SecureRandom;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLContextSpi;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocketFactory;
import javax.net.ssl.SSLSessionContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;

/**
 * A TLS context for plaintext clients: otherwise an HTTP client creates a real one, which takes longer than its
 * request. Any use of TLS fails.
 */
final class UnusedTls extends SSLContext {

    /** Creates the context. */
    UnusedTls() {
        super(new Unused(), new NoProvider(), "TLS");
    }

    private static final class NoProvider extends Provider {

        private static final long serialVersionUID = 1;

        NoProvider() {
            super("unused", "1.0", "provides nothing");
        }
    }

    private static final class Unused extends SSLContextSpi {

        private static IllegalStateException unused() {
            return new IllegalStateException("a client of http addresses has no TLS");
        }

        @Override
        protected SSLParameters engineGetDefaultSSLParameters() {
            return new SSLParameters();
        }

        @Override
        protected SSLParameters engineGetSupportedSSLParameters() {
            return new SSLParameters();
        }

        @Override
        protected void engineInit(KeyManager[] keys, TrustManager[] trusted, SecureRandom random)
                throws KeyManagementException {
            throw new KeyManagementException(unused());
        }

        @Override
        protected SSLSocketFactory engineGetSocketFactory() {
            throw unused();
        }

        @Override
        protected SSLServerSocketFactory engineGetServerSocketFactory() {
            throw unused();
        }

        @Override
        protected SSLEngine engineCreateSSLEngine() {
            throw unused();
        }

        @Override
        protected SSLEngine engineCreateSSLEngine(String host, int port) {
            throw unused();
        }

        @Override
        protected SSLSessionContext engineGetServerSessionContext() {
            throw unused();
        }

        @Override
        protected SSLSessionContext engineGetClientSessionContext() {
            throw unused();
        }
    }
}
