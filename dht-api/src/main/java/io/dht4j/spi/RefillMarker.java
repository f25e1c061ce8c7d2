package io.dht4j.spi;

import java.util.BitSet;

/**
 * Remembers which partitions of a node must be refilled from the other replicas before they are read: those whose
 * entries were lost, or may be too old. Methods block. The node asks once when it starts, and then tells what is left
 * each time when partitions have been refilled, from one thread at a time.
 */
public interface RefillMarker {

    /**
     * What is left to do.
     *
     * @param partitions how many partitions the cluster has
     * @return numbers of partitions, less than that; empty if there is nothing to refill
     * @throws StoreException if it cannot be read
     */
    BitSet pending(int partitions);

    /**
     * Keeps what is left. On return it survives what the entries of the node's store survive.
     *
     * @param pending numbers of partitions; empty when everything is refilled
     * @throws StoreException if it cannot be kept
     */
    void keep(BitSet pending);

    /**
     * There is nothing to refill.
     *
     * @return a marker that keeps nothing
     */
    static RefillMarker none() {
        return new RefillMarker() {
            @Override
            public BitSet pending(int partitions) {
                return new BitSet();
            }

            @Override
            public void keep(BitSet pending) {
                // Nothing was asked for, so nothing is left.
            }
        };
    }

    /**
     * Everything must be refilled whenever the node starts: for a store that is empty then.
     *
     * @return a marker that keeps nothing
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
                // A store that ends with the process begins again with it.
            }
        };
    }
}
