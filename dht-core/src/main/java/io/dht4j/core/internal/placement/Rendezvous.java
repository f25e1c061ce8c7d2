package io.dht4j.core.internal.placement;

import io.dht4j.Node;
import io.dht4j.Topology;
import java.util.Arrays;

/**
 * Weighted rendezvous hashing (Thaler and Ravishankar, "A name-based mapping scheme for rendezvous", 1996; with
 * weights: Schindelhauer and Schomaker, "Weighted distributed hash tables", 2005). A node's score for a partition is
 * {@code -weight / ln(h)}, where {@code h} is a hash of both between 0 and 1. The partition prefers nodes by falling
 * score. A join or leave moves no partitions between other nodes, and the shares are proportional to the weights.
 */
final class Rendezvous implements ScoredPreferences.Scores {

    private final long[] hashes;
    private final double[] weights;
    private final boolean weighted;

    Rendezvous(Topology topology) {
        this.hashes = NodeHashes.of(topology);
        this.weights = topology.nodes().stream().mapToDouble(Node::weight).toArray();
        this.weighted = Arrays.stream(weights).distinct().count() > 1;
    }

    @Override
    public void score(int node, long[] scores) {
        for (int partition = 0; partition < scores.length; partition++) {
            long hash = NodeHashes.combine(hashes[node], partition) >>> 11;
            // With equal weights the hash orders nodes as the score does, without the logarithm. Half a step keeps h
            // off 0 and 1. The bits of positive numbers are ordered as the numbers are. StrictMath gives the same bits
            // on all machines.
            scores[partition] = weighted
                    ? Double.doubleToLongBits(-weights[node] / StrictMath.log((hash + 0.5) * 0x1.0p-53))
                    : hash;
        }
    }
}
