package io.dht4j.testkit.network;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A proxy to a port of this machine that can become silent, in one direction or both, and heal. Connections stay open
 * during the silence.
 *
 * <p>Connections that existed when the link became silent stay silent long after it has healed, as on a network: TCP
 * backs off its retransmissions up to two minutes. A connection begun during the silence is established when the link
 * heals.
 *
 * <p>Uses a thread for each direction of a connection. Safe for use by any number of threads.
 */
public final class SilencedLink implements AutoCloseable {

    private static final int BUFFER_BYTES = 64 << 10;

    /** The silent direction. */
    public enum Cut {
        /** From the caller to the peer. */
        TO_PEER,
        /** From the peer to the caller. */
        BACK,
        /** Both directions. */
        BOTH
    }

    private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private volatile int target;
    private final Set<Line> lines = ConcurrentHashMap.newKeySet();

    // Guarded by this.
    private @Nullable Cut cut;
    private boolean paused;
    private boolean closed;

    /**
     * Creates a link to a port that is not silent.
     *
     * @param target the port, on the loopback address
     * @throws IOException if the link cannot listen
     */
    public SilencedLink(int target) throws IOException {
        this.target = target;
        start(this::accept);
    }

    /**
     * Returns the address of the link, to connect to instead of the port.
     *
     * @return host and port
     */
    public String address() {
        return "127.0.0.1:" + listener.getLocalPort();
    }

    /**
     * Silences a direction. Does not block.
     *
     * @param direction the silent direction
     */
    public synchronized void silence(Cut direction) {
        cut = direction;
        lines.forEach(line -> line.cut = direction);
    }

    /**
     * Leads new connections to another port, as a name that leads to another machine now; those from before stay where
     * they are. Does not block.
     *
     * @param port the port, on the loopback address
     */
    public void redirect(int port) {
        target = port;
    }

    /** Heals the link: new connections pass, those from before stay silent. Does not block. */
    public synchronized void heal() {
        cut = null;
        notifyAll();
    }

    /** Pauses both directions until {@link #resume}, which delivers the bytes that arrived during the pause. */
    public synchronized void pause() {
        paused = true;
    }

    /** Resumes all paused connections. */
    public synchronized void resume() {
        paused = false;
        notifyAll();
    }

    private void accept() {
        try {
            while (true) {
                Line line = new Line(listener.accept());
                start(line::connect);
            }
        } catch (IOException e) {
            // The link was closed at the end of the test.
            return;
        }
    }

    private synchronized void awaitPassage(Line line) throws IOException {
        try {
            while ((cut != null || paused) && !closed) {
                wait();
            }
            lines.add(line);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private void awaitEnd() throws IOException {
        awaitClosedOr(() -> false);
    }

    private synchronized void awaitClosedOr(BooleanSupplier condition) throws IOException {
        try {
            while (!closed && !condition.getAsBoolean()) {
                wait();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "silenced-link");
        thread.setDaemon(true);
        thread.start();
    }

    /** A connection through the link. */
    private final class Line {

        private final Socket caller;
        private final Socket peer = new Socket();
        private volatile @Nullable Cut cut;

        Line(Socket caller) {
            this.caller = caller;
        }

        void connect() {
            try {
                awaitPassage(this);
                caller.setTcpNoDelay(true);
                peer.setTcpNoDelay(true);
                peer.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), target));
                start(() -> pump(peer, caller, Cut.TO_PEER));
                pump(caller, peer, Cut.BACK);
            } catch (IOException e) {
                close();
            }
        }

        /** Copies bytes in one direction, unless that direction is silent. */
        private void pump(Socket from, Socket to, Cut passes) {
            byte[] buffer = new byte[BUFFER_BYTES];
            try {
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream();
                int count;
                do {
                    count = in.read(buffer);
                    awaitClosedOr(() -> !paused);
                    Cut now = cut;
                    if (now != null && now != passes) {
                        // A silent link delivers no end of stream either.
                        awaitEnd();
                    }
                    out.write(buffer, 0, Math.max(0, count));
                } while (count >= 0);
            } catch (IOException e) {
                // One side has closed the connection, so the other side is closed too.
                close();
                return;
            }
            close();
        }

        void close() {
            Cut now = cut;
            if (now != null && !isClosed()) {
                // There is no recipient for the failure.
                return;
            }
            lines.remove(this);
            for (Socket socket : new Socket[] {caller, peer}) {
                try {
                    socket.close();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    /** Closes the link and all its connections. */
    @Override
    public void close() throws IOException {
        synchronized (this) {
            closed = true;
            notifyAll();
        }
        listener.close();
        lines.forEach(Line::close);
    }
}
