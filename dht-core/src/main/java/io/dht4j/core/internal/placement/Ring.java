package io.dht4j.core.internal.placement;

import io.dht4j.Topology;
import java.util.Arrays;

/**
 * Consistent hashing (Karger and others, "Consistent Hashing and Random Trees", 1997). Every node has many points on a
 * ring of 64-bit positions, in number proportional to its weight. Partitions have evenly spaced positions, and prefer
 * nodes in the clockwise order of their points. The ring is never built: the distance from a partition to a node's next
 * point does not depend on the other nodes.
 */
final class Ring implements ScoredPreferences.Scores {

    private final long[] hashes;
    private final int[] points;

    Ring(Topology topology, int virtualNodes) {
        this.hashes = NodeHashes.of(topology);
        // Not scaled by the other nodes' weights: a join leaves the others' points unchanged.
        this.points = topology.nodes().stream()
                .mapToInt(node -> virtualNodes * node.weight())
                .toArray();
    }

    @Override
    public void score(int node, long[] scores) {
        // Positions are shifted into signed order, for sorting.
        long[] positions = new long[points[node]];
        for (int i = 0; i < positions.length; i++) {
            positions[i] = NodeHashes.combine(hashes[node], i) ^ Long.MIN_VALUE;
        }
        Arrays.sort(positions);
        int partitionBits = Integer.numberOfTrailingZeros(scores.length);
        int next = 0;
        for (int partition = 0; partition < scores.length; partition++) {
            long from = (partitionBits == 0 ? 0 : (long) partition << (Long.SIZE - partitionBits)) ^ Long.MIN_VALUE;
            while (next < positions.length && positions[next] < from) {
                next++;
            }
            long distance = positions[next == positions.length ? 0 : next] - from;
            scores[partition] = Long.MAX_VALUE - (distance >>> 1);
        }
    }
}
