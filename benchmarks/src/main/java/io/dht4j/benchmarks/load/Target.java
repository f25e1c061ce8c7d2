package io.dht4j.benchmarks.load;

import java.util.concurrent.CompletionStage;
import org.HdrHistogram.Histogram;

/** The target of a load: a public API, or an embedded cluster. Safe for use by any number of threads. */
public interface Target extends AutoCloseable {

    /**
     * Begins an operation. Neither blocks nor throws.
     *
     * @param operation the operation
     * @param key the number of the key, from 0
     * @return completes when the operation has succeeded, an absent key included; fails within the target's own timeout
     *     otherwise, with a {@link LoadException} if the failure has a name
     */
    CompletionStage<Outcome> start(Operation operation, long key);

    /**
     * Returns for how long started operations waited for threads of this target. Such a wait is the generator's, not
     * the server's. A target without threads of its own returns nothing.
     *
     * @return waits since the last call of this method, in nanoseconds; a new instance
     */
    default Histogram takeWaits() {
        return Tally.histogram();
    }

    /** Closes connections; operations in flight fail. Blocks for a bounded time. */
    @Override
    void close();
}
