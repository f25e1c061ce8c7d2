package io.dht4j.core.internal.membership.driver;

import io.dht4j.core.internal.membership.command.Command;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Chooses the driver's next step, as a pure function. Running batches come first, since a slot that moves depends on
 * two nodes; then the voters, new batches, and the lifecycles of members.
 */
final class Decisions {

    private Decisions() {}

    static Decision next(Observation seen) {
        List<Wait> waits = new ArrayList<>();
        MemberDecisions members = new MemberDecisions(seen, waits);
        Optional<Step> step = append(new BatchDecisions(seen, waits).next())
                .or(() -> new VoterDecisions(seen, waits).next())
                .or(() -> append(members.begin()))
                .or(() -> append(members.lifecycle()));
        return new Decision(step, waits);
    }

    private static Optional<Step> append(Optional<Command> command) {
        return command.map(Step.Append::new);
    }
}
