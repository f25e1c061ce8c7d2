package io.dht4j.benchmarks.process.load;

import io.dht4j.benchmarks.load.client.ClientSpec;
import io.dht4j.benchmarks.load.client.LoadClients;
import io.dht4j.benchmarks.load.closed.Preload;
import io.dht4j.benchmarks.load.closed.ReadBack;
import io.dht4j.lab.internal.load.LoadClient;
import io.dht4j.lab.internal.load.LoadResult;
import io.dht4j.lab.internal.load.LoadSpec;
import io.dht4j.lab.internal.load.closed.ClosedLoop;
import io.dht4j.lab.internal.load.open.OpenLoad;
import io.dht4j.lab.workload.KeySpace;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The commands of a process that generates load. Safe for use by any number of threads. */
public final class LoadCommands implements AutoCloseable {

    /** Shorter than the parent's wait for the result, which lists operations that never ended. */
    private static final Duration DRAIN = Duration.ofSeconds(45);

    // Guarded by this.
    private Optional<LoadClient> client = Optional.empty();
    private List<String> addresses = List.of();

    /** The keys of each cluster, to which loads add; by the addresses of its nodes. Guarded by this. */
    private final Map<Filled, KeySpace> spaces = new HashMap<>();

    /** Keys that were written before the loads. */
    private record Filled(List<String> addresses, long keys) {}

    /**
     * The arguments of {@link #fill}.
     *
     * @param first the first key; 0 or more
     * @param keys number of keys to write; 0 or more
     * @param maxInFlight puts in flight; 1 to 1,000,000
     */
    public record Fill(long first, long keys, int maxInFlight) {}

    /**
     * The arguments of {@link #readBack}.
     *
     * @param keys number of keys to read; 0 or more
     * @param maxInFlight gets in flight; 1 to 1,000,000
     */
    public record Read(long keys, int maxInFlight) {}

    private final Runnable beforeThreadsEnd;

    /**
     * Creates commands without a client.
     *
     * @param beforeThreadsEnd reads counters of this process: runs at the end of each load, while its threads exist,
     *     since before Java 21 a JVM forgets what ended threads allocated
     */
    public LoadCommands(Runnable beforeThreadsEnd) {
        this.beforeThreadsEnd = beforeThreadsEnd;
    }

    /** Opens a client and closes an earlier one, whose operations fail. */
    synchronized void connect(ClientSpec spec) {
        use(LoadClients.open(spec), spec.addresses());
    }

    /**
     * Uses a client and closes an earlier one, whose operations fail.
     *
     * @param opened closed by this class
     * @param of names the cluster
     */
    public synchronized void use(LoadClient opened, List<String> of) {
        close();
        client = Optional.of(opened);
        addresses = List.copyOf(of);
    }

    /**
     * Writes each of some keys once. Blocks.
     *
     * @param fill which keys
     * @return the written keys
     * @throws IOException if a put failed finally
     * @throws InterruptedException if the thread is interrupted
     */
    public Preload.Filled fill(Fill fill) throws IOException, InterruptedException {
        forgetInserted();
        return Preload.fill(client(), fill.first(), fill.keys(), fill.maxInFlight());
    }

    /**
     * Reads each of some keys once. Blocks.
     *
     * @param read which keys
     * @return the findings
     * @throws IOException if the nodes do not answer
     * @throws InterruptedException if the thread is interrupted
     */
    public ReadBack.Result readBack(Read read) throws IOException, InterruptedException {
        return ReadBack.of(client(), read.keys(), read.maxInFlight());
    }

    /**
     * Runs a load. Blocks.
     *
     * @param spec the load
     * @return its result
     * @throws InterruptedException if the thread is interrupted
     */
    public LoadResult run(LoadSpec spec) throws InterruptedException {
        if (spec.closedLoop()) {
            return new ClosedLoop(client(), DRAIN, this::space, beforeThreadsEnd).run(spec);
        }
        return OpenLoad.on(client())
                .over(space(spec.keys()))
                .drainingFor(DRAIN)
                .beforeThreadsEnd(beforeThreadsEnd)
                .run(spec);
    }

    private synchronized KeySpace space(long keys) {
        return spaces.computeIfAbsent(new Filled(addresses, keys), filled -> new KeySpace(keys));
    }

    /** A later cluster may have the addresses of an earlier one. */
    private synchronized void forgetInserted() {
        spaces.keySet().removeIf(filled -> filled.addresses().equals(addresses));
    }

    private synchronized LoadClient client() {
        return client.orElseThrow(() -> new IllegalStateException("not connected: give the command connect first"));
    }

    /** Closes the client, if there is one; operations in flight fail. */
    @Override
    public synchronized void close() {
        client.ifPresent(LoadClient::close);
        client = Optional.empty();
    }
}
