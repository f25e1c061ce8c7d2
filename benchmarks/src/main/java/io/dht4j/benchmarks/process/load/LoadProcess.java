package io.dht4j.benchmarks.process.load;

import io.dht4j.benchmarks.load.client.ClientSpec;
import io.dht4j.benchmarks.load.closed.Preload;
import io.dht4j.benchmarks.load.closed.ReadBack;
import io.dht4j.benchmarks.process.Child;
import io.dht4j.benchmarks.process.ChildDiedException;
import io.dht4j.benchmarks.process.ChildException;
import io.dht4j.benchmarks.process.ChildSpec;
import io.dht4j.benchmarks.process.JvmFlags;
import io.dht4j.lab.internal.counters.Counters;
import io.dht4j.lab.internal.load.LoadResult;
import io.dht4j.lab.internal.load.LoadSpec;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The load generator in a process of its own. Methods throw a {@link ChildDiedException} with its last log lines if it
 * has ended. Safe for use by any number of threads.
 */
public final class LoadProcess implements LoadRunner, AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Child child;
    private volatile ClientSpec client;

    private LoadProcess(Child child, ClientSpec client) {
        this.child = child;
        this.client = client;
    }

    /**
     * Starts the generator and connects it. Blocks until it is ready.
     *
     * @param name used in messages
     * @param client describes the client of the API to drive
     * @param heapMegabytes size of its heap; 32 to 1,000,000
     * @param jvmFlags further flags of its JVM
     * @param log a file to which its log is appended; empty for none
     * @return the generator, which the caller closes
     * @throws ChildException if it fails to connect
     * @throws IOException if the system fails to start the process
     * @throws InterruptedException if the thread is interrupted; no process remains then
     */
    public static LoadProcess start(
            String name, ClientSpec client, int heapMegabytes, List<String> jvmFlags, Optional<Path> log)
            throws IOException, InterruptedException {
        JvmFlags.checkHeap(heapMegabytes);
        // The generator's own waits for a processor would count as the server's latency.
        ChildSpec spec = new ChildSpec(name, LoadMain.class, JvmFlags.withHeap(heapMegabytes, jvmFlags), log);
        LoadProcess load = new LoadProcess(Child.start(spec.favouredByScheduler()), client);
        try {
            load.connect(client);
            return load;
        } catch (IOException | InterruptedException | RuntimeException e) {
            load.close();
            throw e;
        }
    }

    /**
     * Opens a client in the process and closes the previous one.
     *
     * @param client describes the client of the API to drive
     * @throws ChildException if it fails
     * @throws InterruptedException if the thread is interrupted
     */
    public void connect(ClientSpec client) throws ChildException, InterruptedException {
        child.call(LoadMain.CONNECT, client, PATIENCE);
        this.client = client;
    }

    @Override
    public Preload.Filled fill(long first, long keys, int maxInFlight, Duration deadline)
            throws ChildException, InterruptedException {
        return child.call(
                LoadMain.FILL, new LoadCommands.Fill(first, keys, maxInFlight), Preload.Filled.class, deadline);
    }

    /**
     * Reads each key from 0 on once. Blocks.
     *
     * @param keys number of keys; 0 or more
     * @param maxInFlight gets in flight; 1 to 1,000,000
     * @param deadline the longest duration
     * @return the findings
     * @throws ChildException if it is late, or the nodes do not answer
     * @throws InterruptedException if the thread is interrupted
     */
    public ReadBack.Result readBack(long keys, int maxInFlight, Duration deadline)
            throws ChildException, InterruptedException {
        return child.call(
                LoadMain.READ_BACK, new LoadCommands.Read(keys, maxInFlight), ReadBack.Result.class, deadline);
    }

    @Override
    public LoadResult run(LoadSpec spec) throws ChildException, InterruptedException {
        Duration planned = Duration.ofMillis((long) ((spec.warmUpSeconds() + spec.seconds()) * 1000));
        // The last operations may last until their own timeout.
        return child.call(
                LoadMain.RUN,
                spec,
                LoadResult.class,
                planned.plusMillis(client.timeoutMillis()).plus(PATIENCE));
    }

    @Override
    public Optional<Counters> counters() throws ChildException, InterruptedException {
        return Optional.of(child.call(LoadMain.COUNTERS, Map.of(), Counters.class, PATIENCE));
    }

    /** Ends the process. Returns when it has ended. Idempotent. */
    @Override
    public void close() {
        child.close();
    }
}
