package io.dht4j;

/**
 * A change of a cluster's nodes.
 *
 * @param kind what has happened
 * @param node the node; of a move, the node that gives
 * @param heir the node that takes, of a move; else the same as {@code node}
 * @param partitions how many partitions, of a move; else 0
 * @param epoch the epoch of the state in which it was noticed
 */
public record MembershipEvent(Kind kind, NodeId node, NodeId heir, int partitions, long epoch) {

    /** What has happened. */
    public enum Kind {
        /** A node may join. */
        NODE_ADMITTED,
        /** A node has joined: it coordinates, and gets partitions. */
        NODE_JOINED,
        /** A node has its share of the partitions. */
        NODE_SERVES,
        /** A node begins to give its partitions. */
        NODE_LEAVING,
        /** A node was removed. */
        NODE_LEFT,
        /** A node was declared dead. */
        NODE_DEAD,
        /** A node's addresses, weight or zone have changed. */
        NODE_CHANGED,
        /** Partitions begin to move. */
        MOVE_BEGUN,
        /** A move has ended, or was undone. */
        MOVE_ENDED
    }
}
