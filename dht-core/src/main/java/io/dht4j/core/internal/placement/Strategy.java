package io.dht4j.core.internal.placement;

import io.dht4j.Topology;
import io.dht4j.spi.PartitionTable;
import io.dht4j.spi.Placement;

/** The strategies, as placements. */
public final class Strategy implements Placement {

    private final String name;
    private final Source source;

    /** Makes the preferences for a topology. */
    private interface Source {
        Preferences preferences(Topology topology, int partitions);
    }

    private Strategy(String name, Source source) {
        this.name = name;
        this.source = source;
    }

    /**
     * A ring.
     *
     * @param virtualNodes points of a node of mean weight
     * @return the placement
     */
    public static Placement ring(int virtualNodes) {
        return new Strategy("ring", (topology, partitions) -> new Ring(topology, partitions, virtualNodes));
    }

    /**
     * Rendezvous.
     *
     * @return the placement
     */
    public static Placement rendezvous() {
        return new Strategy("rendezvous", (topology, partitions) -> new Rendezvous(topology));
    }

    /**
     * Jump.
     *
     * @return the placement
     */
    public static Placement jump() {
        return new Strategy("jump", (topology, partitions) -> new Jump(topology));
    }

    /**
     * Modulo.
     *
     * @return the placement
     */
    public static Placement modulo() {
        return new Strategy("modulo", (topology, partitions) -> new Modulo(topology));
    }

    @Override
    public PartitionTable assign(Topology topology, int partitions) {
        PartitionTable.requirePartitions(partitions);
        Preferences preferences = source.preferences(topology, partitions);
        int depth = PartitionTable.depthFor(topology.size());
        int[][] rows = new int[partitions][];
        for (int partition = 0; partition < partitions; partition++) {
            rows[partition] = preferences.first(partition, depth);
        }
        return new PartitionTable(topology, rows);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String toString() {
        return name;
    }
}
