package io.dht4j.spi;

import io.dht4j.Topology;

/**
 * Decides which nodes hold which partitions. Pure: the same topology and number of partitions give the same table on
 * every node. Called once per topology, off the event loops. Safe for use by any number of threads.
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
     * The strategy's name, as status shows it.
     *
     * @return for example {@code rendezvous}
     */
    String name();
}
