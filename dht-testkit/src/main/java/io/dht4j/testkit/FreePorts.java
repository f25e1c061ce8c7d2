package io.dht4j.testkit;

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
 * Finds ports on loopback for nodes that are started one after another. A port that the system gives out ({@code new
 * ServerSocket(0)}) will not do: it gives the same ports to outgoing connections, so that the first node's call of a
 * peer may take the port of a node that is still to start, or to start again. Those found here lie below the ranges of
 * Linux, macOS and Windows for outgoing connections.
 *
 * <p>What was given out is nobody else's, in this JVM and in all others that use this class, although nobody may listen
 * there yet or any more: this JVM holds the UDP port of the same number, which one program at a time can have and TCP
 * knows nothing of. It holds the last 1,000, until it ends. Thread-safe.
 */
public final class FreePorts {

    private static final int LEAST = 12_000;
    private static final int GREATEST = 32_000;
    private static final int TRIES = 10_000;
    private static final int HELD = 1_000;

    /** Ports belong to the machine, so that this is one for all callers; the oldest first. Guarded by itself. */
    private static final Set<DatagramSocket> HOLDS = new LinkedHashSet<>();

    private FreePorts() {}

    /**
     * Ports at which nobody listened a moment ago. Blocks while it tries them.
     *
     * @param count how many, 0 to 1,000
     * @return ports from 12,000 to 31,999, all different, none of the last 1,000 that this gave in any JVM that still
     *     runs, in random order
     * @throws IllegalArgumentException if the count is not from 0 to 1,000
     * @throws UncheckedIOException if 10,000 tries did not find as many, or the system gives no socket to try one with
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
     * One port at which nobody listened a moment ago. Blocks while it tries.
     *
     * @return a port from 12,000 to 31,999
     * @throws UncheckedIOException if 10,000 tries did not find one, or the system gives no socket to try one with
     */
    public static int find() {
        return find(1).get(0);
    }

    /** Whether the port is free, and this JVM's from now on. */
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
