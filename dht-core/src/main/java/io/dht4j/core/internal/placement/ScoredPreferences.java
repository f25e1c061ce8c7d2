package io.dht4j.core.internal.placement;

/**
 * Preferences by scores that depend only on the partition and the node: a join leaves the order of the others
 * unchanged.
 */
final class ScoredPreferences implements Preferences {

    /** A strategy's scores. */
    interface Scores {

        /**
         * Scores a node for every partition.
         *
         * @param node the node's index
         * @param scores receives a score for each partition; the greater is preferred
         */
        void score(int node, long[] scores);
    }

    private final Scores source;
    private final int partitions;
    private final int depth;
    private final int[] rows;
    private final long[] rowScores;
    private final long[] scores;

    ScoredPreferences(Scores source, int partitions, int depth) {
        this.source = source;
        this.partitions = partitions;
        this.depth = depth;
        this.rows = new int[partitions * depth];
        this.rowScores = new long[partitions * depth];
        this.scores = new long[partitions];
    }

    @Override
    public void join(int node, Arrivals arrivals) {
        source.score(node, scores);
        boolean grows = node < depth;
        for (int partition = 0; partition < partitions; partition++) {
            int start = partition * depth;
            int end = start + (grows ? node : depth - 1);
            long score = scores[partition];
            if (!grows && score <= rowScores[end]) {
                continue;
            }
            int replaced = grows ? -1 : rows[end];
            int at = end;
            while (at > start && rowScores[at - 1] < score) {
                rows[at] = rows[at - 1];
                rowScores[at] = rowScores[at - 1];
                at--;
            }
            rows[at] = node;
            rowScores[at] = score;
            arrivals.arrive(partition, at - start, replaced);
        }
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
