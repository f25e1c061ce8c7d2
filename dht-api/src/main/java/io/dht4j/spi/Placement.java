package io.dht4j.spi;

import io.dht4j.Topology;

/**
 * Assigns partitions to nodes. A pure function: the same topology and number of partitions give the same table on every
 * node. Called once per topology, outside the event loops. Safe for use by any number of threads.
 */
public interface Placement {

    /**
     * Assigns every partition to nodes.
     *
     * @param topology the nodes
     * @param partitions a power of two, 1 to {@link PartitionTable#MAX_PARTITIONS}
     * @return for each partition every node, in order of preference
     */
    PartitionTable assign(Topology topology, int partitions);

    /**
     * Returns the strategy's name for the status.
     *
     * @return for example {@code rendezvous}
     */
    String name();
}
