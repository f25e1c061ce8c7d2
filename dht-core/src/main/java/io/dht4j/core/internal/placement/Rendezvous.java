package io.dht4j.core.internal.placement;

import io.dht4j.Node;
import io.dht4j.Topology;
import java.util.Arrays;

/**
 * Weighted rendezvous hashing (Thaler and Ravishankar, "A name-based mapping scheme for rendezvous", 1996; with weights:
 * Schindelhauer and Schomaker, "Weighted distributed hash tables", 2005). A node's score for a partition is
 * {@code -weight / ln(h)} with a hash of both, {@code h}, between 0 and 1; the partition prefers nodes by falling score.
 * A join or leave changes nothing between other nodes, and the shares are exactly proportional to the weights.
 */
final class Rendezvous implements Preferences {

    private final long[] hashes;
    private final double[] weights;
    private final boolean weighted;
    private final double[] scores;

    Rendezvous(Topology topology) {
        this.hashes = NodeHashes.of(topology);
        this.weights = topology.nodes().stream().mapToDouble(Node::weight).toArray();
        this.weighted = Arrays.stream(weights).distinct().count() > 1;
        this.scores = new double[hashes.length];
    }

    @Override
    public int[] first(int partition, int count) {
        int[] best = new int[count];
        int found = 0;
        for (int node = 0; node < hashes.length; node++) {
            double score = score(partition, node);
            scores[node] = score;
            if (found == count && !before(node, best[count - 1])) {
                continue;
            }
            int at = found < count ? found++ : count - 1;
            while (at > 0 && before(node, best[at - 1])) {
                best[at] = best[at - 1];
                at--;
            }
            best[at] = node;
        }
        return best;
    }

    private boolean before(int node, int other) {
        int order = Double.compare(scores[node], scores[other]);
        return order > 0 || (order == 0 && Long.compareUnsigned(hashes[node], hashes[other]) < 0);
    }

    private double score(int partition, int node) {
        // Strictly between 0 and 1, so that its logarithm is finite and negative.
        double h = ((NodeHashes.combine(hashes[node], partition) >>> 11) + 0.5) * 0x1.0p-53;
        // With equal weights the hash gives the same order as the score, without the logarithm.
        return weighted ? -weights[node] / Math.log(h) : h;
    }
}
