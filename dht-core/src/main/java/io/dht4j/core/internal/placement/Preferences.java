package io.dht4j.core.internal.placement;

/**
 * In which order each partition prefers the nodes. Nodes join one after the other, in the topology's order, and after
 * each the rows are what the strategy gives for the nodes so far. Used by one thread.
 */
interface Preferences {

    /** Hears which partitions want the joining node. */
    interface Arrivals {

        /**
         * A partition puts the joining node into its row.
         *
         * @param partition the partition, at most once per join
         * @param position where in the row
         * @param replaced the node that leaves the row for it, or -1 if the row grows
         */
        void arrive(int partition, int position, int replaced);
    }

    /**
     * Takes the next node in.
     *
     * @param node its index in the topology: 0 at the first call, and one more at each
     * @param arrivals hears what changes; every partition's row grows while it is shorter than {@link #depth}
     */
    void join(int node, Arrivals arrivals);

    /**
     * The rows as they are now, one behind the other.
     *
     * @return {@link #depth} indexes of nodes for each partition, most preferred first; not to be changed
     */
    int[] rows();

    /**
     * The length of a row once enough nodes have joined.
     *
     * @return 1 or more
     */
    int depth();
}
