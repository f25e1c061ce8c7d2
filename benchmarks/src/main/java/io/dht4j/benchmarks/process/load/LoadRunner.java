package io.dht4j.benchmarks.process.load;

import io.dht4j.benchmarks.load.closed.Preload;
import io.dht4j.lab.internal.counters.Counters;
import io.dht4j.lab.internal.load.LoadDriver;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/** A load that also writes the keys before its begin. Safe for use by any number of threads. */
public interface LoadRunner extends LoadDriver {

    /**
     * Writes each key once, as fast as the client accepts them. Blocks.
     *
     * @param first the first key; 0 or more
     * @param keys number of consecutive keys; 0 or more
     * @param maxInFlight puts in flight; 1 to 1,000,000
     * @param deadline the longest duration
     * @return the written keys
     * @throws IOException if it is late, or if a put fails finally
     * @throws InterruptedException if the thread is interrupted, which stops the filling
     */
    Preload.Filled fill(long first, long keys, int maxInFlight, Duration deadline)
            throws IOException, InterruptedException;

    /**
     * Reads the counters of its process. Blocks.
     *
     * @return the counts since its start; empty if it runs within the nodes, whose counters include it
     * @throws IOException if it gives no answer
     * @throws InterruptedException if the thread is interrupted
     */
    Optional<Counters> counters() throws IOException, InterruptedException;
}
