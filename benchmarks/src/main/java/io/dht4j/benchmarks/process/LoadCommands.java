package io.dht4j.benchmarks.process;

import io.dht4j.benchmarks.load.LoadResult;
import io.dht4j.benchmarks.load.LoadSpec;
import io.dht4j.benchmarks.load.OpenLoad;
import io.dht4j.benchmarks.load.Target;
import io.dht4j.benchmarks.target.Filling;
import io.dht4j.benchmarks.target.TargetSpec;
import io.dht4j.benchmarks.target.Targets;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/** The commands of a process that generates load. Safe for use by any number of threads. */
final class LoadCommands implements AutoCloseable {

    /** Shorter than the parent's wait for the result, which lists operations that never ended. */
    private static final Duration DRAIN = Duration.ofSeconds(45);

    // Guarded by this.
    private Optional<Target> target = Optional.empty();

    /**
     * The arguments of {@link #fill}.
     *
     * @param first the first key; 0 or more
     * @param keys number of keys to write; 0 or more
     * @param maxInFlight puts in flight; 1 to 1,000,000
     */
    record Fill(long first, long keys, int maxInFlight) {}

    /** Connects to a target and closes an earlier one, whose operations fail. */
    synchronized void connect(TargetSpec spec) {
        close();
        target = Optional.of(Targets.open(spec));
    }

    /** Writes each of some keys once. Blocks. */
    Filling.Filled fill(Fill fill) throws IOException, InterruptedException {
        return Filling.fill(target(), fill.first(), fill.keys(), fill.maxInFlight());
    }

    /** Runs a load. Blocks. */
    LoadResult run(LoadSpec spec) throws InterruptedException {
        return OpenLoad.on(target()).drainingFor(DRAIN).run(spec);
    }

    private synchronized Target target() {
        return target.orElseThrow(() -> new IllegalStateException("not connected: give the command connect first"));
    }

    /** Closes the target, if there is one; operations in flight fail. */
    @Override
    public synchronized void close() {
        target.ifPresent(Target::close);
        target = Optional.empty();
    }
}
