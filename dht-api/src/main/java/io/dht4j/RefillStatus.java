package io.dht4j;

import java.util.List;

/**
 * How far a node is that lost what it held, or whose disk was set back, and gets what is missing from the other
 * replicas.
 *
 * @param partitions how many of its partitions must still be refilled before they are read; 0 when there is nothing to
 *     do
 * @param entries how many entries have come since the node was started; an entry counts once for each replica that sent
 *     it
 * @param waitsFor the nodes that are needed and did not answer when they were asked last, in the order of their names
 */
public record RefillStatus(int partitions, long entries, List<NodeId> waitsFor) {

    /** There is nothing to refill. */
    public static final RefillStatus NONE = new RefillStatus(0, 0, List.of());

    /** Keeps a copy of the list. */
    public RefillStatus {
        waitsFor = List.copyOf(waitsFor);
    }
}
