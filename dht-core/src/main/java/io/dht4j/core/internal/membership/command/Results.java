package io.dht4j.core.internal.membership.command;

import io.dht4j.core.internal.membership.state.StateChange;
import io.dht4j.core.internal.view.Epoch;

/** Creates results. */
final class Results {

    private Results() {}

    static CommandResult accepted(StateChange change) {
        return new CommandResult.Accepted(change.build());
    }

    static CommandResult refused(String reason) {
        return new CommandResult.Refused(false, reason);
    }

    static CommandResult stale(long expected, long actual) {
        return new CommandResult.Refused(
                true,
                "the command was planned at epoch " + Epoch.text(expected) + ", but the cluster is at "
                        + Epoch.text(actual) + ": plan it again");
    }

    static CommandResult unknownMember(int number) {
        return refused("no member has the number " + number + ": list the members with MembershipStatus.members()");
    }

    static CommandResult unknownBatch(long batch) {
        return refused(
                "no batch " + Epoch.text(batch) + " is under way: list the batches with MembershipStatus.moves()");
    }
}
