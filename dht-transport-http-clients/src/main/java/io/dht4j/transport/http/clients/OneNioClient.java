package io.dht4j.transport.http.clients;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.dht4j.Node;
import io.dht4j.spi.Frame;
import io.dht4j.transport.common.calls.PeerCall;
import io.dht4j.transport.http.internal.peer.PeerOptions;
import io.dht4j.transport.http.internal.peer.PeerProtocol;
import io.dht4j.transport.http.internal.peer.PeerReply;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import one.nio.http.HttpClient;
import one.nio.net.ConnectionString;
import one.nio.net.Socket;
import one.nio.pool.PoolException;
import org.jspecify.annotations.Nullable;

/**
 * One-nio's client and its pool of sockets to one peer, with an exchange of this class's own. The library's exchange
 * sends a request a second time when the connection breaks, and allocates the length that the peer declares. Methods
 * block, except {@link #close} and the {@linkplain PeerCall#drop release} of a call. Safe for use by any number of
 * threads.
 */
class OneNioClient extends HttpClient {

    private static final long serialVersionUID = 1;

    /** A frame up to this size is written together with its head, at the price of a copy. */
    private static final int ONE_WRITE = 64 * 1024;

    /** The time without use after which a connection is checked before its next use. */
    private static final long DOUBTFUL_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final transient PeerOptions options;
    private final transient Optional<OneNioTls> tls;
    private final transient byte[] head;
    private final transient boolean virtual;
    /** The unused connections and their state. */
    private final transient Map<Socket, OneNioReply> unused = new ConcurrentHashMap<>();
    /** The number of times the peer was lost. A connection from before the last loss is checked, too. */
    private final transient AtomicInteger losses = new AtomicInteger();

    OneNioClient(Node peer, Optional<OneNioTls> tls, PeerOptions options, boolean virtual) {
        super(new ConnectionString(
                "http://" + PeerProtocol.hostInUri(peer.host()) + ":" + peer.port() + "/?clientMaxPoolSize="
                        + options.connectionsPerPeer()
                        + "&connectTimeout=" + options.connectTimeout().toMillis()
                        + "&timeout=" + options.connectTimeout().toMillis(),
                false));
        this.options = options;
        this.tls = tls;
        this.virtual = virtual;
        this.head = ("POST " + PeerProtocol.PATH + " HTTP/1.1\r\nHost: " + peer.address() + "\r\n"
                        + PeerProtocol.PEER_HEADER + ": " + PeerProtocol.PEER + "\r\n" + PeerProtocol.DEADLINE_HEADER
                        + ": ")
                .getBytes(ISO_8859_1);
    }

    @Override
    public Socket createObject() throws PoolException {
        Socket socket = null;
        try {
            if (tls.isPresent()) {
                return tls.get().connect(host, port, connectTimeout);
            }
            socket = OneNioSockets.create(virtual);
            socket.setNoDelay(true);
            socket.setTimeout(connectTimeout);
            socket.connect(host, port);
            socket.setTimeout(0);
            return socket;
        } catch (Throwable e) {
            if (socket != null) {
                socket.close();
            }
            throw new PoolException("cannot connect: " + PeerReply.reason(e), e);
        }
    }

