package io.dht4j.core.internal.membership.command;

import io.dht4j.core.internal.membership.state.AgreedSettings;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.Lifecycle;
import io.dht4j.core.internal.membership.state.Member;
import io.dht4j.core.internal.membership.state.MemberList;
import io.dht4j.core.internal.membership.state.StateChange;
import io.dht4j.core.internal.view.Batch;
import io.dht4j.core.internal.view.Phase;
import java.util.Optional;

/** Applies the commands that add slots to partitions. */
final class GrowthRules {

    private final ClusterState state;
    private final MemberList members;

    GrowthRules(ClusterState state) {
        this.state = state;
        this.members = state.members();
    }

    CommandResult set(Command.SetReplicationFactor command) {
        int wanted = command.replicas();
        if (wanted < 1 || wanted > AgreedSettings.MAX_REPLICATION_FACTOR) {
            return Results.refused("the replication factor is 1 to " + AgreedSettings.MAX_REPLICATION_FACTOR + ", not "
                    + wanted + ": choose a number of replicas in this range");
        }
        if (wanted == state.replicationFactor()) {
            return Results.refused(
                    "the replication factor is " + wanted + " already: see MembershipStatus.moves() for what moves");
        }
        int present = mostSlots();
        if (wanted < present) {
            return Results.refused("the replication factor can be raised and not lowered: there are partitions of "
                    + present + " replicas, which cannot become " + wanted);
        }
        long takers = members.takers().count();
        if (wanted > state.replicationFactor() && takers < wanted) {
            return Results.refused(wanted + " replicas need " + wanted + " nodes, and the cluster has " + takers
                    + " that take partitions: add nodes first, with membership().add");
        }
        return Results.accepted(new StateChange(state).replicationFactor(wanted));
    }

    /** Returns the largest number of slots that a partition has, or will have when the batches have ended. */
    private int mostSlots() {
        int most = 0;
        for (int partition = 0; partition < state.partitions(); partition++) {
            boolean grows = state.batchOf(partition)
                    .filter(batch -> batch.phase() == Phase.GROW)
                    .isPresent();
            most = Math.max(most, state.width(partition) + (grows ? 1 : 0));
        }
        return most;
    }

    CommandResult start(Command.StartGrow command) {
        String problem = problemOf(command);
        if (!problem.isEmpty()) {
            return Results.refused(problem);
        }
        StateChange change = new StateChange(state);
        return Results.accepted(
                change.put(new Batch(change.epoch(), command.from(), command.to(), command.partitions(), Phase.GROW)));
    }

    private String problemOf(Command.StartGrow command) {
        String problem = new BatchRules(state).problemOf(command.from(), command.to(), command.partitions());
        if (!problem.isEmpty()) {
            return problem;
        }
        Member from = members.get(command.from());
        Member to = members.get(command.to());
        if (from.lifecycle() == Lifecycle.DEAD) {
            return "no replica can be copied from " + from + ": plan it again when its slots are filled";
        }
        int[] unfit = command.partitions().stream()
                .filter(p -> !isGrowable(p, from.number()) || state.involves(p, to.number()))
                .limit(1)
                .toArray();
        return unfit.length == 0
                ? ""
                : "partition " + unfit[0] + " cannot get another replica from " + from + " at " + to
                        + " now: plan it again when none of its slots moves";
    }

    private boolean isGrowable(int partition, int from) {
        int width = state.width(partition);
        return width < state.replicationFactor()
                && state.slots().owner(partition, width - 1) == from
                && state.batchOf(partition).isEmpty();
    }

    CommandResult complete(Command.CompleteGrow command) {
        Optional<Batch> found = state.batch(command.batch());
        if (found.isEmpty()) {
            return Results.unknownBatch(command.batch());
        }
        Batch batch = found.get();
        if (batch.phase() != Phase.GROW) {
            return Results.refused(batch + " adds no slots: name a batch in " + Phase.GROW);
        }
        if (!BatchRules.isPart(command.partitions(), batch)) {
            return BatchRules.notPart(batch);
        }
        return Results.accepted(
                new StateChange(state).append(command.partitions(), batch.to()).shrink(batch, command.partitions()));
    }
}
