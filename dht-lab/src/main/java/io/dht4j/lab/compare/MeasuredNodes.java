package io.dht4j.lab.compare;

import io.dht4j.lab.TransportCandidate;
import io.dht4j.lab.internal.load.LoadClient;
import io.dht4j.lab.internal.load.Outcome;
import io.dht4j.lab.internal.nodes.ThreeNodes;
import io.dht4j.lab.workload.ValueSizes;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;

/** Three nodes over a candidate, to which a load sends puts and gets. */
final class MeasuredNodes implements LoadClient {

    /** The number of keys: all are written before the first load. */
    static final int KEYS = 2000;

    private static final int NODES = 3;
    private static final int FILLED_TOGETHER = 50;
    /** The ports below those of outgoing connections, so that no connection of a node takes another one's port. */
    private static final int LEAST_PORT = 12_000;

    private static final int GREATEST_PORT = 32_000;
    private static final int PORT_TRIES = 10_000;

    private final String name;
    private final ThreeNodes nodes;
    private final int valueBytes;

    private MeasuredNodes(String name, ThreeNodes nodes, int valueBytes) {
        this.name = name;
        this.nodes = nodes;
        this.valueBytes = valueBytes;
    }

    /** Starts and fills the nodes. Blocks. */
    static MeasuredNodes start(TransportCandidate candidate, int valueBytes) {
        String[] keys = new String[KEYS];
        for (int i = 0; i < KEYS; i++) {
            keys[i] = "key-" + i;
        }
        ThreeNodes started;
        try {
            started = new ThreeNodes(candidate, freePorts(), builder -> builder, 2, keys, new byte[valueBytes]);
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException("nodes over " + candidate.name() + " do not start: " + e.getMessage(), e);
        }
        try {
            fill(started);
        } catch (RuntimeException e) {
            started.close();
            throw e;
        }
        return new MeasuredNodes(candidate.name(), started, valueBytes);
    }

    private static void fill(ThreeNodes nodes) {
        for (int from = 0; from < KEYS; from += FILLED_TOGETHER) {
            List<CompletableFuture<?>> puts = new ArrayList<>();
            for (int key = from; key < Math.min(KEYS, from + FILLED_TOGETHER); key++) {
                puts.add(nodes.put(key % NODES, key).toCompletableFuture());
            }
            puts.forEach(CompletableFuture::join);
        }
    }

    private static List<Integer> freePorts() {
        Set<Integer> free = new LinkedHashSet<>();
        for (int i = 0; i < PORT_TRIES && free.size() < NODES; i++) {
            int port = ThreadLocalRandom.current().nextInt(LEAST_PORT, GREATEST_PORT);
            if (isFree(port)) {
                free.add(port);
            }
        }
        if (free.size() < NODES) {
            throw new IllegalStateException(
                    "found no three free ports of loopback from " + LEAST_PORT + " to " + (GREATEST_PORT - 1));
        }
        return List.copyOf(free);
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException taken) {
            return false;
        }
    }

    String name() {
        return name;
    }

    /** Each key is read and written through a fixed node. */
    @Override
    public CompletionStage<Outcome> get(long key) {
        return nodes.get((int) key % NODES, (int) key).thenApply(value -> Outcome.DONE);
    }

    @Override
    public CompletionStage<Outcome> put(long key, int bytes) {
        return nodes.put((int) key % NODES, (int) key).thenApply(version -> Outcome.DONE);
    }

    @Override
    public ValueSizes valueSizes() {
        return new ValueSizes.Fixed(valueBytes);
    }

    @Override
    public void close() {
        nodes.close();
    }
}
