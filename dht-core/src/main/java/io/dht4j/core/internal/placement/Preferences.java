package io.dht4j.core.internal.placement;

/**
 * The order in which each partition prefers nodes. Nodes join one after the other, in the topology's order; after each
 * join the rows are those of the strategy for the nodes so far. Not thread-safe.
 */
interface Preferences {

    /** Receives the partitions that prefer the joining node. */
    interface Arrivals {

        /**
         * A partition inserts the joining node into its row.
         *
         * @param partition the partition, at most once per join
         * @param position the position in the row
         * @param replaced the node that leaves the row, or -1 if the row grows
         */
        void arrive(int partition, int position, int replaced);
    }

    /**
     * Adds the next node.
     *
     * @param node its index in the topology: 0 at the first call, and one more at each
     * @param arrivals receives the changes; every partition's row grows while it is shorter than {@link #depth}
     */
    void join(int node, Arrivals arrivals);

    /**
     * Returns the current rows, one after the other.
     *
     * @return {@link #depth} indexes of nodes for each partition, most preferred first; read-only
     */
    int[] rows();

    /**
     * Returns the length of a row once enough nodes have joined.
     *
     * @return 1 or more
     */
    int depth();
}
