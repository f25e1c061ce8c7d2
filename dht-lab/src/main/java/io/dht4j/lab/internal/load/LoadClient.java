package io.dht4j.lab.internal.load;

import java.util.concurrent.CompletionStage;
import org.HdrHistogram.Histogram;

/** What a load calls: the client of a public API, or an embedded cluster. Safe for use by any number of threads. */
public interface LoadClient extends AutoCloseable {

    /**
     * Begins an operation. Neither blocks nor throws.
     *
     * @param operation the operation
     * @param key the number of the key, from 0
     * @return completes when the operation has succeeded, an absent key included; fails within the client's own timeout
     *     otherwise, with a {@link LoadException} if the failure has a name
     */
    CompletionStage<Outcome> start(Operation operation, long key);

    /**
     * Returns for how long started operations waited for threads of this client. Such a wait is the generator's, not
     * the server's. A client without threads of its own returns nothing.
     *
     * @return waits since the last call of this method, in nanoseconds; a new instance
     */
    default Histogram takeWaits() {
        return Latency.emptyHistogram();
    }

    /** Closes connections; operations in flight fail. Blocks for a bounded time. */
    @Override
    void close();
}
