package io.dht4j.core.internal.membership.plan;

import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.Lifecycle;
import io.dht4j.core.internal.membership.state.Member;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.function.Predicate;

/** Chooses the voters of the metadata group. Safe for use by any number of threads. Does not block. */
public final class VoterChoice {

    private static final int LEAST_FOR_SEVERAL = 3;

    private VoterChoice() {}

    /**
     * Returns the wanted voters. They are spread over zones as evenly as possible; apart from that, present voters
     * stay, and members that answer, then lower numbers, come first. A member that does not answer does not become a
     * voter.
     *
     * <p>Serving members vote, and a joining one that replaces a member of its name. Otherwise three nodes with one
     * replacement would have a single voter while the replacement is filled.
     *
     * @param state the current state, with a serving member
     * @param wanted 3, 5 or 7
     * @param answers returns whether a member answers
     * @return 1 voter below three such members, otherwise the greatest odd number of voters up to the wanted one,
     *     ascending; the present voters if too few members answer
     */
    public static List<Integer> of(ClusterState state, int wanted, IntPredicate answers) {
        Predicate<Member> mayVote = member -> votes(state, member) || answers.test(member.number());
        List<Member> eligible = state.members().all().stream()
                .filter(member -> member.lifecycle() == Lifecycle.SERVING
                        || (isReplacement(state, member) && mayVote.test(member)))
                .toList();
        List<Member> left = new ArrayList<>(eligible.stream().filter(mayVote).toList());
        int most = Math.min(wanted, eligible.size());
        int count = eligible.size() < LEAST_FOR_SEVERAL ? 1 : most - (most + 1) % 2;
        if (left.size() < count) {
            return state.members().voters();
        }
        List<Member> chosen = new ArrayList<>();
        while (chosen.size() < count) {
            Member best = left.stream()
                    .min(Comparator.<Member>comparingLong(candidate -> inZoneOf(candidate, chosen))
                            .thenComparing(candidate -> !votes(state, candidate))
                            .thenComparing(candidate -> !answers.test(candidate.number()))
                            .thenComparing(Member::number))
                    .orElseThrow();
            left.remove(best);
            chosen.add(best);
        }
        return chosen.stream().map(Member::number).sorted().toList();
    }

    private static boolean isReplacement(ClusterState state, Member member) {
        return member.lifecycle() == Lifecycle.JOINING
                && state.members().all().stream()
                        .limit(member.number() - 1L)
                        .anyMatch(other -> other.name().equals(member.name())
                                && !other.lifecycle().isPresent());
    }

    private static boolean votes(ClusterState state, Member member) {
        return state.members().voters().contains(member.number());
    }

    private static long inZoneOf(Member candidate, List<Member> chosen) {
        return chosen.stream()
                .filter(voter ->
                        voter.details().zone().equals(candidate.details().zone()))
                .count();
    }
}