    /**
     * Sends a call and reads its reply. Blocks until the call has ended for any reason. After an {@link Error} the
     * caller still has the call, and the connection is closed.
     */
    void exchange(PeerCall call) {
        Exchange exchange = new Exchange(call);
        call.carriedBy(exchange);
        int lossesBefore = losses.get();
        Socket socket;
        try {
            socket = borrowUsable();
        } catch (PoolException | InterruptedException e) {
            losses.incrementAndGet();
            // The exception of createObject() has all details.
            PeerReply.unconnected(
                    call, e.getCause() != null && e.getMessage() != null ? e.getMessage() : PeerReply.reason(e), e);
            return;
        }
        OneNioReply reply = unused.remove(socket);
        boolean reusable = false;
        try {
            if (reply == null) {
                reply = new OneNioReply(options.limits().maxFrameBytes());
            }
            if (exchange.begin(socket)) {
                write(socket, call);
                boolean keepsAlive = reply.read(socket, call);
                if (reply.isForbidden()) {
                    // The next connection may have another certificate, and must not resume the session of this one.
                    tls.ifPresent(OneNioTls::forgetSessions);
                } else if (keepsAlive) {
                    reply.used(lossesBefore);
                    unused.put(socket, reply);
                    reusable = true;
                }
            }
        } catch (IOException | RuntimeException e) {
            // Before the caller is notified: its next call must not take a connection of the same age unchecked.
            losses.incrementAndGet();
            call.abandon("connection lost before the reply: " + PeerReply.reason(e));
            // The others are of the same age.
            closeUnused(0);
        } finally {
            if (exchange.end() && reusable) {
                returnObject(socket);
            } else {
                unused.remove(socket);
                invalidateObject(socket);
            }
        }
    }

    private Socket borrowUsable() throws PoolException, InterruptedException {
        while (true) {
            Socket socket = borrowObject();
            boolean usable = false;
            try {
                usable = isUsable(socket);
            } finally {
                if (!usable) {
                    unused.remove(socket);
                    invalidateObject(socket);
                }
            }
            if (usable) {
                return socket;
            }
        }
    }

    private boolean isUsable(Socket socket) {
        OneNioReply reply = unused.get(socket);
        boolean isTrusted =
                reply == null || (reply.unusedNanos() < DOUBTFUL_NANOS && reply.lossesBefore() == losses.get());
        return isTrusted || isSilent(socket);
    }

    /** Returns whether an unused connection has received neither bytes nor its end. */
    private static boolean isSilent(Socket socket) {
        try {
            socket.setTimeout(1);
            socket.read(new byte[1], 0, 1, 0);
            return false;
        } catch (SocketTimeoutException e) {
            socket.setTimeout(0);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    void write(Socket socket, PeerCall call) throws IOException {
        Frame frame = call.request();
        byte[] rest = (PeerProtocol.deadline(call) + "\r\nContent-Length: " + frame.length() + "\r\n\r\n")
                .getBytes(ISO_8859_1);
        boolean together = frame.length() <= ONE_WRITE;
        int headLength = head.length + rest.length;
        byte[] first = new byte[headLength + (together ? frame.length() : frame.head().length)];
        System.arraycopy(head, 0, first, 0, head.length);
        System.arraycopy(rest, 0, first, head.length, rest.length);
        frame.copy(0, first, headLength, first.length - headLength);
        socket.writeFully(first, 0, first.length);
        if (!together) {
            socket.writeFully(frame.body(), 0, frame.body().length);
        }
    }

    /** Closes connections that have not been used for a while. */
    void closeUnused() {
        closeUnused(options.keepAlive().toNanos());
    }

    private void closeUnused(long nanos) {
        List<Socket> old = new ArrayList<>();
        synchronized (this) {
            for (Socket socket : this) {
                OneNioReply reply = unused.get(socket);
                if (reply != null && reply.unusedNanos() >= nanos) {
                    old.add(socket);
                }
            }
            removeAll(old);
        }
        for (Socket socket : old) {
            unused.remove(socket);
            invalidateObject(socket);
        }
    }

    /** The socket while it carries a call: only then does the release of the call close it. */
    private static final class Exchange implements PeerCall.Carrier {

        private final PeerCall call;
        private @Nullable Socket socket;
        private boolean dropped;

        Exchange(PeerCall call) {
            this.call = call;
        }

        /** Returns false if the call has ended. */
        synchronized boolean begin(Socket borrowed) {
            socket = borrowed;
            return !dropped && !call.hasEnded();
        }

        /** Returns false if the socket is closed. */
        synchronized boolean end() {
            socket = null;
            return !dropped;
        }

        @Override
        public synchronized void drop() {
            dropped = true;
            if (socket != null) {
                socket.close();
            }
        }
    }
}
