package io.dht4j;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Measurements of a node of this process: its load, slow calls and hot keys, and the replicas of partitions and keys.
 * Stages, failures and arguments are as those of {@link Cluster}. No method blocks. Safe for use by any number of
 * threads.
 */
public interface NodeDiagnostics {

    /**
     * Returns what the node has in hand, for metrics.
     *
     * @return the gauges at one moment
     */
    NodeGauges gauges();

    /**
     * Returns the last calls of the node that took long.
     *
     * @return up to 128, the last one first; empty if the node logs no slow calls
     */
    List<SlowCall> slowCalls();

    /**
     * Counts for some time for which keys the node, as a replica, is asked most. One count runs at a time: a call that
     * comes meanwhile gets the result of the running one at its end. Calls are neither counted nor slowed otherwise.
     *
     * @param duration for how long, {@link HotKeys#SHORTEST} to {@link HotKeys#LONGEST}
     * @param count the most keys of each ranking, 1 to {@value HotKeys#MOST_KEYS}
     * @return a stage that completes at the end of the count; fails with {@link ErrorCode#BAD_REQUEST} if the node has
     *     no sketch to count with, and with {@link ErrorCode#NOT_SERVING} if it is closed meanwhile
     * @throws IllegalArgumentException if an argument is out of its range
     */
    CompletionStage<HotKeys> hotKeys(Duration duration, int count);

    /**
     * Returns the replicas of consecutive partitions, as {@link Cluster#locate} does for their keys.
     *
     * @param first the first partition, 0 or more
     * @param count how many partitions, 1 or more
     * @return a stage that completes with the placements in the order of the partitions, fewer than {@code count} at
     *     the last partition, without the nodes of a static cluster beyond its replication factor
     * @throws IllegalArgumentException if a number is out of its range
     */
    CompletionStage<List<KeyPlacement>> placements(int first, int count);

    /**
     * Asks each replica of a key for what it has, to see whether they agree. Repairs nothing, and counts as no call in
     * metrics.
     *
     * @param key the key
     * @param options a timeout
     * @return a stage that completes, at the latest at the deadline, with the replicas in their order, those that did
     *     not answer included
     */
    CompletionStage<List<KeyReplica>> replicas(Key key, CallOptions options);
}
