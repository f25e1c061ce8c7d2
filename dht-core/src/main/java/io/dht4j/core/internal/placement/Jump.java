package io.dht4j.core.internal.placement;

import com.dynatrace.hash4j.consistent.ConsistentBucketHasher;
import com.dynatrace.hash4j.consistent.ConsistentHashing;
import com.dynatrace.hash4j.random.PseudoRandomGeneratorProvider;
import io.dht4j.Topology;

/**
 * Jump hashing (Lamping and Veach, "A Fast, Minimal Memory, Consistent Hash Algorithm", 2014) over the nodes in the
 * topology's order. Later replicas come from hashing again, skipping nodes that are already there; after
 * {@value #ATTEMPTS_PER_REPLICA} attempts for each replica wanted, the rest follow in the topology's order, so that a small
 * cluster does not wait for luck.
 */
final class Jump implements Preferences {

    private static final int ATTEMPTS_PER_REPLICA = 16;

    private final int nodes;
    private final ConsistentBucketHasher hasher;
    private final int[] seenIn;
    private int walk;

    Jump(Topology topology) {
        this.nodes = topology.size();
        this.hasher = ConsistentHashing.jumpHash(PseudoRandomGeneratorProvider.splitMix64_V1());
        this.seenIn = new int[nodes];
    }

    @Override
    public int[] first(int partition, int count) {
        int[] found = new int[count];
        walk++;
        int n = 0;
        int last = 0;
        int attempts = ATTEMPTS_PER_REPLICA * Math.min(nodes, 16);
        for (int attempt = 0; n < count; attempt++) {
            int node = attempt < attempts
                    ? hasher.getBucket(NodeHashes.combine(partition, attempt), nodes)
                    : (last + 1) % nodes;
            last = node;
            if (seenIn[node] != walk) {
                seenIn[node] = walk;
                found[n++] = node;
            }
        }
        return found;
    }
}
