package io.dht4j.core.internal.membership.command;

import io.dht4j.NodeId;
import io.dht4j.Topology;
import io.dht4j.core.internal.membership.Remedies;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.Lifecycle;
import io.dht4j.core.internal.membership.state.Member;
import io.dht4j.core.internal.membership.state.MemberAttributes;
import io.dht4j.core.internal.membership.state.MemberList;
import io.dht4j.core.internal.membership.state.StateChange;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Predicate;

/** Applies the commands that admit members. */
final class JoinRules {

    private final ClusterState state;
    private final MemberList members;

    JoinRules(ClusterState state) {
        this.state = state;
        this.members = state.members();
    }

    CommandResult admit(Command.Admit command) {
        Optional<Member> holder = members.named(command.name());
        if (holder.isPresent()) {
            return Results.refused(holder.get() + " has this name already: choose another name"
                    + (holder.get().lifecycle() == Lifecycle.DEAD ? ", or " + Remedies.replace(command.name()) : ""));
        }
        String full = full(1);
        if (!full.isEmpty()) {
            return Results.refused(full);
        }
        return Results.accepted(new StateChange(state).put(Member.admitted(members.size() + 1, command.name())));
    }

    CommandResult join(Command.Join command) {
        String problem = knownIncarnation(command.incarnation(), command.name());
        if (problem.isEmpty()) {
            problem = nameProblem(command);
        }
        if (problem.isEmpty()) {
            problem = addressProblem(command.attributes());
        }
        if (problem.isEmpty()) {
            String contradictions = state.settings().contradictions(command.claims(), command.name());
            problem = contradictions.isEmpty()
                    ? ""
                    : command.name() + " contradicts the cluster's settings: " + contradictions
                            + ". Start it with the cluster's values";
        }
        if (!problem.isEmpty()) {
            return Results.refused(problem);
        }
        Member admitted = members.named(command.name()).orElseThrow();
        return Results.accepted(new StateChange(state)
                .put(joining(admitted.number(), command.name(), command.incarnation(), command.attributes())));
    }

    private String nameProblem(Command.Join command) {
        NodeId name = command.name();
        Optional<Member> holder = members.named(name);
        if (holder.isEmpty()) {
            boolean removed =
                    members.all().stream().anyMatch(member -> member.name().equals(name));
            return name + (removed ? " was removed" : " is not admitted") + ": " + Remedies.add(name)
                    + " before it joins";
        }
        Member member = holder.get();
        if (member.lifecycle() == Lifecycle.ADMITTED) {
            return "";
        }
        String where = " at " + member.details().address();
        if (member.lifecycle() == Lifecycle.JOINING) {
            return "a node " + name + where + " is joining with another data directory: stop one of the two, or "
                    + "choose another NodeId; if that directory is lost, " + Remedies.replace(name);
        }
        return member + where + " has another data directory: start it with that directory, or choose another NodeId;"
                + " if that directory is lost, " + Remedies.replace(name);
    }

    /** Returns why an incarnation cannot join, or an empty text if no member has ever had it. */
    String knownIncarnation(UUID incarnation, NodeId name) {
        Optional<Member> known = members.incarnation(incarnation);
        if (known.isEmpty()) {
            return "";
        }
        Member member = known.get();
        return switch (member.lifecycle()) {
            case REMOVED ->
                "the data directory belongs to " + member + ", which never returns: " + Remedies.add(name)
                        + ", and start it with an empty directory";
            case DEAD ->
                "the data directory belongs to " + member + ", which was declared dead and never returns: start " + name
                        + " with an empty directory and " + Remedies.replace(member.name());
            default ->
                member.name().equals(name)
                        ? member + " has joined already: start it with its data directory"
                        : "the data directory belongs to " + member + ", not to " + name
                                + ": start each node with its own directory";
        };
    }

    /** Returns why attributes cannot be those of another member, or an empty text. */
    String addressProblem(MemberAttributes attributes) {
        return addressProblem(attributes, member -> true);
    }

    /** Returns why a member cannot change to attributes, or an empty text. */
    String addressProblem(MemberAttributes attributes, Predicate<Member> others) {
        return members.at(attributes.address())
                .filter(others)
                .map(member -> "the address " + attributes.address() + " belongs to " + member
                        + ": choose another one, or change that of " + member.name()
                        + " first with a MembershipChange.Update")
                .orElse("");
    }

    /** Returns why no member can be added, or an empty text. */
    String full(int more) {
        long present = members.all().stream()
                .filter(member -> member.lifecycle() != Lifecycle.REMOVED)
                .count();
        if (present + more > Topology.MAX_NODES) {
            return "the cluster has " + present + " nodes, and at most " + Topology.MAX_NODES
                    + " are possible: remove one first";
        }
        return members.size() + more > MemberList.MAX_MEMBERS
                ? "the cluster has used all " + MemberList.MAX_MEMBERS
                        + " numbers of members: move the data to a new cluster"
                : "";
    }

    Member joining(int number, NodeId name, UUID incarnation, MemberAttributes attributes) {
        return new Member(
                number,
                name,
                Lifecycle.JOINING,
                Optional.of(incarnation),
                Optional.of(attributes),
                freestVersionSlot());
    }

    /**
     * Returns the version slot that the fewest members hold, and of these the lowest. Removed members hold theirs until
     * it is released.
     */
    private int freestVersionSlot() {
        int[] holders = new int[Member.VERSION_SLOTS];
        for (Member member : members.all()) {
            if (member.versionSlot() != Member.NO_VERSION_SLOT) {
                holders[member.versionSlot()]++;
            }
        }
        int freest = 0;
        for (int slot = 1; slot < holders.length; slot++) {
            if (holders[slot] < holders[freest]) {
                freest = slot;
            }
        }
        return freest;
    }
}
