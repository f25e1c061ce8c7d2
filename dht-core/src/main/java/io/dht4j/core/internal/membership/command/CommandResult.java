package io.dht4j.core.internal.membership.command;

import io.dht4j.core.internal.membership.state.ClusterState;

/** The result of a command. */
public sealed interface CommandResult {

    /**
     * The command took effect.
     *
     * @param state the next state
     */
    record Accepted(ClusterState state) implements CommandResult {}

    /**
     * The command had no effect.
     *
     * @param stale whether the only fault is that the command expects another epoch: it may succeed if it is planned
     *     again on the newest state
     * @param reason one sentence for people that says why, and what to do
     */
    record Refused(boolean stale, String reason) implements CommandResult {}
}
