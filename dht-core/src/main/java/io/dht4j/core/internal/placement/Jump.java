package io.dht4j.core.internal.placement;

import java.util.Arrays;

/**
 * Jump hashing (Lamping and Veach, "A Fast, Minimal Memory, Consistent Hash Algorithm", 2014) over the nodes in the
 * topology's order. A partition's row holds the distinct nodes of its {@value #ATTEMPTS} independent jump hashes. If
 * these are too few, as in a small cluster, the next nodes in the topology's order follow, wrapping around.
 *
 * <p>A jump hash is a growing sequence of node numbers, whose last one below the number of nodes is the result. So a
 * join changes only the hashes whose next jump leads to the new node, and these are kept in a list per node.
 */
final class Jump implements Preferences {

    private static final int ATTEMPTS = 24;
    private static final int NONE = -1;

    private final int partitions;
    private final int nodes;
    private final int depth;
    private final int[] rows;
    private final int[] bucket;
    private final long[] state;
    private final int[] headOfNode;
    private final int[] nextInList;
    private final int[] seenIn;
    private int walk;

    Jump(int nodes, int partitions, int depth) {
        this.partitions = partitions;
        this.nodes = nodes;
        this.depth = depth;
        this.rows = new int[partitions * depth];
        this.bucket = new int[partitions * ATTEMPTS];
        this.state = new long[partitions * ATTEMPTS];
        this.headOfNode = new int[nodes];
        this.nextInList = new int[partitions * ATTEMPTS];
        this.seenIn = new int[nodes];
        Arrays.fill(headOfNode, NONE);
        for (int hash = 0; hash < state.length; hash++) {
            state[hash] = NodeHashes.combine(hash / ATTEMPTS, hash % ATTEMPTS);
            // Every sequence begins at node 0.
            nextInList[hash] = headOfNode[0];
            headOfNode[0] = hash;
        }
    }

    @Override
    public void join(int node, Arrivals arrivals) {
        boolean[] changed = new boolean[partitions];
        int next;
        for (int hash = headOfNode[node]; hash != NONE; hash = next) {
            next = nextInList[hash];
            bucket[hash] = node;
            changed[hash / ATTEMPTS] = true;
            jump(hash, node);
        }
        int[] before = new int[depth];
        int length = Math.min(node, depth);
        for (int partition = 0; partition < partitions; partition++) {
            // A short row changes always, because it holds all nodes.
            if (changed[partition] || node < depth) {
                System.arraycopy(rows, partition * depth, before, 0, length);
                fill(partition, node + 1);
                int position = indexIn(partition, node);
                if (position >= 0) {
                    arrivals.arrive(partition, position, node < depth ? NONE : missingFrom(partition, before));
                }
            }
        }
    }

    /** Executes one step of the paper's loop. */
    private void jump(int hash, int from) {
        long key = state[hash] * 2862933555777941757L + 1;
        state[hash] = key;
        double to = (from + 1.0) * ((double) (1L << 31) / (double) ((key >>> 33) + 1));
        if (to < nodes) {
            nextInList[hash] = headOfNode[(int) to];
            headOfNode[(int) to] = hash;
        }
    }

    private void fill(int partition, int count) {
        int start = partition * depth;
        int length = Math.min(count, depth);
        walk++;
        int found = 0;
        int node = 0;
        for (int attempt = 0; found < length; attempt++) {
            node = attempt < ATTEMPTS ? bucket[partition * ATTEMPTS + attempt] : (node + 1) % count;
            if (seenIn[node] != walk) {
                seenIn[node] = walk;
                rows[start + found++] = node;
            }
        }
    }

    private int indexIn(int partition, int node) {
        for (int i = 0; i < depth; i++) {
            if (rows[partition * depth + i] == node) {
                return i;
            }
        }
        return NONE;
    }

    /** Returns the node that has left a row. */
    private int missingFrom(int partition, int[] before) {
        for (int node : before) {
            if (indexIn(partition, node) < 0) {
                return node;
            }
        }
        throw new IllegalStateException("partition " + partition + " took a node in, and none left");
    }

    @Override
    public int[] rows() {
        return rows;
    }

    @Override
    public int depth() {
        return depth;
    }
}
