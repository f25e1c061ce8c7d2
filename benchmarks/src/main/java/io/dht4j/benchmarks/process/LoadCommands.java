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

/** What a process that makes load can be told to do. Safe for use by any number of threads. */
final class LoadCommands implements AutoCloseable {

    /** Shorter than the parent waits for the result, which says what never ended. */
    private static final Duration DRAIN = Duration.ofSeconds(45);

    // Guarded by this.
    private Optional<Target> target = Optional.empty();

    /**
     * The arguments of {@link #fill}.
     *
     * @param first the first key; 0 or more
     * @param keys how many to write; 0 or more
     * @param maxInFlight puts under way; 1 to 1,000,000
     */
    record Fill(long first, long keys, int maxInFlight) {}

    /** Connects, in place of any earlier target, whose operations fail then. */
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

    /** Lets go of the target, if there is one; operations under way fail. */
    @Override
    public synchronized void close() {
        target.ifPresent(Target::close);
        target = Optional.empty();
    }
}
