package io.dht4j.core.internal.placement;

import io.dht4j.Topology;
import io.dht4j.spi.PartitionTable;
import io.dht4j.spi.Placement;
import java.util.Arrays;

/** The strategies, as placements. Immutable. */
public final class Strategy implements Placement {

    /** The depth up to which the number of a node's replicas is bounded. */
    private static final int BOUNDED_DEPTH = 8;

    private static final Preferences.Arrivals UNHEARD = (partition, position, replaced) -> {};

    private final String name;
    private final double factor;
    private final boolean heedsWeights;
    private final Source source;

    /** Creates preferences without nodes. */
    private interface Source {
        Preferences preferences(Topology topology, int partitions, int depth);
    }

    private Strategy(String name, double factor, boolean heedsWeights, Source source) {
        this.name = Double.isFinite(factor) ? name : name + "-unbounded";
        this.factor = factor;
        this.heedsWeights = heedsWeights;
        this.source = source;
    }

    /**
     * Returns a placement by a ring.
     *
     * @param virtualNodes points per unit of weight
     * @param factor the bound on a node's load, infinite for none
     * @return the placement
     */
    public static Placement ring(int virtualNodes, double factor) {
        return new Strategy(
                "ring",
                factor,
                true,
                (topology, partitions, depth) ->
                        new ScoredPreferences(new Ring(topology, virtualNodes), partitions, depth));
    }

    /**
     * Returns a placement by rendezvous hashing.
     *
     * @param factor the bound on a node's load, infinite for none
     * @return the placement
     */
    public static Placement rendezvous(double factor) {
        return new Strategy(
                "rendezvous",
                factor,
                true,
                (topology, partitions, depth) -> new ScoredPreferences(new Rendezvous(topology), partitions, depth));
    }

    /**
     * Returns a placement by jump hashing.
     *
     * @param factor the bound on a node's load, infinite for none
     * @return the placement
     */
    public static Placement jump(double factor) {
        return new Strategy(
                "jump", factor, false, (topology, partitions, depth) -> new Jump(topology.size(), partitions, depth));
    }

    /**
     * Returns a placement by the partition's number modulo the number of nodes.
     *
     * @return the placement
     */
    public static Placement modulo() {
        return new Modulo();
    }

    @Override
    public PartitionTable assign(Topology topology, int partitions) {
        PartitionTable.requirePartitions(partitions);
        int depth = PartitionTable.depthFor(topology.size());
        Preferences preferences = source.preferences(topology, partitions, depth);
        return table(
                topology,
                Double.isFinite(factor) ? bounded(topology, partitions, preferences) : plain(topology, preferences),
                depth);
    }

    private static int[] plain(Topology topology, Preferences preferences) {
        for (int node = 0; node < topology.size(); node++) {
            preferences.join(node, UNHEARD);
        }
        return preferences.rows();
    }

    private int[] bounded(Topology topology, int partitions, Preferences preferences) {
        int nodes = topology.size();
        int columns = Math.min(nodes, BOUNDED_DEPTH);
        double[] weights = new double[nodes];
        Arrays.setAll(weights, node -> heedsWeights ? topology.nodes().get(node).weight() : 1);
        LoadLimits limits = new LoadLimits(factor, partitions, weights, NodeHashes.of(topology), columns);
        BoundedLoads loads = new BoundedLoads(nodes, partitions, preferences.depth(), limits);
        for (int node = 0; node < nodes; node++) {
            loads.join(node, preferences);
        }
        return loads.rows();
    }

    static PartitionTable table(Topology topology, int[] rows, int depth) {
        int[][] preferred = new int[rows.length / depth][];
        for (int partition = 0; partition < preferred.length; partition++) {
            preferred[partition] = Arrays.copyOfRange(rows, partition * depth, (partition + 1) * depth);
        }
        return new PartitionTable(topology, preferred);
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
