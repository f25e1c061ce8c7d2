package io.dht4j.core.internal.membership.driver;

import io.dht4j.core.internal.wire.MembershipReply.LogVoters;
import io.dht4j.core.internal.wire.MembershipReply.Reported;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * Tells whether nodes that answer can elect a leader of the topology log. The agreed state names the voters before the
 * members of the log are the same, so a majority of its voters may be none of the log: see who votes by the log itself.
 */
public final class LogQuorum {

    private LogQuorum() {}

    /**
     * Returns whether some nodes can elect a leader. Whoever is elected is one of the voters that its own log names,
     * and needs more than half of them.
     *
     * @param reports those of all nodes that answer
     * @return false if no node outside of these can help either, for as long as it does not answer
     */
    public static boolean canElect(Collection<Reported> reports) {
        List<LogVoters> logs =
                reports.stream().flatMap(report -> report.log().stream()).toList();
        Set<UUID> running = logs.stream().map(LogVoters::self).collect(Collectors.toSet());
        return logs.stream().anyMatch(log -> log.voters().contains(log.self()) && isMajority(running, log.voters()));
    }

    private static boolean isMajority(Set<UUID> running, List<UUID> voters) {
        return 2 * voters.stream().filter(running::contains).count() > voters.size();
    }
}
