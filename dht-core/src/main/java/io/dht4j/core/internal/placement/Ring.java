package io.dht4j.core.internal.placement;

import io.dht4j.Node;
import io.dht4j.Topology;
import java.util.Arrays;

/**
 * Consistent hashing (Karger and others, "Consistent Hashing and Random Trees", 1997). Every node stands on a ring of
 * 64-bit positions at many points, in number proportional to its weight; partitions stand at even distances, and prefer
 * the nodes in the order in which their points follow clockwise.
 */
final class Ring implements Preferences {

    private final long[] positions;
    private final int[] owners;
    private final int partitionBits;
    private final int[] seenIn;
    private int walk;

    Ring(Topology topology, int partitions, int virtualNodes) {
        long[] hashes = NodeHashes.of(topology);
        double mean = topology.nodes().stream().mapToInt(Node::weight).average().orElseThrow();
        int[] counts = topology.nodes().stream()
                .mapToInt(node -> (int) Math.max(1, Math.round(virtualNodes * node.weight() / mean)))
                .toArray();
        int points = Arrays.stream(counts).sum();
        Point[] sorted = new Point[points];
        int next = 0;
        for (int node = 0; node < hashes.length; node++) {
            for (int i = 0; i < counts[node]; i++) {
                sorted[next++] = new Point(NodeHashes.combine(hashes[node], i), node);
            }
        }
        Arrays.sort(sorted, (a, b) -> Long.compareUnsigned(a.position, b.position));
        this.positions = Arrays.stream(sorted).mapToLong(Point::position).toArray();
        this.owners = Arrays.stream(sorted).mapToInt(Point::node).toArray();
        this.partitionBits = Integer.numberOfTrailingZeros(partitions);
        this.seenIn = new int[hashes.length];
    }

    private record Point(long position, int node) {}

    @Override
    public int[] first(int partition, int count) {
        int[] found = new int[count];
        walk++;
        int at = firstPointFrom(partitionBits == 0 ? 0 : (long) partition << (Long.SIZE - partitionBits));
        for (int n = 0; n < count; at = at + 1 == owners.length ? 0 : at + 1) {
            int node = owners[at];
            if (seenIn[node] != walk) {
                seenIn[node] = walk;
                found[n++] = node;
            }
        }
        return found;
    }

    private int firstPointFrom(long position) {
        int low = 0;
        int high = positions.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (Long.compareUnsigned(positions[middle], position) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low == positions.length ? 0 : low;
    }
}
