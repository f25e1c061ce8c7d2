package io.dht4j.benchmarks.load;

import java.util.concurrent.CompletionStage;

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

    /** Lets go of connections; operations under way fail. Blocks for a bounded time. */
    @Override
    void close();
}
