package io.dht4j.benchmarks.scenario.server;

import io.dht4j.benchmarks.load.client.ClientSpec;
import io.dht4j.benchmarks.process.load.LoadProcess;
import io.dht4j.benchmarks.scenario.Needs;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** The load generator: one process for all variants of a run, so that its own warm-up affects none. */
final class LoadGenerator implements AutoCloseable {

    private static final int HEAP_MEGABYTES = 512;

    private final List<String> flags;
    private Optional<LoadProcess> process = Optional.empty();

    /**
     * Creates a generator without a process.
     *
     * @param flags of its JVM, without the heap
     */
    LoadGenerator(List<String> flags) {
        this.flags = flags;
    }

    /** Returns its needs. */
    static Needs needs() {
        return Needs.of(0, 1, HEAP_MEGABYTES);
    }

    /** Returns the process, connected to a new client. */
    LoadProcess connected(ClientSpec client) throws IOException, InterruptedException {
        if (process.isPresent()) {
            process.get().connect(client);
            return process.get();
        }
        LoadProcess started = LoadProcess.start("load", client, HEAP_MEGABYTES, flags, Optional.empty());
        process = Optional.of(started);
        return started;
    }

    @Override
    public void close() {
        process.ifPresent(LoadProcess::close);
    }
}
