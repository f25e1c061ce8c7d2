package io.dht4j.lab.internal.nodes;

import java.util.concurrent.CompletionStage;

/** Three members of a cluster in one process; each accepts puts. */
public interface PutCluster extends AutoCloseable {

    /**
     * Writes a value.
     *
     * @param member the coordinator, 0 to 2
     * @param key the number of one of the keys
     * @return completes when the value is written
     */
    CompletionStage<?> put(int member, int key);

    /** Stops the members. Blocks. */
    @Override
    void close();
}
