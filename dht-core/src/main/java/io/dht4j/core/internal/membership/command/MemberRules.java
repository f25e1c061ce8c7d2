package io.dht4j.core.internal.membership.command;

import io.dht4j.core.internal.membership.Remedies;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.Lifecycle;
import io.dht4j.core.internal.membership.state.Member;
import io.dht4j.core.internal.membership.state.MemberList;
import io.dht4j.core.internal.membership.state.StateChange;
import java.util.List;

/** Applies the commands about members that have joined. */
final class MemberRules {

    private final ClusterState state;
    private final MemberList members;

    MemberRules(ClusterState state) {
        this.state = state;
        this.members = state.members();
    }

    CommandResult serve(Command.Serve command) {
        if (!members.has(command.member())) {
            return Results.unknownMember(command.member());
        }
        Member member = members.get(command.member());
        if (member.lifecycle() != Lifecycle.JOINING && member.lifecycle() != Lifecycle.LEAVING) {
            return Results.refused(
                    member + " can neither finish a join nor stay: name a member that is JOINING or" + " LEAVING");
        }
        return Results.accepted(new StateChange(state).put(member.as(Lifecycle.SERVING)));
    }

    CommandResult change(Command.ChangeAttributes command) {
        if (!members.has(command.member())) {
            return Results.unknownMember(command.member());
        }
        Member member = members.get(command.member());
        if (!member.lifecycle().isPresent()) {
            return Results.refused(
                    member + " has no address, weight or zone that could change: name a member that has joined");
        }
        String problem =
                new JoinRules(state).addressProblem(command.attributes(), other -> other.number() != member.number());
        return problem.isEmpty()
                ? Results.accepted(new StateChange(state).put(member.with(command.attributes())))
                : Results.refused(problem);
    }

    CommandResult leave(Command.Leave command) {
        if (!members.has(command.member())) {
            return Results.unknownMember(command.member());
        }
        Member member = members.get(command.member());
        if (!member.lifecycle().takesSlots()) {
            return Results.refused(member + " cannot begin to leave: name a member that is JOINING or SERVING"
                    + (member.lifecycle() == Lifecycle.LEAVING ? ", since this one leaves already" : ""));
        }
        List<Member> staying = members.takers()
                .filter(other -> other.number() != member.number())
                .toList();
        int replicas = state.replicationFactor();
        if (staying.size() < replicas) {
            return Results.refused("without " + member.name() + " only " + staying.size()
                    + (staying.size() == 1 ? " node" : " nodes") + " would remain for the replication factor "
                    + replicas + ": add a node first, or, if " + member.name()
                    + " is lost, " + Remedies.replace(member.name()));
        }
        long zones = zones(staying);
        String zone = member.details().zone();
        boolean lastOfZone =
                staying.stream().noneMatch(other -> other.details().zone().equals(zone));
        if (lastOfZone && zones < replicas && state.loads()[member.number()] > 0) {
            return Results.refused(member.name() + " is the last node of zone \"" + zone + "\", and " + zones
                    + " zones would remain for the replication factor " + replicas
                    + ": add a node to this zone first, or change the zone of " + member.name());
        }
        return Results.accepted(new StateChange(state).put(member.as(Lifecycle.LEAVING)));
    }

    private static long zones(List<Member> staying) {
        return staying.stream()
                .map(member -> member.details().zone())
                .distinct()
                .count();
    }

    CommandResult remove(Command.Remove command) {
        if (!members.has(command.member())) {
            return Results.unknownMember(command.member());
        }
        Member member = members.get(command.member());
        switch (member.lifecycle()) {
            case REMOVED -> {
                return Results.refused(member + " is removed already: nothing is left to do");
            }
            case JOINING, SERVING -> {
                return Results.refused(
                        member + " is a member in use: let it leave first, with " + Remedies.removal(member.name()));
            }
            default -> {
                // Admitted, leaving and dead members can be removed unless they vote or own slots.
            }
        }
        if (members.voters().contains(member.number())) {
            return Results.refused(
                    member + " is a voter of the metadata group: wait until another one has taken its" + " place");
        }
        int load = state.loads()[member.number()];
        if (load > 0 || state.batches().stream().anyMatch(batch -> batch.from() == member.number())) {
            return Results.refused(member + " still has replicas of " + load
                    + " partitions or a batch under way: wait until they have moved, see MembershipStatus.moves()");
        }
        return Results.accepted(new StateChange(state).put(member.as(Lifecycle.REMOVED)));
    }

    CommandResult release(Command.ReleaseVersionSlot command) {
        if (!members.has(command.member())) {
            return Results.unknownMember(command.member());
        }
        Member member = members.get(command.member());
        if (member.lifecycle() != Lifecycle.REMOVED || member.versionSlot() == Member.NO_VERSION_SLOT) {
            return Results.refused(member + " has no version slot to release: name a removed member that has one");
        }
        return Results.accepted(new StateChange(state).put(member.withoutVersionSlot()));
    }
}
