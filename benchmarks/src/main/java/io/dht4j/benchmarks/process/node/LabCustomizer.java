package io.dht4j.benchmarks.process.node;

import io.dht4j.Cluster;
import io.dht4j.Node;
import io.dht4j.benchmarks.blocking.BlockingCluster;
import io.dht4j.lab.CandidateLoader;
import io.dht4j.server.NodeCustomizer;
import io.dht4j.server.config.ServerConfig;
import io.dht4j.spi.HashFunction;
import io.dht4j.spi.MemoryBudget;
import io.dht4j.spi.Observer;
import io.dht4j.spi.Placement;
import io.dht4j.spi.Store;
import io.dht4j.spi.Transport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Replaces components of the standalone server's nodes, for experiments. Their processes get the names of the
 * components as system properties.
 */
public final class LabCustomizer implements NodeCustomizer {

    /**
     * The threads that handle replies of other nodes: {@code transport}, {@code common} or {@code own-N} for N threads.
     */
    public static final String REPLIES = "replies";

    /** The coordinator: {@code blocking-N} for one with N threads; each serves one request at a time. */
    public static final String COORDINATOR = "coordinator";

    /** The observer of calls and requests: {@code none}, or the metrics for any other value. */
    public static final String OBSERVER = "observer";

    /** The jars of classes of the user's own, separated by commas. */
    public static final String WITH = "with";

    /** The class of a {@link io.dht4j.lab.TransportCandidate}. */
    public static final String TRANSPORT_CLASS = "class";

    /** The class of a {@link io.dht4j.lab.StoreCandidate}. */
    public static final String STORE_CLASS = "store-class";

    /** The class of a {@link Placement}. */
    public static final String PLACEMENT_CLASS = "placement-class";

    /** The class of a {@link HashFunction}. */
    public static final String HASH_CLASS = "hash-class";

    /** The value of a component that is the standard one. */
    public static final String NONE = "none";

    private static final String PREFIX = "dht4j.bench.";
    private static final String OWN = "own-";
    private static final String BLOCKING = "blocking-";
    private static final int MAX_THREADS = 4096;

    private final String replies;
    private final String coordinator;
    private @Nullable CandidateLoader loader;

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

    /** Returns the user's own placement whose name this process has; empty if there is none. */
    public static Optional<Placement> ownPlacement() {
        LabCustomizer customizer = ofThisProcess();
        return text(PLACEMENT_CLASS).map(own -> customizer.loader().placement(own));
    }

    /** Opened once, and open until the process ends. */
    private synchronized CandidateLoader loader() {
        if (loader == null) {
            loader = CandidateLoader.of(text(WITH).stream()
                    .flatMap(jars -> Arrays.stream(jars.split(",", -1)))
                    .map(jar -> Path.of(jar.strip()))
                    .toList());
        }
        return loader;
    }

    private static Optional<String> text(String component) {
        return Optional.ofNullable(System.getProperty(PREFIX + component)).filter(value -> !value.equals(NONE));
    }

    @Override
    public Store store(ServerConfig config, MemoryBudget memory, Supplier<Store> standard) {
        Optional<String> own = text(STORE_CLASS);
        if (own.isEmpty()) {
            return standard.get();
        }
        Path directory = config.store().data().resolve("own-store");
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return guarded(() -> loader().store(own.get()).open(directory, memory));
    }

    @Override
    public Transport newTransport(ServerConfig config, Supplier<Transport> standard) {
        return text(TRANSPORT_CLASS)
                .map(own -> guarded(() ->
                        loader().transport(own).at(config.addresses().peer().toString())))
                .orElseGet(standard);
    }

    /** Calls a candidate, which throws no checked exception, since it is guarded. */
    private static <T> T guarded(Callable<T> call) {
        try {
            return call.call();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public Optional<Observer> observer(Observer observer) {
        return NONE.equals(System.getProperty(PREFIX + OBSERVER)) ? Optional.empty() : Optional.of(observer);
    }

    @Override
    public Placement placement(Placement placement) {
        return text(PLACEMENT_CLASS).map(own -> loader().placement(own)).orElse(placement);
    }

    @Override
    public HashFunction hash(HashFunction hash) {
        return text(HASH_CLASS).map(own -> loader().hash(own)).orElse(hash);
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
