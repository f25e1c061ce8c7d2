package io.dht4j.benchmarks.process.load;

import io.dht4j.benchmarks.load.client.ClientSpec;
import io.dht4j.benchmarks.load.client.LoadClients;
import io.dht4j.benchmarks.load.closed.Filling;
import io.dht4j.lab.internal.load.LoadClient;
import io.dht4j.lab.internal.load.LoadResult;
import io.dht4j.lab.internal.load.LoadSpec;
import io.dht4j.lab.internal.load.open.OpenLoad;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/** The commands of a process that generates load. Safe for use by any number of threads. */
final class LoadCommands implements AutoCloseable {

    /** Shorter than the parent's wait for the result, which lists operations that never ended. */
    private static final Duration DRAIN = Duration.ofSeconds(45);

    // Guarded by this.
    private Optional<LoadClient> client = Optional.empty();

    /**
     * The arguments of {@link #fill}.
     *
     * @param first the first key; 0 or more
     * @param keys number of keys to write; 0 or more
     * @param maxInFlight puts in flight; 1 to 1,000,000
     */
    record Fill(long first, long keys, int maxInFlight) {}

    /** Opens a client and closes an earlier one, whose operations fail. */
    synchronized void connect(ClientSpec spec) {
        close();
        client = Optional.of(LoadClients.open(spec));
    }

    /** Writes each of some keys once. Blocks. */
    Filling.Filled fill(Fill fill) throws IOException, InterruptedException {
        return Filling.fill(client(), fill.first(), fill.keys(), fill.maxInFlight());
    }

    /** Runs a load. Blocks. */
    LoadResult run(LoadSpec spec) throws InterruptedException {
        return OpenLoad.on(client()).drainingFor(DRAIN).run(spec);
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
