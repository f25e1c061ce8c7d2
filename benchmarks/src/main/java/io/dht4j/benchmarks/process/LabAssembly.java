package io.dht4j.benchmarks.process;

import io.dht4j.Cluster;
import io.dht4j.Node;
import io.dht4j.benchmarks.blocking.BlockingCluster;
import io.dht4j.server.Assembly;
import io.dht4j.server.ServerConfig;
import io.dht4j.spi.Store;
import io.dht4j.spi.Transport;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.function.Supplier;

/**
 * Nodes with other parts than the standalone server's, for experiments. System properties carry the choice to their
 * processes.
 */
public final class LabAssembly implements Assembly {

    /**
     * The threads that handle replies of other nodes: {@code transport}, {@code common} or {@code own-N} for N threads.
     */
    public static final String REPLIES = "replies";

    /** The coordinator: {@code blocking-N} for one with N threads, each of which serves one request at a time. */
    public static final String COORDINATOR = "coordinator";

    private static final String PREFIX = "dht4j.bench.";
    private static final String OWN = "own-";
    private static final String BLOCKING = "blocking-";
    private static final int MOST_THREADS = 4096;

    private final String replies;
    private final String coordinator;

    private LabAssembly(String replies, String coordinator) {
        this.replies = replies;
        this.coordinator = coordinator;
    }

    /**
     * Returns the flags of a node's process.
     *
     * @param assembly values by the names above
     * @return flags of its JVM
     */
    public static List<String> jvmFlags(Map<String, String> assembly) {
        List<String> flags = new ArrayList<>();
        assembly.forEach((part, value) -> flags.add("-D" + PREFIX + part + "=" + value));
        return flags;
    }

    /** Returns the assembly of this process. */
    static LabAssembly ofThisProcess() {
        return new LabAssembly(
                System.getProperty(PREFIX + REPLIES, "transport"), System.getProperty(PREFIX + COORDINATOR, ""));
    }

    @Override
    public Transport transport(Transport transport) {
        if (replies.equals("transport")) {
            return transport;
        }
        if (replies.equals("common")) {
            return new ReplyExecutorTransport(transport, ForkJoinPool.commonPool(), () -> {});
        }
        ExecutorService own = Executors.newFixedThreadPool(number(replies, OWN), task -> {
            Thread thread = new Thread(task, "replies");
            thread.setDaemon(true);
            return thread;
        });
        return new ReplyExecutorTransport(transport, own, own::shutdown);
    }

    @Override
    public Cluster cluster(ServerConfig config, Transport transport, Store store, Supplier<Cluster> standard) {
        if (coordinator.isEmpty()) {
            return standard.get();
        }
        Node self = config.topology().node(config.id()).orElseThrow();
        return new BlockingCluster(self, config.topology(), transport, store, number(coordinator, BLOCKING));
    }

    private static int number(String value, String prefix) {
        if (value.startsWith(prefix)) {
            try {
                int number = Integer.parseInt(value.substring(prefix.length()));
                if (number >= 1 && number <= MOST_THREADS) {
                    return number;
                }
            } catch (NumberFormatException e) {
                // Reported below.
            }
        }
        throw new IllegalArgumentException(
                "part of a node: \"" + value + "\" is not " + prefix + "N with N from 1 to " + MOST_THREADS);
    }
}
