package io.dht4j;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * The progress of a node's repair. A repair session compares the node's replicas with those of other nodes and brings
 * both to the newest entry of each key. Counts begin at the node's start. Immutable.
 *
 * @param node the node
 * @param running whether a session is running
 * @param partitions how many partitions the current session covers, or the last one did; 0 before the first
 * @param partitionsDone how many of them have been compared with all other replicas
 * @param rounds how many sessions have ended, successfully or not
 * @param sent how many missing entries this node has sent to others
 * @param received how many entries this node has received from others
 * @param refused how many entries either side has refused
 * @param purged how many tombstones and expired values this node has purged, without those of failed or aborted purges
 * @param lastError why sessions cannot begin, or why the last one was incomplete; empty if that one succeeded
 * @param blocked whether {@code lastError} prevents sessions from beginning; the node keeps retrying
 * @param completed when this node last compared a partition with all its other replicas, by partition
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
