package io.dht4j.core.internal.membership.driver;

import io.dht4j.core.internal.membership.command.Command;
import io.dht4j.core.internal.membership.plan.VoterChoice;
import io.dht4j.core.internal.membership.state.LogMembers;
import io.dht4j.core.internal.membership.state.Member;
import io.dht4j.spi.NodeRef;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/**
 * Decides how the voters change. First the agreed state names them, so that a new one opens its log; then the members
 * of the log follow. The next change waits until they have.
 */
final class VoterDecisions {

    private final Observation seen;
    private final List<Wait> waits;

    VoterDecisions(Observation seen, List<Wait> waits) {
        this.seen = seen;
        this.waits = waits;
    }

    private boolean isSettled() {
        return seen.log().isEmpty() || new HashSet<>(seen.log()).equals(new HashSet<>(LogMembers.voters(seen.state())));
    }

    /** Returns whether a member no longer votes, and no decision waits for its vote. */
    boolean isOut(Member member) {
        return !seen.state().members().voters().contains(member.number()) && isSettled();
    }

    Optional<Step> next() {
        if (seen.log().isEmpty()) {
            return Optional.empty();
        }
        List<NodeRef> voters = LogMembers.voters(seen.state());
        if (!isSettled()) {
            if (!seen.logChanges()) {
                // The wait for a voter that has died before it voted would never end.
                return choiceWithoutDead().or(() -> Optional.of(new Step.ChangeLog(voters)));
            }
            waits.add(Wait.ofCluster("the voters of the metadata group to become "
                    + voters.stream().map(NodeRef::name).toList() + silentVoters()));
            return Optional.empty();
        }
        return choice();
    }

    private Optional<Step> choiceWithoutDead() {
        boolean allLive = seen.state().members().voters().stream()
                .allMatch(voter -> seen.member(voter).lifecycle().isPresent());
        return allLive ? Optional.empty() : choice();
    }

    private Optional<Step> choice() {
        List<Integer> wanted =
                VoterChoice.of(seen.state(), seen.state().members().group().wanted(), seen::answers);
        return wanted.equals(seen.state().members().voters())
                ? Optional.empty()
                : Optional.of(new Step.Append(new Command.SetVoters(seen.state().epoch(), wanted)));
    }

    private String silentVoters() {
        List<String> silent = seen.state().members().voters().stream()
                .filter(number -> !seen.answers(number))
                .map(seen::silent)
                .toList();
        return silent.isEmpty() ? "" : "; they wait for " + String.join(", ", silent);
    }
}
