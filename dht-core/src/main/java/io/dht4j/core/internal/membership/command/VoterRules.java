package io.dht4j.core.internal.membership.command;

import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.Member;
import io.dht4j.core.internal.membership.state.MemberList;
import io.dht4j.core.internal.membership.state.StateChange;
import io.dht4j.core.internal.membership.state.VoterGroup;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.view.Epoch;
import java.util.List;

/** Applies the commands about the metadata group. */
final class VoterRules {

    private final ClusterState state;
    private final MemberList members;

    VoterRules(ClusterState state) {
        this.state = state;
        this.members = state.members();
    }

    CommandResult set(Command.SetVoters command) {
        List<Integer> voters = command.voters();
        if (!Voters.areOrdered(voters, members.size())) {
            return disordered(voters);
        }
        for (int voter : voters) {
            Member member = members.get(voter);
            if (!members.voters().contains(voter) && !member.lifecycle().takesSlots()) {
                return Results.refused(member + " cannot become a voter: choose a member that is SERVING or JOINING");
            }
        }
        return Results.accepted(new StateChange(state).voters(voters));
    }

    CommandResult count(Command.SetVoterCount command) {
        return VoterGroup.mayWant(command.voters())
                ? Results.accepted(new StateChange(state).wantVoters(command.voters()))
                : Results.refused("there cannot be " + command.voters() + " voters: choose 3, 5 or 7");
    }

    CommandResult recover(Command.Recover command) {
        List<Integer> voters = command.voters();
        if (!Voters.areOrdered(voters, members.size())) {
            return disordered(voters);
        }
        for (int voter : voters) {
            Member member = members.get(voter);
            if (!member.lifecycle().isPresent()) {
                return Results.refused(
                        member + " cannot be a voter after a recovery: choose members that have joined and are alive");
            }
        }
        StateChange change = new StateChange(state, Epoch.nextGeneration(state.epoch()));
        change.recovered().beginGroup(voters).changed(PartitionSet.matching(state.partitions(), partition -> true));
        return Results.accepted(change);
    }

    private static CommandResult disordered(List<Integer> voters) {
        return Results.refused("the voters " + voters + " are no list of members: name 1 to " + MemberList.MAX_VOTERS
                + " numbers, ascending and without repetition");
    }
}
