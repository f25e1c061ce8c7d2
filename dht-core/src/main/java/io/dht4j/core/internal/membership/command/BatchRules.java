package io.dht4j.core.internal.membership.command;

import io.dht4j.core.internal.membership.Remedies;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.Lifecycle;
import io.dht4j.core.internal.membership.state.Member;
import io.dht4j.core.internal.membership.state.MemberList;
import io.dht4j.core.internal.membership.state.StateChange;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.view.Batch;
import io.dht4j.core.internal.view.Phase;
import java.util.Optional;

/** Applies the commands that move slots. */
final class BatchRules {

    private final ClusterState state;
    private final MemberList members;

    BatchRules(ClusterState state) {
        this.state = state;
        this.members = state.members();
    }

    CommandResult start(Command.StartBatch command) {
        String problem = problemOf(command);
        if (!problem.isEmpty()) {
            return Results.refused(problem);
        }
        StateChange change = new StateChange(state);
        if (members.get(command.from()).lifecycle() == Lifecycle.DEAD) {
            DeathRules.fill(state, change, command.from(), command.to(), command.partitions());
        } else {
            change.put(new Batch(change.epoch(), command.from(), command.to(), command.partitions(), Phase.COPY));
        }
        return Results.accepted(change);
    }

    private String problemOf(Command.StartBatch command) {
        String problem = problemOf(command.from(), command.to(), command.partitions());
        if (!problem.isEmpty()) {
            return problem;
        }
        Member from = members.get(command.from());
        Member to = members.get(command.to());
        boolean fills = from.lifecycle() == Lifecycle.DEAD;
        int[] unfit = command.partitions().stream()
                .filter(p -> !(fills ? DeathRules.isFillable(state, p, from.number()) : isMovable(p, from.number()))
                        || state.involves(p, to.number()))
                .limit(1)
                .toArray();
        return unfit.length == 0
                ? ""
                : "partition " + unfit[0] + " has no slot at " + from + " that can move to " + to
                        + " now: plan the move again when no other slot of the partition moves";
    }

    /** Returns why no batch can begin between two members for any slots, or an empty text. */
    String problemOf(int source, int target, PartitionSet partitions) {
        if (state.rebalance().paused()) {
            return "moves are paused: resume them with " + Remedies.RESUME;
        }
        if (!members.has(source) || !members.has(target)) {
            return "no member has the number " + (members.has(source) ? target : source) + ": plan the move again";
        }
        Member from = members.get(source);
        Member to = members.get(target);
        if (!to.lifecycle().takesSlots() || !from.lifecycle().mayOwn()) {
            return "no slot can move from " + from + " to " + to + ": plan the move again";
        }
        if (partitions.isEmpty() || partitions.bound() > state.partitions()) {
            return "a batch moves at least one of the partitions 0 to " + (state.partitions() - 1)
                    + ": plan the move again";
        }
        return "";
    }

    private boolean isMovable(int partition, int from) {
        return state.slots().slotOf(partition, from) >= 0
                && state.batchOf(partition).isEmpty();
    }

    CommandResult advance(Command.AdvanceBatch command) {
        Optional<Batch> found = state.batch(command.batch());
        if (found.isEmpty()) {
            return Results.unknownBatch(command.batch());
        }
        Batch batch = found.get();
        if (batch.phase() == Phase.COPY && command.next() == Phase.BOTH) {
            return Results.accepted(new StateChange(state).put(batch.in(Phase.BOTH)));
        }
        if (batch.phase() == Phase.BOTH && command.next() == Phase.STABLE) {
            return Results.accepted(new StateChange(state)
                    .hand(batch.partitions(), batch.from(), batch.to())
                    .end(batch));
        }
        return Results.refused(batch + " cannot go on to " + command.next()
                + ": COPY is followed by BOTH, BOTH by STABLE, UNDO is aborted, and FILL and GROW are completed");
    }

    CommandResult complete(Command.CompleteFill command) {
        Optional<Batch> found = state.batch(command.batch());
        if (found.isEmpty()) {
            return Results.unknownBatch(command.batch());
        }
        Batch batch = found.get();
        if (batch.phase() != Phase.FILL || !members.get(batch.to()).lifecycle().isPresent()) {
            return Results.refused(batch + " cannot be completed: name a batch that fills a member that is alive");
        }
        if (!isPart(command.partitions(), batch)) {
            return notPart(batch);
        }
        return Results.accepted(new StateChange(state).shrink(batch, command.partitions()));
    }

    /** Returns whether partitions can be completed as a part of a batch, or as the whole batch. */
    static boolean isPart(PartitionSet partitions, Batch batch) {
        return !partitions.isEmpty() && partitions.minus(batch.partitions()).isEmpty();
    }

    static CommandResult notPart(Batch batch) {
        return Results.refused("only partitions of " + batch + " can be completed, at least one of them: name"
                + " those that the heir has reported");
    }

    CommandResult abort(Command.AbortBatch command) {
        Optional<Batch> found = state.batch(command.batch());
        if (found.isEmpty()) {
            return Results.unknownBatch(command.batch());
        }
        Batch batch = found.get();
        if (batch.phase() == Phase.FILL) {
            return Results.refused(batch + " stands in for a dead member and cannot be aborted: if the heir cannot"
                    + " finish, declare it dead too");
        }
        // The heir is read in BOTH, and may continue to serve reads until it has installed the next phase.
        return Results.accepted(
                batch.phase() == Phase.BOTH
                        ? new StateChange(state).put(batch.in(Phase.UNDO))
                        : new StateChange(state).end(batch));
    }
}
