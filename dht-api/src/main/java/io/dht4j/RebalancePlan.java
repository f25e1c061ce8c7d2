package io.dht4j;

import java.util.List;

/**
 * What a rebalance would move.
 *
 * @param epoch the epoch of the state on which it was planned
 * @param moves the moves; empty if every node has its share
 * @param unplaced how many replicas of leaving or dead nodes have nowhere to go, because every other node is a replica
 *     already
 */
public record RebalancePlan(long epoch, List<Move> moves, int unplaced) {

    /** Keeps a copy of the list. */
    public RebalancePlan {
        moves = List.copyOf(moves);
    }

    /**
     * Partitions that would move from one node to another.
     *
     * @param from the node that gives
     * @param to the heir
     * @param partitions how many partitions
     */
    public record Move(NodeId from, NodeId to, int partitions) {}
}
