package io.dht4j.spi;

import io.dht4j.Node;
import io.dht4j.Topology;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * For each partition its nodes in order: the first is its first replica, and so on. Immutable.
 *
 * <p>The first {@link #depth()} replicas of a partition are stored, which makes finding them one array read. Those
 * behind follow from them: the remaining nodes in the topology's order, beginning after the first replica's place and
 * wrapping around. Few clusters ever ask that deep, and 1,000 nodes times 16,384 partitions would not fit a processor's
 * cache.
 */
public final class PartitionTable {

    /** The most partitions a cluster has. */
    public static final int MAX_PARTITIONS = 1 << 20;

    /** How many replicas of a partition are stored, if there are as many nodes. */
    public static final int MAX_DEPTH = 16;

    private final List<Node> nodes;
    private final List<Node>[] rows;
    private final int depth;
    private final int shift;

    /**
     * A table from the nodes' indexes in the topology.
     *
     * @param topology the nodes
     * @param preferred for each partition the indexes of its first replicas in order, exactly {@code min(nodes,
     *     MAX_DEPTH)} different ones
     * @throws IllegalArgumentException if the number of partitions is not a power of two from 1 to
     *     {@link #MAX_PARTITIONS}, or a row has the wrong length, an index out of range or the same one twice
     */
    @SuppressWarnings({"unchecked", "rawtypes"})
    public PartitionTable(Topology topology, int[][] preferred) {
        int partitions = requirePartitions(preferred.length);
        this.nodes = topology.nodes();
        this.depth = depthFor(nodes.size());
        // Lists, not arrays of nodes, so that a lookup of all stored replicas hands out what is here.
        this.rows = new List[partitions];
        this.shift = Long.SIZE - 1 - Integer.numberOfTrailingZeros(partitions);
        int[] seenIn = new int[nodes.size()];
        for (int partition = 0; partition < partitions; partition++) {
            int[] row = preferred[partition];
            if (row.length != depth) {
                throw new IllegalArgumentException(
                        "partition " + partition + " has " + row.length + " replicas instead of " + depth);
            }
            Node[] replicas = new Node[depth];
            for (int i = 0; i < depth; i++) {
                int index = row[i];
                if (index < 0 || index >= nodes.size() || seenIn[index] == partition + 1) {
                    throw new IllegalArgumentException("partition " + partition + ", replica " + i + ": node index "
                            + index + " is out of range or stands twice");
                }
                seenIn[index] = partition + 1;
                replicas[i] = nodes.get(index);
            }
            rows[partition] = List.of(replicas);
        }
    }

    /**
     * How many replicas are stored for a number of nodes.
     *
     * @param nodes the number of nodes
     * @return the smaller of it and {@link #MAX_DEPTH}
     */
    public static int depthFor(int nodes) {
        return Math.min(nodes, MAX_DEPTH);
    }

    /**
     * Checks a number of partitions.
     *
     * @param partitions the number
     * @return the same
     * @throws IllegalArgumentException if it is not a power of two from 1 to {@link #MAX_PARTITIONS}
     */
    public static int requirePartitions(int partitions) {
        if (partitions < 1 || partitions > MAX_PARTITIONS || Integer.bitCount(partitions) != 1) {
            throw new IllegalArgumentException(
                    "partitions must be a power of two from 1 to " + MAX_PARTITIONS + ", not " + partitions);
        }
        return partitions;
    }

    /**
     * The number of partitions.
     *
     * @return a power of two
     */
    public int partitions() {
        return rows.length;
    }

    /**
     * How many replicas of each partition are stored.
     *
     * @return {@code min(nodes, MAX_DEPTH)}
     */
    public int depth() {
        return depth;
    }

    /**
     * The partition that a hash falls into.
     *
     * @param hash a key's hash, of which the uppermost bits count
     * @return 0 to {@code partitions - 1}
     */
    public int partitionOf(long hash) {
        // Two steps, because a shift by 64 would be a shift by 0 for a single partition.
        return (int) (hash >>> 1 >>> shift);
    }

    /**
     * The first replicas of a partition.
     *
     * @param partition 0 to {@code partitions - 1}
     * @param from how many, 1 to the number of nodes
     * @return the nodes in order, unmodifiable; for a smaller {@code from} a prefix of those for a larger one
     * @throws IndexOutOfBoundsException if an argument is out of range
     */
    public List<Node> replicas(int partition, int from) {
        List<Node> row = rows[partition];
        if (from == depth) {
            return row;
        }
        return from > 0 && from < depth ? row.subList(0, from) : deepReplicas(row, from);
    }

    private List<Node> deepReplicas(List<Node> row, int from) {
        if (from < 1 || from > nodes.size()) {
            throw new IndexOutOfBoundsException("from must be 1 to " + nodes.size() + ", not " + from);
        }
        List<Node> replicas = new ArrayList<>(row);
        int first = nodes.indexOf(row.get(0));
        for (int step = 1; replicas.size() < from; step++) {
            Node node = nodes.get((first + step) % nodes.size());
            if (!row.contains(node)) {
                replicas.add(node);
            }
        }
        return Collections.unmodifiableList(replicas);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PartitionTable table && nodes.equals(table.nodes) && Arrays.equals(rows, table.rows);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(rows);
    }

    @Override
    public String toString() {
        return "PartitionTable[" + rows.length + " partitions, " + nodes.size() + " nodes]";
    }
}
