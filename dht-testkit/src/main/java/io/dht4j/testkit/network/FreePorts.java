package io.dht4j.testkit.network;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Finds free loopback ports for nodes that start one after another. A port from {@code new ServerSocket(0)} is
 * unsuitable: the system uses the same range for outgoing connections. The first node's call of a peer could occupy the
 * port of a node that has yet to start or to restart. The ports found here lie below the ranges of Linux, macOS and
 * Windows for outgoing connections.
 *
 * <p>A port is reserved across all JVMs that use this class, even while no process listens at it. The JVM binds the UDP
 * port of the same number, which only one process can have and which is independent of TCP. It holds the last 1,000
 * ports until it ends. Thread-safe.
 */
public final class FreePorts {

    private static final int LEAST = 12_000;
    private static final int GREATEST = 32_000;
    private static final int TRIES = 10_000;
    private static final int HELD = 1_000;

    /** Global, since ports belong to the machine; the oldest first. Guarded by itself. */
    private static final Set<DatagramSocket> HOLDS = new LinkedHashSet<>();

    private FreePorts() {}

    /**
     * Finds ports without a listening process at the time of the check. Blocks while it tries them.
     *
     * @param count how many, 0 to 1,000
     * @return distinct ports from 12,000 to 31,999 in random order, none of the last 1,000 that this class returned in
     *     any running JVM
     * @throws IllegalArgumentException if the count is not from 0 to 1,000
     * @throws UncheckedIOException if 10,000 tries did not find enough ports, or the system provides no socket to try
     *     one with
     */
    public static List<Integer> find(int count) {
        if (count < 0 || count > HELD) {
            throw new IllegalArgumentException("count must be 0 to " + HELD + ", not " + count);
        }
        List<Integer> ports = new ArrayList<>(count);
        for (int i = 0; i < TRIES && ports.size() < count; i++) {
            int port = ThreadLocalRandom.current().nextInt(LEAST, GREATEST);
            if (hold(port)) {
                ports.add(port);
            }
        }
        if (ports.size() < count) {
            throw new UncheckedIOException(new IOException("found only " + ports.size() + " of " + count
                    + " free ports from " + LEAST + " to " + (GREATEST - 1) + " on loopback"));
        }
        return List.copyOf(ports);
    }

    /**
     * Finds one port without a listening process at the time of the check. Blocks while it tries.
     *
     * @return a port from 12,000 to 31,999
     * @throws UncheckedIOException if 10,000 tries did not find one, or the system provides no socket to try one with
     */
    public static int find() {
        return find(1).get(0);
    }

    /** Reserves a port for this JVM and returns whether it was free. */
    private static boolean hold(int port) {
        DatagramSocket hold;
        try {
            hold = new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        } catch (BindException taken) {
            return false;
        } catch (SocketException e) {
            throw new UncheckedIOException("cannot try UDP port " + port, e);
        }
        if (!isFree(port)) {
            hold.close();
            return false;
        }
        synchronized (HOLDS) {
            if (HOLDS.size() == HELD) {
                DatagramSocket oldest = HOLDS.iterator().next();
                HOLDS.remove(oldest);
                oldest.close();
            }
            HOLDS.add(hold);
        }
        return true;
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException taken) {
            return false;
        }
    }
}
