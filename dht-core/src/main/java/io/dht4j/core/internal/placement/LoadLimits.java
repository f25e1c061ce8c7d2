package io.dht4j.core.internal.placement;

import java.util.Arrays;

/**
 * The maximum number of partitions that may have a node among their first {@code d} replicas, for the nodes that have
 * joined so far. It is the factor times the node's fair share, which is proportional to its weight, but never more than
 * all partitions.
 *
 * <p>There are two limits. The hard limit is rounded up. The soft limit is rounded up or down by a number that is fixed
 * per node. The limits fall with every join; by this rounding they do not all step down with the same join.
 */
final class LoadLimits {

    private final double factor;
    private final int partitions;
    private final double[] weights;
    private final double[] rounding;
    private final int[][] soft;
    private final int[][] hard;
    private final double[] sorted;

    LoadLimits(double factor, int partitions, double[] weights, long[] hashes, int columns) {
        this.factor = factor;
        this.partitions = partitions;
        this.weights = weights;
        this.rounding = Arrays.stream(hashes)
                .mapToDouble(hash -> (NodeHashes.combine(hash, -1) >>> 11) * 0x1.0p-53)
                .toArray();
        this.soft = new int[columns][weights.length];
        this.hard = new int[columns][weights.length];
        this.sorted = new double[weights.length];
    }

    int columns() {
        return soft.length;
    }

    int soft(int column, int node) {
        return soft[column][node];
    }

    int hard(int column, int node) {
        return hard[column][node];
    }

    /** Computes the limits for the first nodes, of a given number. */
    void update(int nodes) {
        System.arraycopy(weights, 0, sorted, 0, nodes);
        Arrays.sort(sorted, 0, nodes);
        for (int column = 0; column < soft.length; column++) {
            double perWeight = perWeight(nodes, column + 1);
            for (int node = 0; node < nodes; node++) {
                double limit = factor * Math.min(partitions, perWeight * weights[node]);
                // Slightly less, so that 1.1 * 10 does not become 12.
                hard[column][node] = (int) Math.min(partitions, Math.ceil(limit - 1e-6));
                soft[column][node] =
                        (int) Math.max(1, Math.min(hard[column][node], Math.floor(limit + rounding[node])));
            }
        }
    }

    /**
     * Returns the partitions per unit of weight. Nodes whose share would exceed all partitions get all, and the others
     * the rest.
     */
    private double perWeight(int nodes, int replicas) {
        if (replicas >= nodes) {
            return Double.POSITIVE_INFINITY;
        }
        double left = (double) partitions * replicas;
        double weightLeft = 0;
        for (int node = 0; node < nodes; node++) {
            weightLeft += sorted[node];
        }
        for (int heaviest = nodes - 1; sorted[heaviest] * left / weightLeft > partitions; heaviest--) {
            left -= partitions;
            weightLeft -= sorted[heaviest];
        }
        return left / weightLeft;
    }
}
