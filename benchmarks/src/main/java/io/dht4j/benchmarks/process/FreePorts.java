package io.dht4j.benchmarks.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/** Finds ports for nodes. */
final class FreePorts {

    /** Below the ports that systems give to outgoing connections, of which a load makes many. */
    private static final int LEAST = 12_000;

    private static final int GREATEST = 32_000;
    private static final int TRIES = 2_000;

    private FreePorts() {}

    /** Ports on loopback that were free a moment ago, all different. */
    static List<Integer> find(int count) throws IOException {
        Set<Integer> ports = new LinkedHashSet<>();
        for (int i = 0; i < TRIES && ports.size() < count; i++) {
            int port = ThreadLocalRandom.current().nextInt(LEAST, GREATEST);
            if (isFree(port)) {
                ports.add(port);
            }
        }
        if (ports.size() < count) {
            throw new IOException("found only " + ports.size() + " of " + count + " free ports from " + LEAST + " to "
                    + GREATEST + " on loopback");
        }
        return List.copyOf(ports);
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }
}
