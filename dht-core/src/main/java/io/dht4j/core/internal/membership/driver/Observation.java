package io.dht4j.core.internal.membership.driver;

import io.dht4j.core.internal.membership.plan.Plan;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.Member;
import io.dht4j.core.internal.view.Epoch;
import io.dht4j.core.internal.wire.MembershipReply.Reported;
import io.dht4j.spi.NodeRef;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The inputs of the driver's decisions. Immutable.
 *
 * @param state the agreed state
 * @param reports the reports of this round, by the number of the member
 * @param silences how long the silent members have not answered; zero if unknown
 * @param snapshotWaits how long each batch has waited for open snapshots, by its number
 * @param plan the remaining moves of the plan for these members; empty if there is none yet
 * @param planIn the time until planning begins, if it is needed and waits for further changes of members
 * @param log the members of the topology log; empty if they are not known
 * @param logChanges whether a change of the log's members is running
 * @param releasable the removed members whose version slots may be released
 */
record Observation(
        ClusterState state,
        Map<Integer, Reported> reports,
        Map<Integer, Duration> silences,
        Map<Long, Duration> snapshotWaits,
        Optional<Plan> plan,
        Optional<Duration> planIn,
        List<NodeRef> log,
        boolean logChanges,
        Set<Integer> releasable) {

    Observation {
        reports = Map.copyOf(reports);
        silences = Map.copyOf(silences);
        snapshotWaits = Map.copyOf(snapshotWaits);
        log = List.copyOf(log);
        releasable = Set.copyOf(releasable);
    }

    Member member(int number) {
        return state.members().get(number);
    }

    String name(int number) {
        return member(number).name().value();
    }

    Optional<Reported> report(int member) {
        return Optional.ofNullable(reports.get(member));
    }

    boolean answers(int member) {
        return reports.containsKey(member);
    }

    Duration silence(int member) {
        return silences.getOrDefault(member, Duration.ZERO);
    }

    /** Describes the wait for a member that must install an epoch, with its present one. */
    String behind(Reported report, int member, long needed) {
        return name(member) + " to install epoch " + Epoch.text(needed) + ", it has " + Epoch.text(report.epoch());
    }

    /** Returns the name of a silent member, with the duration of its silence if known. */
    String silent(int member) {
        long seconds = silence(member).toSeconds();
        return name(member) + (seconds == 0 ? ", which does not answer" : ", silent for " + seconds + " s");
    }
}
