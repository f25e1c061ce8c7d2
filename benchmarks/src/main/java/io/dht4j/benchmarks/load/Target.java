package io.dht4j.benchmarks.load;

import java.util.concurrent.CompletionStage;
import org.HdrHistogram.Histogram;

/** What a load is driven against: a public API, or an embedded cluster. Safe for use by any number of threads. */
public interface Target extends AutoCloseable {

    /**
     * Begins an operation. Neither blocks nor throws.
     *
     * @param operation what to do
     * @param key the number of the key, 0 to one less than there are keys
     * @return completes when the operation has succeeded; fails, within the target's own timeout, with what went wrong
     *     otherwise: a {@link LoadException} where it has a name. An absent key is a success
     */
    CompletionStage<Outcome> start(Operation operation, long key);

    /**
     * How long operations waited, after they were started, for threads of this target's own: such a wait is the
     * generator's doing and not the server's. A target that has no threads of its own says nothing.
     *
     * @return in nanoseconds, all since the last call of this method; the caller's own
     */
    default Histogram takeWaits() {
        return Tally.histogram();
    }

    /** Lets go of connections; operations under way fail. Blocks for a bounded time. */
    @Override
    void close();
}
