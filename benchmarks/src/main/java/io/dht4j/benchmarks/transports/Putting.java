package io.dht4j.benchmarks.transports;

import java.util.concurrent.CompletionStage;

/** Three members of a cluster in one process, each of which takes puts. */
interface Putting extends AutoCloseable {

    /**
     * Writes a value.
     *
     * @param member the coordinator, 0 to 2
     * @param key the number of one of the keys
     */
    CompletionStage<?> put(int member, int key);

    @Override
    void close();
}
