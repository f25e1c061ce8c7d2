package io.dht4j.testkit;

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
 * A link to a port of this machine that can go silent, in one direction or both, and heal. No connection is closed by
 * that. As on a network, the connections that were there when it went silent stay silent for long after it has healed:
 * TCP sends again the more rarely the longer nothing was acknowledged, up to two minutes apart. A connection that is
 * begun meanwhile comes to be when the link heals.
 *
 * <p>A thread for each direction of a connection. Safe for use by any number of threads.
 */
public final class SilencedLink implements AutoCloseable {

    private static final int BUFFER_BYTES = 64 << 10;

    /** What does not pass. */
    public enum Cut {
        /** What the caller sends. */
        TO_PEER,
        /** What the peer sends. */
        BACK,
        /** Both. */
        BOTH
    }

    private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final int target;
    private final Set<Line> lines = ConcurrentHashMap.newKeySet();

    // Guarded by this.
    private @Nullable Cut cut;
    private boolean paused;
    private boolean closed;

    /**
     * A link to a port, through which everything passes at first.
     *
     * @param target the port, on the loopback address
     * @throws IOException if the link cannot listen
     */
    public SilencedLink(int target) throws IOException {
        this.target = target;
        start(this::accept);
    }

    /**
     * Where to connect in order to reach the port.
     *
     * @return host and port
     */
    public String address() {
        return "127.0.0.1:" + listener.getLocalPort();
    }

    /**
     * Lets nothing pass any more in the direction that is cut. Does not block.
     *
     * @param direction what does not pass
     */
    public synchronized void silence(Cut direction) {
        cut = direction;
        lines.forEach(line -> line.cut = direction);
    }

    /** Lets connections pass again, but for those that were there before. Does not block. */
    public synchronized void heal() {
        cut = null;
        notifyAll();
    }

    /** Nothing passes any more, in either direction, until {@link #resume}: what comes meanwhile passes then. */
    public synchronized void pause() {
        paused = true;
    }

    /** All goes on that was paused. */
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
            // Closed: the test is over.
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

        /** Carries bytes in a direction, which only another cut lets pass. */
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
                        // Nor does an end pass.
                        awaitEnd();
                    }
                    out.write(buffer, 0, Math.max(0, count));
                } while (count >= 0);
            } catch (IOException e) {
                // Either end has hung up, which the other one sees.
                close();
                return;
            }
            close();
        }

        void close() {
            Cut now = cut;
            if (now != null && !isClosed()) {
                // Nobody hears of it.
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
