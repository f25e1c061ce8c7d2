package io.dht4j.core.internal.membership.command;

import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.Lifecycle;
import io.dht4j.core.internal.membership.state.Member;
import io.dht4j.core.internal.membership.state.MemberList;
import io.dht4j.core.internal.membership.state.StateChange;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.view.Batch;
import io.dht4j.core.internal.view.Phase;
import io.dht4j.core.internal.view.Slot;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Applies the commands about members that never return. */
public final class DeathRules {

    private final ClusterState state;
    private final MemberList members;
    /** The partitions in which members own a slot but have an incomplete replica, by the numbers of the members. */
    private final Map<Integer, PartitionSet> incomplete;

    DeathRules(ClusterState state) {
        this(state, Map.of());
    }

    private DeathRules(ClusterState state, Map<Integer, PartitionSet> incomplete) {
        this.state = state;
        this.members = state.members();
        this.incomplete = incomplete;
    }

    /**
     * Returns why a death is refused, based on the state and on reports of other members. The state does not contain
     * these reports, so only the leader, which is asked first, can refuse the command for them. Does not block.
     *
     * @param state the state before the command
     * @param command the command
     * @param incomplete the partitions in which members report an incomplete replica, by the numbers of the members
     * @return one sentence for people; empty if the command is accepted
     */
    public static Optional<String> refusal(
            ClusterState state, Command.MarkDead command, Map<Integer, PartitionSet> incomplete) {
        return new DeathRules(state, incomplete).markDead(command) instanceof CommandResult.Refused refused
                ? Optional.of(refused.reason())
                : Optional.empty();
    }

    CommandResult markDead(Command.MarkDead command) {
        if (!members.has(command.member())) {
            return Results.unknownMember(command.member());
        }
        Member member = members.get(command.member());
        if (!member.lifecycle().isPresent()) {
            return Results.refused(
                    member + " cannot be declared dead: name a member that is JOINING, SERVING or LEAVING");
        }
        StateChange change = new StateChange(state).put(member.as(Lifecycle.DEAD));
        for (Batch batch : state.batches()) {
            if (batch.from() == member.number()) {
                orphan(batch, change);
            } else if (batch.to() == member.number() && batch.phase() != Phase.FILL) {
                // The owner is complete in all phases; a dead heir that still runs may answer reads of ack 1.
                change.end(batch);
            }
        }
        ClusterState next = change.build();
        PartitionSet endangered = command.acceptDataLoss() ? PartitionSet.empty() : endangered(next, member.number());
        if (!endangered.isEmpty()) {
            return Results.refused("without " + member.name() + ", " + endangered.cardinality()
                    + " partitions have too few complete replicas to hold every acknowledged write: "
                    + remedy(member, endangered));
        }
        return new CommandResult.Accepted(next);
    }

    private String remedy(Member dead, PartitionSet endangered) {
        String closed = incomplete.entrySet().stream()
                .filter(each ->
                        each.getKey() != dead.number() && each.getValue().intersects(endangered))
                .map(each -> members.get(each.getKey()).name().value())
                .sorted()
                .collect(Collectors.joining(", "));
        return closed.isEmpty()
                ? "bring it or another dead node back, or repeat the change with acceptDataLoss"
                : closed + " must be compared with it first, after a recovery, a rollback or the loss of a disk. Bring "
                        + dead.name() + " back until the log of each says that all partitions are read again, or"
                        + " repeat the change with acceptDataLoss";
    }

    /** The owner of a batch's slots is dead. */
    private static void orphan(Batch batch, StateChange change) {
        // An heir in GROW has most entries of the owner, so it takes the owner's slot and not one of its own.
        if (batch.phase() == Phase.COPY || batch.phase() == Phase.GROW) {
            change.hand(batch.partitions(), batch.from(), batch.to()).put(batch.in(Phase.FILL));
        } else if (batch.phase() == Phase.BOTH || batch.phase() == Phase.UNDO) {
            change.hand(batch.partitions(), batch.from(), batch.to()).end(batch);
        }
    }

    /**
     * Returns a member's partitions in which too many slots are lost or incomplete: the others need not include one
     * slot of every majority.
     */
    private PartitionSet endangered(ClusterState next, int dead) {
        return PartitionSet.matching(
                next.partitions(),
                partition -> state.involves(partition, dead)
                        && next.row(partition).stream()
                                        .filter(slot -> !isComplete(next, partition, slot.reader()))
                                        .count()
                                > mayLose(next.width(partition)));
    }

    private boolean isComplete(ClusterState next, int partition, int reader) {
        return reader != Slot.NOBODY
                && next.members().get(reader).lifecycle() != Lifecycle.DEAD
                && !incomplete.getOrDefault(reader, PartitionSet.empty()).contains(partition);
    }

    /**
     * Returns how many slots of a row may be lost. An even number may lose only as many as the odd number below it: a
     * majority of three may have acknowledged a write while the fourth slot was added, and have left it to hints. Two
     * slots may lose one, since both have the write.
     */
    private static int mayLose(int width) {
        return width == 2 ? 1 : (width - 1) / 2;
    }

    CommandResult replace(Command.Replace command) {
        if (!members.has(command.member())) {
            return Results.unknownMember(command.member());
        }
        Member dead = members.get(command.member());
        if (dead.lifecycle() != Lifecycle.DEAD) {
            return Results.refused(dead + " is not dead, and only a dead member can be replaced: declare it dead first"
                    + " if it never returns");
        }
        Optional<Member> successor = members.named(dead.name()).filter(member -> member.number() != dead.number());
        if (successor.isPresent()) {
            return Results.refused(
                    successor.get() + " has replaced " + dead + " already: wait for its partitions to move");
        }
        JoinRules joins = new JoinRules(state);
        String problem = ReplacementCheck.problemOf(state, dead);
        if (problem.isEmpty()) {
            problem = joins.knownIncarnation(command.incarnation(), dead.name());
        }
        if (problem.isEmpty()) {
            problem = joins.addressProblem(command.attributes());
        }
        if (problem.isEmpty()) {
            problem = joins.full(1);
        }
        if (!problem.isEmpty()) {
            return Results.refused(problem);
        }
        int number = members.size() + 1;
        StateChange change = new StateChange(state)
                .put(joins.joining(number, dead.name(), command.incarnation(), command.attributes()));
        PartitionSet partitions =
                PartitionSet.matching(state.partitions(), p -> state.slots().slotOf(p, dead.number()) >= 0);
        if (!partitions.isEmpty()) {
            fill(state, change, dead.number(), number, partitions);
        }
        return Results.accepted(change);
    }

    /** Returns whether a dead member's slot in a partition can be filled now: no other slot of the row moves. */
    static boolean isFillable(ClusterState state, int partition, int dead) {
        return state.slots().slotOf(partition, dead) >= 0
                && state.batchOf(partition).map(batch -> batch.owner() == dead).orElse(true);
    }

    /** Begins to fill slots of a dead member on another, instead of those that it filled itself. */
    static void fill(ClusterState state, StateChange change, int dead, int heir, PartitionSet partitions) {
        for (Batch batch : state.batches()) {
            if (batch.phase() == Phase.FILL
                    && batch.to() == dead
                    && batch.partitions().intersects(partitions)) {
                change.shrink(batch, partitions.intersection(batch.partitions()));
            }
        }
        change.hand(partitions, dead, heir).put(new Batch(change.epoch(), dead, heir, partitions, Phase.FILL));
    }
}
