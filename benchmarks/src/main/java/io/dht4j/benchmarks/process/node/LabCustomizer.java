package io.dht4j.benchmarks.process.node;

import io.dht4j.Cluster;
import io.dht4j.Node;
import io.dht4j.benchmarks.blocking.BlockingCluster;
import io.dht4j.server.NodeCustomizer;
import io.dht4j.server.config.ServerConfig;
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
 * Replaces components of the standalone server's nodes, for experiments. Their processes get the names of the
 * components as system properties.
 */
public final class LabCustomizer implements NodeCustomizer {

    /**
     * The threads that handle replies of other nodes: {@code transport}, {@code common} or {@code own-N} for N threads.
     */
    public static final String REPLIES = "replies";

    /** The coordinator: {@code blocking-N} for one with N threads, each of which serves one request at a time. */
    public static final String COORDINATOR = "coordinator";

    private static final String PREFIX = "dht4j.bench.";
    private static final String OWN = "own-";
    private static final String BLOCKING = "blocking-";
    private static final int MAX_THREADS = 4096;

    private final String replies;
    private final String coordinator;

    private LabCustomizer(String replies, String coordinator) {
        this.replies = replies;
        this.coordinator = coordinator;
    }

    /**
     * Returns the system properties for a node's process.
     *
     * @param components values by the names above
     * @return flags of its JVM
     */
    public static List<String> jvmFlags(Map<String, String> components) {
        List<String> flags = new ArrayList<>();
        components.forEach((part, value) -> flags.add("-D" + PREFIX + part + "=" + value));
        return flags;
    }

    /** Reads the system properties of this process. */
    static LabCustomizer ofThisProcess() {
        return new LabCustomizer(
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
                if (number >= 1 && number <= MAX_THREADS) {
                    return number;
                }
            } catch (NumberFormatException e) {
                // Reported below.
            }
        }
        throw new IllegalArgumentException(
                "component of a node: \"" + value + "\" is not " + prefix + "N with N from 1 to " + MAX_THREADS);
    }
}
