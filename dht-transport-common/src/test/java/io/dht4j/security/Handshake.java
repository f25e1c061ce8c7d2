package io.dht4j.security;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.cert.Certificate;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSession;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

/** A full handshake between two engines in memory, without sockets and without sessions of earlier ones. */
final class Handshake {

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final SSLEngine client;
    private final SSLEngine server;

    private Handshake(SSLEngine client, SSLEngine server) {
        this.client = client;
        this.server = server;
    }

    /** A client that calls {@code host:port} and trusts by a manager of its choice. */
    static Handshake of(Tls server, boolean demand, Tls client, X509TrustManager trust, String host, int port)
            throws GeneralSecurityException {
        SSLContext accepting = SSLContext.getInstance("TLS");
        accepting.init(new KeyManager[] {server.keyManager()}, new TrustManager[] {server.trustManager()}, null);
        SSLEngine serverEngine = accepting.createSSLEngine();
        serverEngine.setUseClientMode(false);
        serverEngine.setNeedClientAuth(demand);
        SSLContext calling = SSLContext.getInstance("TLS");
        KeyManager[] keys;
        try {
            keys = new KeyManager[] {client.keyManager()};
        } catch (IllegalStateException none) {
            keys = new KeyManager[0];
        }
        calling.init(keys, new TrustManager[] {trust}, null);
        SSLEngine clientEngine = calling.createSSLEngine(host, port);
        clientEngine.setUseClientMode(true);
        return new Handshake(clientEngine, serverEngine);
    }

    Handshake checkingHostNames() {
        SSLParameters parameters = client.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        client.setSSLParameters(parameters);
        return this;
    }

    Handshake over(String protocol) {
        client.setEnabledProtocols(new String[] {protocol});
        return this;
    }

    /** The server's certificate as the client saw it, once both sides are content. */
    Certificate run() throws SSLException {
        ByteBuffer toServer = ByteBuffer.allocate(1 << 17);
        ByteBuffer toClient = ByteBuffer.allocate(1 << 17);
        for (int round = 0; round < 100; round++) {
            boolean moved = step(client, toClient, toServer) | step(server, toServer, toClient);
            if (!moved && done(client) && done(server)) {
                return client.getSession().getPeerCertificates()[0];
            }
        }
        throw new AssertionError(
                "no end: client " + client.getHandshakeStatus() + ", server " + server.getHandshakeStatus());
    }

    /** What the server keeps of the connection. */
    SSLSession serversSession() {
        return server.getSession();
    }

    /** What the server knows of the client. */
    Certificate clientsCertificate() throws SSLException {
        return server.getSession().getPeerCertificates()[0];
    }

    private static boolean done(SSLEngine engine) {
        return engine.getHandshakeStatus() == HandshakeStatus.NOT_HANDSHAKING;
    }

    private static boolean step(SSLEngine engine, ByteBuffer in, ByteBuffer out) throws SSLException {
        boolean moved = false;
        SSLEngineResult wrapped = engine.wrap(NOTHING, out);
        moved |= wrapped.bytesProduced() > 0;
        moved |= tasks(engine);
        in.flip();
        if (in.hasRemaining()) {
            ByteBuffer plain = ByteBuffer.allocate(1 << 15);
            SSLEngineResult unwrapped = engine.unwrap(in, plain);
            moved |= unwrapped.bytesConsumed() > 0;
        }
        in.compact();
        moved |= tasks(engine);
        return moved;
    }

    private static boolean tasks(SSLEngine engine) {
        boolean moved = false;
        for (Runnable task = engine.getDelegatedTask(); task != null; task = engine.getDelegatedTask()) {
            task.run();
            moved = true;
        }
        return moved;
    }
}
