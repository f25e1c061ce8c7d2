package io.dht4j.server.faults;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A TCP proxy in front of a port of this machine, which forwards, delays, holds or resets on command. Everything is
 * forwarded in both directions by a thread each; what is held is not lost but late, as on a network whose packets are
 * sent again. Safe for use by any number of threads.
 *
 * <p>Two things differ from a network: who connects while the link is cut sees the connection made and silent, and who
 * connects to a port at which nobody listens sees it made and reset.
 */
final class FaultyLink implements AutoCloseable {

    /** A fifth of a second is far more than a network in a building takes, and far less than any timeout. */
    private static final int DELAY_MILLIS = 200;

    private static final int RESET_PERCENT = 5;
    private static final int BACKLOG = 128;
    private static final int BUFFER_BYTES = 64 << 10;
    private static final int CONNECT_MILLIS = 10_000;

    /** How the link is between its ends, besides cuts. */
    enum Weather {
        /** Bytes pass at once. */
        CALM,
        /** Bytes pass a fifth of a second later, or up to two if others are before them. */
        SLOW,
        /** One of twenty pieces that come along ends its connection with a reset. */
        RESETS
    }

    private enum Direction {
        TO_TARGET,
        BACK
    }

    private final ServerSocket listener;
    private final int target;
    private final SplittableRandom random;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();

    // Guarded by this.
    private Weather weather = Weather.CALM;
    private boolean toTargetCut;
    private boolean backCut;
    private boolean closed;

    /** A calm link to a port, with a port of its own. */
    FaultyLink(int target, SplittableRandom random) throws IOException {
        this.target = target;
        this.random = random;
        this.listener = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
        start("link to " + target, this::accept);
    }

    /** Where to connect in order to reach the target. */
    int port() {
        return listener.getLocalPort();
    }

    synchronized void weather(Weather now) {
        weather = now;
        notifyAll();
    }

    /** Holds all bytes that go to the target, those that come back, or both, until the next command. */
    synchronized void cut(boolean toTarget, boolean back) {
        toTargetCut = toTarget;
        backCut = back;
        notifyAll();
    }

    /** Ends all connections with a reset. */
    void resetAll() {
        open.forEach(FaultyLink::reset);
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listener.accept();
                start("link to " + target + " for " + client.getPort(), () -> connect(client));
            }
        } catch (IOException e) {
            // Closed, which ends this thread.
        }
    }

    private void connect(Socket client) {
        Socket server = new Socket();
        open.add(client);
        open.add(server);
        try {
            awaitPassage();
            server.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), target), CONNECT_MILLIS);
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
            Thread back = start(
                    "link back from " + target + " for " + client.getPort(),
                    () -> pump(server, client, Direction.BACK));
            pump(client, server, Direction.TO_TARGET);
            back.join();
        } catch (IOException e) {
            reset(client);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            reset(server);
            reset(client);
            open.remove(client);
            open.remove(server);
        }
    }

    private void pump(Socket from, Socket to, Direction direction) {
        byte[] buffer = new byte[BUFFER_BYTES];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                if (!pass(direction)) {
                    throw new IOException("reset by the weather");
                }
                out.write(buffer, 0, read);
            }
            pass(direction);
            to.shutdownOutput();
        } catch (IOException e) {
            reset(from);
            reset(to);
        }
    }

    /** Waits until a connection can be made, for which packets must pass both ways. */
    private synchronized void awaitPassage() throws IOException {
        while (toTargetCut || backCut) {
            await(0);
        }
    }

    /** Lets a piece wait for as long as it has to; false if it ends its connection. */
    private synchronized boolean pass(Direction direction) throws IOException {
        if (weather == Weather.SLOW) {
            long due = System.nanoTime() + DELAY_MILLIS * 1_000_000L;
            for (long left = DELAY_MILLIS; left > 0; left = (due - System.nanoTime()) / 1_000_000) {
                await(left);
            }
        }
        while (direction == Direction.TO_TARGET ? toTargetCut : backCut) {
            await(0);
        }
        return weather != Weather.RESETS || random.nextInt(100) >= RESET_PERCENT;
    }

    private void await(long millis) throws IOException {
        if (closed) {
            throw new IOException("the link is closed");
        }
        try {
            wait(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private static void reset(Socket socket) {
        try {
            if (!socket.isClosed()) {
                socket.setSoLinger(true, 0);
            }
        } catch (IOException e) {
            // It is closed already, or was never connected.
        }
        try {
            socket.close();
        } catch (IOException e) {
            // Then it is gone, too.
        }
    }

    private static Thread start(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    @Override
    public void close() throws IOException {
        synchronized (this) {
            closed = true;
            notifyAll();
        }
        listener.close();
        resetAll();
    }
}
