package io.dht4j.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Finds ports on loopback for nodes that are started one after another. A port that the system gives out ({@code new ServerSocket(0)})
 * will not do: it gives the same ports to outgoing connections, so that the first node's call of a peer may take the port of a node that
 * is still to start, or to start again. Those found here lie below the ranges of Linux, macOS and Windows for outgoing connections.
 *
 * <p>What was given out lately is not given out again in this JVM: tests that run side by side may take some time until they listen. JVMs that run side by side may be told which of how
 * many each is, from 1, by the system properties {@code dht4j.test.fork} and {@code dht4j.test.forks}: then none finds a port that another one may find. Thread-safe.
 */
public final class FreePorts {

    private static final int LEAST = 12_000;
    private static final int GREATEST = 32_000;
    private static final int TRIES = 10_000;
    private static final int REMEMBERED = 4_096;
    private static final int FORKS = Integer.getInteger("dht4j.test.forks", 1);
    private static final int FORK = Integer.getInteger("dht4j.test.fork", 1);

    /** Ports belong to the machine, so that this is one for all callers; the oldest first. Guarded by itself. */
    private static final Set<Integer> GIVEN_OUT = new LinkedHashSet<>();

    private FreePorts() {}

    /**
     * Ports at which nobody listened a moment ago. Blocks while it tries them.
     *
     * @param count how many, 0 to 1,000
     * @return ports from 12,000 to 31,999, all different, none of the last 4,000 or so that this gave, in random order
     * @throws UncheckedIOException if 10,000 tries did not find as many
     */
    public static List<Integer> find(int count) {
        Set<Integer> ports = new LinkedHashSet<>();
        for (int i = 0; i < TRIES && ports.size() < count; i++) {
            int port = ThreadLocalRandom.current().nextInt(LEAST, GREATEST);
            if (port % FORKS == FORK % FORKS && isFree(port) && isNew(port)) {
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
     * @throws UncheckedIOException if 10,000 tries did not find one
     */
    public static int find() {
        return find(1).get(0);
    }

    private static boolean isNew(int port) {
        synchronized (GIVEN_OUT) {
            if (GIVEN_OUT.size() == REMEMBERED) {
                GIVEN_OUT.remove(GIVEN_OUT.iterator().next());
            }
            return GIVEN_OUT.add(port);
        }
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException taken) {
            return false;
        }
    }
}
