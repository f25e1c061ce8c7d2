package io.dht4j.core.internal.membership.command;

import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.Member;
import io.dht4j.core.internal.view.Batch;
import java.util.stream.Collectors;

/** Checks whether a dead member can be replaced now. */
public final class ReplacementCheck {

    private ReplacementCheck() {}

    /**
     * Returns why a dead member cannot be replaced yet, or an empty text. While another slot of a row moves, a slot of
     * that row cannot be filled, and a view cannot contain two members of one name. The state machine refuses a
     * {@link Command.Replace} then; a node that joins waits instead.
     *
     * @param state the state
     * @param dead a dead member of it
     */
    public static String problemOf(ClusterState state, Member dead) {
        String batches = state.batches().stream()
                .filter(batch -> batch.owner() != dead.number()
                        && batch.partitions().stream()
                                .anyMatch(partition -> state.slots().slotOf(partition, dead.number()) >= 0))
                .map(Batch::toString)
                .collect(Collectors.joining(", "));
        return batches.isEmpty()
                ? ""
                : dead + " is replaced when other replicas of its partitions have moved: wait for " + batches;
    }
}
