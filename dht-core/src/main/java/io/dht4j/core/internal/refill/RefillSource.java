package io.dht4j.core.internal.refill;

import io.dht4j.Key;
import io.dht4j.Node;
import java.util.BitSet;
import java.util.Optional;

/**
 * Brings entries of another node into this node's store, a page at a time. Does not block; safe for use by any number
 * of threads.
 */
@FunctionalInterface
public interface RefillSource {

    /**
     * Brings the next page, tombstones and expired entries included.
     *
     * @param node who has them
     * @param partitions entries of these only
     * @param start the smallest key
     * @param outcome exactly one of its methods is called, once, on any thread
     */
    void bring(Node node, BitSet partitions, Key start, Outcome outcome);

    /** Takes what became of a page. */
    interface Outcome {

        /**
         * The page is in this node's store, as durable as that is configured.
         *
         * @param entries how many
         * @param bytes of keys and values
         * @param resume where the next page starts; empty if there is none
         */
        void brought(int entries, long bytes, Optional<Key> resume);

        /**
         * The page, or a part of it, is not.
         *
         * @param why one line for people
         */
        void failed(String why);
    }
}
