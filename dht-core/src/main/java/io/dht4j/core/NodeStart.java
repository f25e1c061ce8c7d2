package io.dht4j.core;

import io.dht4j.Cluster;
import java.util.concurrent.CompletionStage;

/**
 * A node that is being started, and perhaps waits for others. Safe for use by any number of threads.
 *
 * <p>It owns the parts of the node until {@link #cluster} completes; the cluster owns them from then on.
 */
public interface NodeStart extends AutoCloseable {

    /**
     * Returns the cluster as accessed through this node.
     *
     * @return completes, on any thread, when the node serves. Fails if it cannot: with an
     *     {@link IllegalStateException}, {@link IllegalArgumentException}, {@link io.dht4j.spi.TransportException} or
     *     {@link io.dht4j.spi.StoreException} whose message names the remedy. The parts of the node then stay open
     *     until this is closed
     */
    CompletionStage<Cluster> cluster();

    /**
     * Describes what the node waits for.
     *
     * @return one line for people; empty once the start is over
     */
    String waiting();

    /**
     * Closes the node, started or not. Blocks for a bounded time. May be called repeatedly.
     *
     * @throws IllegalStateException if an action of a stage calls this on a thread of the node; then the node stays
     *     open
     */
    @Override
    void close();
}
