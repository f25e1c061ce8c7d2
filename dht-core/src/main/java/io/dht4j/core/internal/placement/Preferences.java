package io.dht4j.core.internal.placement;

/** In which order each partition prefers the nodes of a topology. Used by one thread. */
interface Preferences {

    /**
     * A partition's most preferred nodes.
     *
     * @param partition the partition
     * @param count how many, 1 to the number of nodes
     * @return different indexes of nodes in order; for a smaller count a prefix of those for a larger one
     */
    int[] first(int partition, int count);
}
