package io.dht4j.core.internal.placement;

import io.dht4j.Topology;
import io.dht4j.spi.PartitionTable;
import io.dht4j.spi.Placement;

/**
 * Places a partition on the node of its number modulo the number of nodes, and on the next nodes in the topology's
 * order.
 */
record Modulo() implements Placement {

    @Override
    public PartitionTable assign(Topology topology, int partitions) {
        int nodes = topology.size();
        int[][] rows = new int[PartitionTable.requirePartitions(partitions)][PartitionTable.depthFor(nodes)];
        for (int partition = 0; partition < partitions; partition++) {
            for (int i = 0; i < rows[partition].length; i++) {
                rows[partition][i] = (partition + i) % nodes;
            }
        }
        return new PartitionTable(topology, rows);
    }

    @Override
    public String name() {
        return "modulo";
    }
}
