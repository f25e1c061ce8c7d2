package io.dht4j.spi;

import io.dht4j.MembershipChange;
import io.dht4j.Node;
import io.dht4j.Topology;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * The replica order of the nodes for each partition. Immutable.
 *
 * <p>The table stores the first {@link #depth()} replicas of a partition, so that a lookup is one array read. The
 * others are computed: the remaining nodes in the topology's order, beginning after the place of the first replica and
 * wrapping around. Few clusters need them, and 1,000 nodes times 16,384 partitions would exceed a processor's cache.
 */
public final class PartitionTable {

    /** The largest number of partitions of a cluster. */
    public static final int MAX_PARTITIONS = 1 << 20;

    /** The number of stored replicas of a partition, if there are as many nodes. */
    public static final int MAX_DEPTH = MembershipChange.ReplicationFactor.MAX;

    private final List<Node> nodes;
    private final List<Node>[] rows;
    private final int depth;
    private final int shift;

    /**
     * Creates a table from the nodes' indexes in the topology.
     *
     * @param topology the nodes
     * @param preferred for each partition the indexes of its first replicas in order, exactly {@code min(nodes,
     *     MAX_DEPTH)} distinct ones
     * @throws IllegalArgumentException if the number of partitions is not a power of two from 1 to
     *     {@link #MAX_PARTITIONS}, or a row has the wrong length, an index out of range or a repeated index
     */
    @SuppressWarnings({"unchecked", "rawtypes"})
    public PartitionTable(Topology topology, int[][] preferred) {
        int partitions = requirePartitions(preferred.length);
        this.nodes = topology.nodes();
        this.depth = depthFor(nodes.size());
        // Lists instead of arrays, so that a lookup of all stored replicas needs no copy.
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
     * Returns the number of stored replicas for a number of nodes.
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
     * @return {@code partitions}
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
     * Returns the number of partitions.
     *
     * @return a power of two
     */
    public int partitions() {
        return rows.length;
    }

    /**
     * Returns the number of stored replicas of each partition.
     *
     * @return {@code min(nodes, MAX_DEPTH)}
     */
    public int depth() {
        return depth;
    }

    /**
     * Returns the partition of a hash.
     *
     * @param hash a key's hash, whose uppermost bits determine the partition
     * @return 0 to {@code partitions - 1}
     */
    public int partitionOf(long hash) {
        // Two steps: with a single partition the shift would be by 64, which Java treats as 0.
        return (int) (hash >>> 1 >>> shift);
    }

    /**
     * Returns the first replicas of a partition.
     *
     * @param partition 0 to {@code partitions - 1}
     * @param from the number of replicas, 1 to the number of nodes
     * @return the nodes in order, unmodifiable; the result for a smaller {@code from} is a prefix of that for a larger
     *     one
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
