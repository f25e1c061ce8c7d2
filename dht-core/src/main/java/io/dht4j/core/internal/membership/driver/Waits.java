package io.dht4j.core.internal.membership.driver;

import io.dht4j.core.internal.membership.Remedies;
import io.dht4j.core.internal.membership.plan.Plan;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.Member;
import io.dht4j.core.internal.view.Batch;
import io.dht4j.core.internal.wire.MembershipReply.Reported;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Lists the reasons why batches and members wait, as any node can derive them from the reports. Only the driver knows
 * how long it has waited. Immutable.
 */
public final class Waits {

    /** The reason for paused moves. */
    public static final String PAUSED = "an operator to resume moves: " + Remedies.RESUME;

    private final List<Wait> waits;

    private Waits(List<Wait> waits) {
        this.waits = waits;
    }

    /**
     * Derives the reasons from a state.
     *
     * @param state the agreed state
     * @param reports the reports of the members that have answered, by their numbers
     * @param silence returns how long a member has not answered, if known
     * @param plan the planned moves without the running batches
     */
    public static Waits of(
            ClusterState state,
            Map<Integer, Reported> reports,
            Function<Member, Optional<Duration>> silence,
            Plan plan) {
        Map<Integer, Duration> silences = new HashMap<>();
        state.members().all().stream()
                .filter(member -> member.lifecycle().isPresent() && !reports.containsKey(member.number()))
                .forEach(member -> silence.apply(member).ifPresent(time -> silences.put(member.number(), time)));
        Observation seen = new Observation(
                state, reports, silences, Map.of(), Optional.of(plan), Optional.empty(), List.of(), false, Set.of());
        List<Wait> waits = new ArrayList<>();
        new BatchDecisions(seen, waits).lookAtAll();
        new MemberDecisions(seen, waits).lookAtAll();
        return new Waits(waits);
    }

    /** Returns the node or condition that a batch waits for; empty if it makes progress. */
    public String of(Batch batch) {
        return first(wait -> wait.batch().isPresent() && wait.batch().getAsLong() == batch.id());
    }

    /** Returns the node or condition that a member waits for; empty if it makes progress. */
    public String of(Member member) {
        return first(wait -> wait.member().isPresent() && wait.member().getAsInt() == member.number());
    }

    private String first(Predicate<Wait> which) {
        return waits.stream()
                .filter(wait -> !wait.progresses() && which.test(wait))
                .findFirst()
                .map(Wait::text)
                .orElse("");
    }
}
