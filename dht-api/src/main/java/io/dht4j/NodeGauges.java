package io.dht4j;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * The use of a node's bounded resources at one moment, with their limits. Only the node itself knows these; the
 * {@linkplain NodeStatus status} is also shown to others. Immutable.
 *
 * @param calls calls of the application in flight
 * @param writeBytes bytes of the writes among them
 * @param readBytes bytes of values that reads and scans hold
 * @param storeRequests requests of this and other nodes that wait for the store or are in it
 * @param storeRequestBytes bytes of the writes among them
 * @param snapshotBytes bytes of superseded entries that open snapshots keep
 * @param peerRequests requests of this node to each node that are outstanding, and the limit that adapts to its speed;
 *     this node is among them if its store has a limit
 * @param clockOffsets how far the clock of each other node is ahead of this node's, estimated from its last reply and
 *     exact to half of its round trip; nodes that have not replied are missing
 * @param connections connections to each other node that was called; empty if the transport does not count them
 * @param partitionsWithoutQuorum partitions of which too few replicas answer this node for a call with the default
 *     policy, 0 or more; a node that stopped counts once a request to it has failed
 * @param takeover partitions that this node takes over from others
 * @param atomicOperations what operations on atomic keys have cost this node since its start
 * @param store the size of the store at the last {@linkplain NodeOperations#status() status}; empty if it is unknown
 * @param storeStatistics what the store had done at that time; empty if it is unknown
 */
public record NodeGauges(
        Bounded calls,
        Bounded writeBytes,
        Bounded readBytes,
        Bounded storeRequests,
        Bounded storeRequestBytes,
        Bounded snapshotBytes,
        Map<NodeId, Bounded> peerRequests,
        Map<NodeId, Duration> clockOffsets,
        Map<NodeId, PeerConnections> connections,
        int partitionsWithoutQuorum,
        Takeover takeover,
        AtomicOperations atomicOperations,
        Optional<StoreSize> store,
        Optional<StoreStatistics> storeStatistics) {

    /** Keeps copies of the maps. */
    public NodeGauges {
        peerRequests = Map.copyOf(peerRequests);
        clockOffsets = Map.copyOf(clockOffsets);
        connections = Map.copyOf(connections);
    }

    /**
     * An amount with a limit.
     *
     * @param used how much there is, 0 or more; a single large request may exceed the limit
     * @param limit how much there may be
     */
    public record Bounded(long used, long limit) {}

    /**
     * The partitions that a node takes over.
     *
     * @param moves how many moves are under way
     * @param copiedBytes how much of them the node has received
     * @param totalBytes how much it will have received, an estimate; 0 if that is unknown
     */
    public record Takeover(int moves, long copiedBytes, long totalBytes) {

        /** Nothing is taken over. */
        public static final Takeover NONE = new Takeover(0, 0, 0);
    }

    /**
     * What operations on atomic keys have cost a node. A <em>round</em> is one agreement of the replicas of a key; the
     * operations that wait for a key share one.
     *
     * @param forwarded operations of this node's callers that it has sent to another node, each attempt counted
     * @param proposed operations of all nodes that this node has had in rounds
     * @param rounds rounds that this node has begun
     * @param shortRounds those of one round trip, since the node had made the round before; others take two
     * @param repeatedRounds those that another one had to follow, mostly since two nodes proposed at once, or too few
     *     replicas answered
     */
    public record AtomicOperations(long forwarded, long proposed, long rounds, long shortRounds, long repeatedRounds) {}

    /**
     * The size of a store.
     *
     * @param usedBytes bytes of its entries, without what a compaction would free, an estimate
     * @param freeBytes bytes that it can still write before its disk is full, an estimate
     */
    public record StoreSize(long usedBytes, long freeBytes) {}
}
