package io.dht4j.core.internal.membership.command;

import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.StateChange;
import io.dht4j.core.internal.view.Epoch;
import java.util.Optional;

/**
 * The transition function of the agreed state. It depends on its arguments alone, so the same commands lead to the same
 * states on every node. Each accepted command raises the epoch's index by one, or begins a generation. The new epoch
 * becomes the version of the rows that the command changes.
 *
 * <p>Safe for use by any number of threads. Does not block.
 */
public final class StateMachine {

    private StateMachine() {}

    /**
     * Applies a command.
     *
     * @param current the current state; empty before the cluster is formed
     * @param command the command
     * @return the next state, or the reason why the command has no effect
     */
    public static CommandResult apply(Optional<ClusterState> current, Command command) {
        if (command instanceof Command.Continue next) {
            return current.isEmpty()
                    ? new CommandResult.Accepted(next.state())
                    : Results.refused("the log has a state already: only a new one can begin with another state");
        }
        if (current.isEmpty()) {
            return command instanceof Command.Form form
                    ? Formation.form(form)
                    : Results.refused("the cluster is not formed yet: start its first nodes with Membership.bootstrap");
        }
        ClusterState state = current.get();
        if (command instanceof Command.Form) {
            return Results.refused("the cluster " + state.cluster()
                    + " is formed already: add nodes with membership().add and start them with Membership.join");
        }
        if (command.expectedEpoch() != state.epoch()) {
            return Results.stale(command.expectedEpoch(), state.epoch());
        }
        boolean exhausted = command instanceof Command.Recover
                ? Epoch.generation(state.epoch()) == Epoch.MAX_GENERATION
                : Epoch.index(state.epoch()) == Epoch.MAX_INDEX;
        if (exhausted) {
            return Results.refused(
                    "epoch " + Epoch.text(state.epoch()) + " is the last one possible: move the data to a new cluster");
        }
        return apply(state, command);
    }

    private static CommandResult apply(ClusterState state, Command command) {
        if (command instanceof Command.Admit admit) {
            return new JoinRules(state).admit(admit);
        } else if (command instanceof Command.Join join) {
            return new JoinRules(state).join(join);
        } else if (command instanceof Command.Replace replace) {
            return new DeathRules(state).replace(replace);
        } else if (command instanceof Command.MarkDead dead) {
            return new DeathRules(state).markDead(dead);
        } else if (command instanceof Command.Serve serve) {
            return new MemberRules(state).serve(serve);
        } else if (command instanceof Command.ChangeAttributes change) {
            return new MemberRules(state).change(change);
        } else if (command instanceof Command.Leave leave) {
            return new MemberRules(state).leave(leave);
        } else if (command instanceof Command.Remove remove) {
            return new MemberRules(state).remove(remove);
        } else if (command instanceof Command.ReleaseVersionSlot release) {
            return new MemberRules(state).release(release);
        } else if (command instanceof Command.StartBatch start) {
            return new BatchRules(state).start(start);
        } else if (command instanceof Command.AdvanceBatch advance) {
            return new BatchRules(state).advance(advance);
        } else if (command instanceof Command.CompleteFill complete) {
            return new BatchRules(state).complete(complete);
        } else if (command instanceof Command.SetReplicationFactor set) {
            return new GrowthRules(state).set(set);
        } else if (command instanceof Command.StartGrow start) {
            return new GrowthRules(state).start(start);
        } else if (command instanceof Command.CompleteGrow complete) {
            return new GrowthRules(state).complete(complete);
        } else if (command instanceof Command.AbortBatch abort) {
            return new BatchRules(state).abort(abort);
        } else if (command instanceof Command.SetVoters voters) {
            return new VoterRules(state).set(voters);
        } else if (command instanceof Command.SetVoterCount count) {
            return new VoterRules(state).count(count);
        } else if (command instanceof Command.Recover recover) {
            return new VoterRules(state).recover(recover);
        } else if (command instanceof Command.SetRebalance rebalance) {
            return Results.accepted(new StateChange(state).rebalance(rebalance.settings()));
        }
        throw new IllegalArgumentException("unknown command " + command);
    }
}
