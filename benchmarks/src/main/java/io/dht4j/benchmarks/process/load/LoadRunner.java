package io.dht4j.benchmarks.process.load;

import io.dht4j.benchmarks.load.closed.Filling;
import io.dht4j.lab.internal.load.LoadDriver;
import java.io.IOException;
import java.time.Duration;

/** A load that also writes the keys beforehand. Safe for use by any number of threads. */
public interface LoadRunner extends LoadDriver {

    /**
     * Writes each key once, as fast as the client takes them. Blocks.
     *
     * @param first the first key; 0 or more
     * @param keys number of consecutive keys; 0 or more
     * @param maxInFlight puts in flight; 1 to 1,000,000
     * @param deadline the longest duration
     * @return what was written
     * @throws IOException if it is late, or if a put fails finally
     * @throws InterruptedException if the thread is interrupted, which stops the filling
     */
    Filling.Filled fill(long first, long keys, int maxInFlight, Duration deadline)
            throws IOException, InterruptedException;
}
