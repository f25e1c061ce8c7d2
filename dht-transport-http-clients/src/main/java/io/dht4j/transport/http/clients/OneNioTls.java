package io.dht4j.transport.http.clients;

import io.dht4j.transport.http.internal.peer.PeerTls;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.InetAddress;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import one.nio.net.JavaSslClientContext;
import one.nio.net.JavaSslClientSocket;
import one.nio.net.Socket;

/**
 * TLS sockets for one-nio's client. Its native ones read certificates from files in a way of their own, so these are
 * its Java sockets, around the JDK's TLS with this project's managers. They connect without a time limit, so the caller
 * closes those that take too long. Safe for use by any number of threads.
 */
final class OneNioTls {

    private final SSLContext context;
    private final Vertx timers;
    private final Executor threads;

    OneNioTls(SSLContext context, Vertx timers, Executor threads) {
        this.context = context;
        this.timers = timers;
        this.threads = threads;
    }

    /** Opens a connection on which the peer has proved its identity. Blocks. */
    Socket connect(String host, int port, int timeoutMillis) throws IOException {
        SSLSocket[] created = new SSLSocket[1];
        JavaSslClientSocket socket = new JavaSslClientSocket(new JavaSslClientContext(context) {
            @Override
            public SSLSocket createSocket() throws IOException {
                created[0] = super.createSocket();
                // Otherwise closing would wait for a write that waits for the peer.
                created[0].setSoLinger(true, 0);
                return created[0];
            }
        });
        long timer = timers.setTimer(timeoutMillis, late -> threads.execute(socket::close));
        try {
            socket.setNoDelay(true);
            socket.connect(InetAddress.getByName(host), port);
            socket.setTimeout(timeoutMillis);
            created[0].startHandshake();
            socket.setTimeout(0);
            return socket;
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        } finally {
            timers.cancelTimer(timer);
        }
    }

    /** Prevents the next connection from resuming an earlier session. */
    void forgetSessions() {
        PeerTls.forget(context.getClientSessionContext());
    }
}
