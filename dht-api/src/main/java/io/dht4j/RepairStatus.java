package io.dht4j;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * How far a node is with the repair of its partitions: comparing its replicas with those of other nodes, and bringing
 * both to the newest entry of each key. Immutable. Counts are since the node's start.
 *
 * @param node which node
 * @param running whether a round is under way
 * @param partitions how many partitions the round covers that is under way, or the last one did; 0 before the first
 * @param partitionsDone how many of them have been compared with all other replicas
 * @param rounds how many rounds have ended, well or not
 * @param sent how many entries this node has sent to others that lacked them
 * @param received how many it has got from them
 * @param refused how many were refused, by either side
 * @param purged how many tombstones and expired values this node has removed for good; those of a removal that failed
 *     in the middle, or was ended, are not counted
 * @param lastError what keeps rounds from beginning, or kept the last one from doing all; empty if that one succeeded
 * @param blocked whether {@code lastError} keeps rounds from beginning: the node tries again and again to get it out of
 *     the way
 * @param completed for each partition that this node has compared with all its other replicas: when it did so last
 */
public record RepairStatus(
        NodeId node,
        boolean running,
        int partitions,
        int partitionsDone,
        long rounds,
        long sent,
        long received,
        long refused,
        long purged,
        Optional<String> lastError,
        boolean blocked,
        Map<Integer, Instant> completed) {

    /** Keeps an unmodifiable copy. */
    public RepairStatus {
        completed = Map.copyOf(completed);
    }
}
