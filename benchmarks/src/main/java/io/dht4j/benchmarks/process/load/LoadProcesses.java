package io.dht4j.benchmarks.process.load;

import io.dht4j.benchmarks.load.client.ClientSpec;
import io.dht4j.benchmarks.process.Parallel;
import io.dht4j.lab.internal.load.LoadDriver;
import io.dht4j.lab.internal.load.LoadResult;
import io.dht4j.lab.internal.load.LoadSpec;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;

/**
 * Several processes that generate one load together. Each has its share of rate and keys, seeds of its own, and names
 * of keys of its own. Their results are merged exactly. Confined to one thread.
 */
public final class LoadProcesses implements LoadDriver, AutoCloseable {

    private final List<LoadProcess> processes = new ArrayList<>();

    private LoadProcesses() {}

    /**
     * Starts the processes and connects them. Blocks until all are ready.
     *
     * @param count number of processes, 1 or more
     * @param client describes the client of each; its prefix of keys is extended by the number of the process
     * @param heapMegabytes heap of each
     * @param jvmFlags further flags of their JVMs
     * @return the processes, which the caller closes
     * @throws IOException if one fails to start or to connect; none remains then
     * @throws InterruptedException if the thread is interrupted; none remains then
     */
    public static LoadProcesses start(int count, ClientSpec client, int heapMegabytes, List<String> jvmFlags)
            throws IOException, InterruptedException {
        LoadProcesses all = new LoadProcesses();
        try {
            for (int i = 0; i < count; i++) {
                all.processes.add(LoadProcess.start(
                        "load process " + (i + 1),
                        client.withKeyPrefix(client.keyPrefix() + i + "-"),
                        heapMegabytes,
                        jvmFlags,
                        Optional.empty()));
            }
            return all;
        } catch (IOException | InterruptedException | RuntimeException e) {
            all.close();
            throw e;
        }
    }

    /**
     * Writes each key once, each process its share. Blocks.
     *
     * @param keys number of keys
     * @param maxInFlight puts in flight together
     * @param deadline the longest duration
     * @throws IOException if a put fails finally, or if it is late
     * @throws InterruptedException if the thread is interrupted, which stops the filling
     */
    public void fill(long keys, int maxInFlight, Duration deadline) throws IOException, InterruptedException {
        together((process, i) -> process.fill(
                0, LoadShares.share(keys, i, processes.size()), Math.max(1, maxInFlight / processes.size()), deadline));
    }

    @Override
    public LoadResult run(LoadSpec spec) throws IOException, InterruptedException {
        List<LoadSpec> parts = LoadShares.split(spec, processes.size());
        return LoadShares.merge(spec, together((process, i) -> process.run(parts.get(i))));
    }

    /** A call of one process. */
    @FunctionalInterface
    private interface Part<T> {
        T of(LoadProcess process, int index) throws IOException, InterruptedException;
    }

    private <T> List<T> together(Part<T> part) throws IOException, InterruptedException {
        List<Callable<T>> calls = new ArrayList<>();
        for (int i = 0; i < processes.size(); i++) {
            int index = i;
            calls.add(() -> part.of(processes.get(index), index));
        }
        return Parallel.call(calls);
    }

    /** Ends the processes. Returns when they have ended. Idempotent. */
    @Override
    public void close() {
        processes.forEach(LoadProcess::close);
    }
}
