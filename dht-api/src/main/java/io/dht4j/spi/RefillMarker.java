package io.dht4j.spi;

import java.util.BitSet;

/**
 * Stores which partitions of a node must be refilled from the other replicas before reads: partitions whose entries
 * were lost or may be stale. Methods block. The node reads the marker once at its start and then stores the remaining
 * partitions after each refill, from one thread at a time.
 */
public interface RefillMarker {

    /**
     * Returns the partitions that remain to be refilled.
     *
     * @param partitions how many partitions the cluster has
     * @return numbers of partitions, less than {@code partitions}; empty if there is nothing to refill
     * @throws StoreException if the marker cannot be read
     */
    BitSet pending(int partitions);

    /**
     * Stores the remaining partitions. On return they are as durable as the entries of the node's store.
     *
     * @param pending numbers of partitions; empty when everything is refilled
     * @throws StoreException if the marker cannot be written
     */
    void keep(BitSet pending);

    /**
     * Returns a marker without partitions to refill.
     *
     * @return a marker that stores nothing
     */
    static RefillMarker none() {
        return new RefillMarker() {
            @Override
            public BitSet pending(int partitions) {
                return new BitSet();
            }

            @Override
            public void keep(BitSet pending) {
                // There is never a remainder.
            }
        };
    }

    /**
     * Returns a marker of all partitions at every start of the node, for a store that is empty then.
     *
     * @return a marker that stores nothing
     */
    static RefillMarker everything() {
        return new RefillMarker() {
            @Override
            public BitSet pending(int partitions) {
                BitSet all = new BitSet(partitions);
                all.set(0, partitions);
                return all;
            }

            @Override
            public void keep(BitSet pending) {
                // The store ends with the process, and the next process begins again.
            }
        };
    }
}
