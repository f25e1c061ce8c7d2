package io.dht4j.benchmarks.scenario;

import io.dht4j.benchmarks.process.LoadProcess;
import io.dht4j.benchmarks.target.TargetSpec;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** The load generator: one process for all variants of a run, so that its own warm-up affects none. */
final class Generator implements AutoCloseable {

    private static final int HEAP_MEGABYTES = 512;

    private final List<String> flags;
    private Optional<LoadProcess> process = Optional.empty();

    /**
     * Creates a generator without a process.
     *
     * @param flags of its JVM, without the heap
     */
    Generator(List<String> flags) {
        this.flags = flags;
    }

    /** Returns its needs. */
    static Needs needs() {
        return Needs.of(0, 1, HEAP_MEGABYTES);
    }

    /** Returns the process, connected to a new target. */
    LoadProcess connected(TargetSpec target) throws IOException, InterruptedException {
        if (process.isPresent()) {
            process.get().connect(target);
            return process.get();
        }
        LoadProcess started = LoadProcess.start("load", target, HEAP_MEGABYTES, flags, Optional.empty());
        process = Optional.of(started);
        return started;
    }

    @Override
    public void close() {
        process.ifPresent(LoadProcess::close);
    }
}
