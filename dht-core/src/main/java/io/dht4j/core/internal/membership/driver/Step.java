package io.dht4j.core.internal.membership.driver;

import io.dht4j.core.internal.membership.command.Command;
import io.dht4j.spi.NodeRef;
import java.util.List;

/** The next action of the driver. */
sealed interface Step {

    /**
     * Appends a command.
     *
     * @param command expects the epoch on which the decision was made
     */
    record Append(Command command) implements Step {}

    /**
     * Changes the members of the topology log to the voters of the agreed state.
     *
     * @param members the members from then on
     */
    record ChangeLog(List<NodeRef> members) implements Step {

        /** Copies the list. */
        public ChangeLog {
            members = List.copyOf(members);
        }
    }
}
