package io.dht4j;

import java.util.List;

/**
 * The moves that a rebalance would make.
 *
 * @param epoch the epoch of the state on which it was planned
 * @param moves the moves; empty if every node has its share
 * @param unplaced how many replicas have no node, because every node that could be it is one already: replicas of
 *     leaving or dead nodes, and those that a raised replication factor asks for
 */
public record RebalancePlan(long epoch, List<Move> moves, int unplaced) {

    /** Keeps a copy of the list. */
    public RebalancePlan {
        moves = List.copyOf(moves);
    }

    /**
     * Partitions that would move from one node to another, or get one more replica.
     *
     * @param from the node that gives
     * @param to the heir
     * @param partitions how many partitions
     * @param adds whether the heir becomes one more replica, and {@code from} stays one
     */
    public record Move(NodeId from, NodeId to, int partitions, boolean adds) {}
}
