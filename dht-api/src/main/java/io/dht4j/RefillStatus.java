package io.dht4j;

import java.util.List;

/**
 * The progress of a refill: a node whose store lost entries, or whose disk was rolled back, copies missing entries from
 * the other replicas.
 *
 * @param partitions how many partitions still refuse reads until they are refilled; 0 when there is nothing to refill
 * @param entries how many entries have been received since the node's start; an entry counts once for each replica that
 *     sent it
 * @param waitsFor the required nodes that failed to answer the last request, in the order of their names
 */
public record RefillStatus(int partitions, long entries, List<NodeId> waitsFor) {

    /** The status when there is nothing to refill. */
    public static final RefillStatus NONE = new RefillStatus(0, 0, List.of());

    /** Keeps a copy of the list. */
    public RefillStatus {
        waitsFor = List.copyOf(waitsFor);
    }
}
