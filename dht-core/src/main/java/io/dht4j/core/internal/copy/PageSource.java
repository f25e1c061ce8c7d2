package io.dht4j.core.internal.copy;

import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.core.internal.placement.PartitionSet;
import java.util.Optional;

/**
 * Fetches entries of another node into this node's store, a page at a time. Does not block; safe for use by any number
 * of threads.
 */
@FunctionalInterface
public interface PageSource {

    /**
     * Fetches the next page, tombstones and expired entries included.
     *
     * @param node the node that holds the entries
     * @param partitions the partitions to fetch
     * @param start the smallest key
     * @param outcome exactly one of its methods is called, once, on any thread
     */
    void fetch(Node node, PartitionSet partitions, Key start, Outcome outcome);

    /** Receives the outcome of a page. */
    interface Outcome {

        /**
         * The page is in this node's store, as durable as configured.
         *
         * @param entries the number of entries
         * @param bytes the bytes of their keys and values
         * @param resume where the next page starts; empty after the last one
         */
        void fetched(int entries, long bytes, Optional<Key> resume);

        /**
         * The page, or a part of it, is not in the store.
         *
         * @param why one line for people
         */
        void failed(String why);
    }
}
