package io.dht4j.core.internal.membership.operator;

import io.dht4j.ErrorCode;
import io.dht4j.InvalidRequestException;
import io.dht4j.MembershipChange;
import io.dht4j.NodeId;
import io.dht4j.core.internal.membership.Remedies;
import io.dht4j.core.internal.membership.command.Command;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.Lifecycle;
import io.dht4j.core.internal.membership.state.Member;
import io.dht4j.core.internal.membership.state.MemberAttributes;
import io.dht4j.core.internal.view.Batch;
import io.dht4j.core.internal.view.Phase;
import io.dht4j.core.internal.view.RebalanceSettings;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Converts the changes of operators to commands. */
final class Changes {

    private Changes() {}

    /**
     * Returns the command of a change.
     *
     * @return empty if the state contains the change already
     * @throws InvalidRequestException if no command can make the change
     */
    static Optional<Command> command(ClusterState state, MembershipChange change) {
        if (change instanceof MembershipChange.Add add) {
            return add(state, add.node());
        } else if (change instanceof MembershipChange.Remove remove) {
            return remove(state, named(state, remove.node()));
        } else if (change instanceof MembershipChange.Replace replace) {
            Member member = named(state, replace.node());
            return member.lifecycle() == Lifecycle.DEAD
                    ? Optional.empty()
                    : Optional.of(new Command.MarkDead(state.epoch(), member.number(), replace.acceptDataLoss()));
        } else if (change instanceof MembershipChange.Update update) {
            return update(state, update);
        } else if (change instanceof MembershipChange.Rebalance rebalance) {
            RebalanceSettings now = state.rebalance();
            RebalanceSettings next = new RebalanceSettings(
                    rebalance.bytesPerSecond().orElse(now.bytesPerSecond()),
                    rebalance.paused().orElse(now.paused()));
            // Resuming moves that are not paused begins a plan at once.
            boolean resumes = rebalance.paused().isPresent() && !next.paused();
            return next.equals(now) && !resumes
                    ? Optional.empty()
                    : Optional.of(new Command.SetRebalance(state.epoch(), next));
        } else if (change instanceof MembershipChange.ReplicationFactor factor) {
            return factor.replicas() == state.replicationFactor()
                    ? Optional.empty()
                    : Optional.of(new Command.SetReplicationFactor(state.epoch(), factor.replicas()));
        }
        if (change instanceof MembershipChange.Voters voters) {
            return state.members().group().wanted() == voters.voters()
                    ? Optional.empty()
                    : Optional.of(new Command.SetVoterCount(state.epoch(), voters.voters()));
        }
        throw refused("no node can make the change " + change);
    }

    private static Optional<Command> add(ClusterState state, NodeId name) {
        Optional<Member> holder = state.members().named(name);
        if (holder.isPresent() && holder.get().lifecycle() == Lifecycle.ADMITTED) {
            return Optional.empty();
        }
        return Optional.of(
                holder.isPresent() && holder.get().lifecycle() == Lifecycle.LEAVING
                        ? new Command.Serve(state.epoch(), holder.get().number())
                        : new Command.Admit(state.epoch(), name));
    }

    private static Optional<Command> remove(ClusterState state, Member member) {
        return switch (member.lifecycle()) {
            case LEAVING -> Optional.empty();
            case JOINING, SERVING -> {
                requireOthers(state, member);
                yield Optional.of(new Command.Leave(state.epoch(), member.number()));
            }
            default -> Optional.of(new Command.Remove(state.epoch(), member.number()));
        };
    }

    private static void requireOthers(ClusterState state, Member member) {
        if (state.members().all().stream()
                .noneMatch(other -> other.lifecycle().isPresent() && other.number() != member.number())) {
            throw refused(member.name() + " is the only node: stop it to end the cluster");
        }
    }

    private static Optional<Command> update(ClusterState state, MembershipChange.Update update) {
        Member member = named(state, update.node());
        if (member.attributes().isEmpty()) {
            throw refused(member.name() + " has not joined yet: start it with these options");
        }
        MemberAttributes now = member.details();
        MemberAttributes next = new MemberAttributes(
                update.address().orElse(now.address()),
                update.publicAddresses().orElse(now.publicAddresses()),
                update.weight().orElse(now.weight()),
                update.zone().orElse(now.zone()));
        return next.equals(now)
                ? Optional.empty()
                : Optional.of(new Command.ChangeAttributes(state.epoch(), member.number(), next));
    }

    /** Returns the command that undoes the next running move; empty if none is left. */
    static Optional<Command> abortNext(ClusterState state) {
        return state.batches().stream()
                .filter(batch -> batch.phase() != Phase.FILL && batch.phase() != Phase.UNDO)
                .findFirst()
                .map(Batch::id)
                .map(id -> new Command.AbortBatch(state.epoch(), id));
    }

    /** Refuses the death of a node that has answered the node with the operator's request. */
    static void requireSilent(ClusterState state, Member member, NodeId observer, boolean answered) {
        if (answered) {
            requireOthers(state, member);
            throw refused(member + " answers " + observer + ": to replace its data directory stop it first, and to"
                    + " move its data to other nodes " + Remedies.remove(member.name()));
        }
    }

    /**
     * Checks that the nodes have space for a change.
     *
     * @param what the message for a lack of space, for people
     * @param lacking a line for each other node without enough space
     * @throws InvalidRequestException if there is one
     */
    static void requireRoom(String what, List<String> lacking) {
        if (!lacking.isEmpty()) {
            throw refused(what + ": " + String.join("; ", lacking) + ". Make room on these disks, or add a node first");
        }
    }

    private static Member named(ClusterState state, NodeId name) {
        return state.members()
                .named(name)
                .orElseThrow(() -> refused("there is no node " + name + ": the nodes are "
                        + state.members().all().stream()
                                .filter(member -> member.lifecycle() != Lifecycle.REMOVED)
                                .map(member -> member.name().value())
                                .collect(Collectors.joining(", "))));
    }

    private static InvalidRequestException refused(String why) {
        return new InvalidRequestException(ErrorCode.BAD_REQUEST, why);
    }
}
