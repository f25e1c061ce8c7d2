package io.dht4j;

import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/**
 * The status and the repair of the node that coordinates the calls of a {@link Cluster}, for operators. Stages,
 * failures and arguments are as those of {@link Cluster}. No method blocks. Safe for use by any number of threads.
 */
public interface NodeOperations {

    /**
     * Returns the status of the node. The node also asks the others for a sign of life, at most once a second: a later
     * status shows who is gone even if the node has no calls.
     *
     * @return a stage that completes with the status at one moment; fails with {@link ErrorCode#NOT_SERVING} if the
     *     node is closed or has not started yet
     */
    CompletionStage<NodeStatus> status();

    /**
     * Starts a repair session, as soon as no other session runs. Repair compares the node's replicas with those of the
     * other nodes and brings each to the newest entry of each key. The stage does not wait for the session; see
     * {@link #repairStatus()}.
     *
     * @param partitions the partitions to repair, or empty for all of which the node is a replica
     * @return a stage that completes with the status at the start; fails with {@link ErrorCode#BAD_REQUEST} if the node
     *     is no replica of one of the partitions, or stores nothing
     */
    CompletionStage<RepairStatus> repair(Set<Integer> partitions);

    /**
     * Returns the progress of the node's repair.
     *
     * @return a stage that completes with the status at one moment; fails with {@link ErrorCode#BAD_REQUEST} if the
     *     node stores nothing
     */
    CompletionStage<RepairStatus> repairStatus();

    /**
     * Returns what only the node's own process can show.
     *
     * @return the diagnostics; empty, as by default, if the node runs in another process, as that of a remote client
     *     does, or has not started yet
     */
    default Optional<NodeDiagnostics> diagnostics() {
        return Optional.empty();
    }
}
