package io.dht4j.core.internal.membership.agreed;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.core.internal.membership.agreed.distribution.InstalledState;
import io.dht4j.core.internal.membership.codec.CommandCodec;
import io.dht4j.core.internal.membership.command.Command;
import io.dht4j.core.internal.membership.command.CommandResult;
import io.dht4j.core.internal.membership.command.StateMachine;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.Member;
import io.dht4j.core.internal.membership.state.VoterGroup;
import io.dht4j.core.internal.wire.MembershipReply.LastHeard;
import io.dht4j.core.internal.wire.MembershipReply.Reported;
import io.dht4j.spi.TopologyLog;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Begins the next generation after the majority of the voters was lost, on an operator's command. It continues from the
 * newest state of all remaining nodes. Every other node must be named as lost: an unreachable node might know a newer
 * state. If most voters answer, it waits until they have had no leader for a while: the members of the log differ from
 * the agreed voters until the log has followed a change. Does not block; safe for use by any number of threads.
 */
final class Recovery {

    private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);

    private final UUID incarnation;
    private final InstalledState installed;
    private final NodeReports reports;
    private final SilenceExchange silences;
    private final Function<Node, CompletableFuture<Optional<ClusterState>>> fetching;
    private final Leaderless leaderless;

    /**
     * Creates the recovery of a node.
     *
     * @param incarnation the incarnation of this node
     * @param installed where the recovered state is installed
     * @param reports asks the other nodes
     * @param silences asks them which nodes they hear
     * @param fetching fetches the state of a node, if it is newer than the installed one
     * @param nanoTime the monotonic time in nanoseconds
     */
    Recovery(
            UUID incarnation,
            InstalledState installed,
            NodeReports reports,
            SilenceExchange silences,
            Function<Node, CompletableFuture<Optional<ClusterState>>> fetching,
            LongSupplier nanoTime) {
        this.incarnation = incarnation;
        this.installed = installed;
        this.reports = reports;
        this.silences = silences;
        this.fetching = fetching;
        this.leaderless = new Leaderless(nanoTime);
    }

    /**
     * Begins the next generation.
     *
     * @param lost the nodes that never return with their state
     * @param acceptDataLoss whether to continue although one of them still answers another node
     * @return the epoch of the recovered state, once this node has installed it; the others fetch it. Fails with a
     *     {@link DhtException} that names the remedy if a majority may be left, or a node neither is lost nor answers
     */
    CompletableFuture<Long> begin(Set<NodeId> lost, boolean acceptDataLoss) {
        Optional<ClusterState> state = installed.state();
        if (state.isEmpty()) {
            return CompletableFuture.failedFuture(
                    DhtException.of(ErrorCode.NOT_SERVING, "this node has no agreed state yet"));
        }
        return newest(state.get()).thenCompose(newest -> recover(newest, lost, acceptDataLoss));
    }

    private CompletableFuture<Long> recover(ClusterState state, Set<NodeId> lost, boolean acceptDataLoss) {
        return reports.ask(state).thenCompose(answers -> {
            if (answers.values().stream().anyMatch(answer -> answer.epoch() > state.epoch())) {
                // For a member that is missing in the states before.
                return newest(state).thenCompose(newer -> {
                    if (newer.epoch() == state.epoch()) {
                        throw refused("a node has a newer state, which could not be fetched: repeat this");
                    }
                    return recover(newer, lost, acceptDataLoss);
                });
            }
            CommandResult result = StateMachine.apply(Optional.of(state), command(state, answers, lost));
            if (result instanceof CommandResult.Refused refused) {
                throw refused(refused.reason());
            }
            ClusterState recovered = ((CommandResult.Accepted) result).state();
            return heard(state, lost).thenCompose(heard -> {
                if (!acceptDataLoss && !lost.isEmpty()) {
                    heard.forEach((member, found) -> requireUnheard(state, answers.keySet(), member, found));
                }
                return install(readableForAll(recovered, state, heard.values()));
            });
        });
    }

    /**
     * Asks all members when they last heard each lost member, or this one if none is lost: the answers also show their
     * releases. Returns the answers by the numbers of the asked members.
     */
    private CompletableFuture<Map<Member, Map<Integer, Optional<LastHeard>>>> heard(
            ClusterState state, Set<NodeId> lost) {
        // In the order of the members, so that a simulated run can be repeated.
        Map<Member, CompletableFuture<Map<Integer, Optional<LastHeard>>>> asked = new LinkedHashMap<>();
        state.members().all().stream()
                .filter(member -> member.lifecycle().isPresent())
                .filter(member -> lost.isEmpty() ? member.is(incarnation) : lost.contains(member.name()))
                .forEach(member -> asked.put(member, silences.ask(state, member)));
        return CompletableFuture.allOf(asked.values().toArray(CompletableFuture[]::new))
                .thenApply(done -> {
                    Map<Member, Map<Integer, Optional<LastHeard>>> heard = new LinkedHashMap<>();
                    asked.forEach((member, answers) -> heard.put(member, answers.join()));
                    return heard;
                });
    }

    /**
     * The sides of a network partition would become two clusters: a node is not lost if it still answers another one.
     */
    private void requireUnheard(
            ClusterState state, Set<Integer> answering, Member lost, Map<Integer, Optional<LastHeard>> found) {
        for (int number : answering) {
            Member asked = state.members().get(number);
            if (asked.is(incarnation)) {
                continue;
            }
            if (!found.containsKey(number)) {
                throw refused(asked.name() + " does not say whether " + lost.name()
                        + " answers it: repeat this in some seconds");
            }
            if (found.get(number).filter(heard -> !heard.fails()).isPresent()) {
                throw refused(lost.name() + " answers " + asked.name() + ", or has stopped just now, and is not lost:"
                        + " stop it, or mend the network, and repeat this. With acceptDataLoss this goes on, and"
                        + " what " + lost.name() + " agrees on and acknowledges meanwhile may be lost");
            }
        }
    }

    private static ClusterState readableForAll(
            ClusterState recovered, ClusterState state, Collection<Map<Integer, Optional<LastHeard>>> heard) {
        Set<NodeId> earlier = heard.stream()
                .flatMap(found -> found.entrySet().stream())
                .filter(answer -> answer.getValue().isEmpty())
                .map(answer -> state.members().get(answer.getKey()).name())
                .collect(Collectors.toSet());
        if (earlier.isEmpty()) {
            return recovered;
        }
        LOG.warn(
                "{} run an earlier version, which cannot read where a generation begins: a lost node that comes back"
                        + " may count as a replica of what it has dropped. Replace the lost nodes, with empty disks",
                names(earlier));
        return recovered.withoutRecoveries();
    }

    private CompletableFuture<Long> install(ClusterState recovered) {
        int size = CommandCodec.encode(new Command.Continue(recovered)).length;
        if (size > TopologyLog.MAX_COMMAND_BYTES) {
            throw refused("the agreed state takes " + size + " bytes, and a recovery at most "
                    + TopologyLog.MAX_COMMAND_BYTES + ": bring a majority of the voters back");
        }
        return installed.offer(recovered).thenApply(now -> {
            // Shows the others that there is a newer state.
            reports.ask(recovered);
            return now.epoch();
        });
    }

    /** Returns the newest state of all members that answer. */
    private CompletableFuture<ClusterState> newest(ClusterState own) {
        Map<Integer, CompletableFuture<Optional<ClusterState>>> fetches = new HashMap<>();
        for (Member member : own.members().all()) {
            MemberDirectory.node(member)
                    .ifPresent(node -> fetches.put(
                            member.number(), fetching.apply(node).exceptionally(error -> Optional.empty())));
        }
        return CompletableFuture.allOf(fetches.values().toArray(CompletableFuture[]::new))
                .thenApply(done -> fetches.values().stream()
                        .flatMap(fetch -> fetch.join().stream())
                        .filter(state -> state.cluster().equals(own.cluster()) && state.epoch() > own.epoch())
                        .max(Comparator.comparingLong(ClusterState::epoch))
                        .orElse(own));
    }

    private Command command(ClusterState state, Map<Integer, Reported> answers, Set<NodeId> lost) {
        if (state.members()
                .incarnation(incarnation)
                .filter(own -> own.lifecycle().isPresent())
                .isEmpty()) {
            throw refused(
                    "this node no longer belongs to the cluster, and has not installed that yet: ask another one");
        }
        List<Member> present = state.members().all().stream()
                .filter(member -> member.lifecycle().isPresent())
                .toList();
        Set<NodeId> unknown = new HashSet<>(lost);
        present.forEach(member -> unknown.remove(member.name()));
        if (!unknown.isEmpty()) {
            throw refused("no node " + names(unknown)
                    + " is present: name those of MembershipStatus.members() that are lost");
        }
        Set<NodeId> alive =
                names(present, member -> answers.containsKey(member.number()) && lost.contains(member.name()));
        if (!alive.isEmpty()) {
            throw refused(names(alive)
                    + (alive.size() == 1
                            ? " answers, and is not lost: leave it out"
                            : " answer, and are not lost: leave them out"));
        }
        Set<NodeId> silent =
                names(present, member -> !answers.containsKey(member.number()) && !lost.contains(member.name()));
        if (!silent.isEmpty()) {
            throw refused(names(silent)
                    + (silent.size() == 1
                            ? " does not answer, and may know a newer state: bring it back, or name it as lost if it"
                                    + " never returns"
                            : " do not answer, and may know a newer state: bring them back, or name them as lost if"
                                    + " they never return"));
        }
        requireNoLeader(state, answers);
        return new Command.Recover(state.epoch(), voters(state, present, answers.keySet()));
    }

    private void requireNoLeader(ClusterState state, Map<Integer, Reported> answers) {
        boolean leads = answers.values().stream().anyMatch(Reported::leads);
        long seconds = leaderless.secondsLeft(leads);
        List<Integer> voters = state.members().voters();
        long left = voters.stream().filter(answers::containsKey).count();
        if (leads) {
            throw refused(left + " of " + voters.size() + " voters answer, and one leads: changes go on without a"
                    + " recovery" + (left < voters.size() ? ". Replace the others with membership().replace" : ""));
        }
        if (2 * left > voters.size() && seconds > 0) {
            throw refused(left + " of " + voters.size() + " voters answer, which is a majority, and should elect a"
                    + " leader: look at MembershipStatus.metadata(), and repeat this in " + seconds
                    + " s if they have not");
        }
    }

    /** The same at every node that recovers, so that concurrent recoveries create one state. */
    private static List<Integer> voters(ClusterState state, List<Member> present, Set<Integer> answers) {
        List<Integer> left = present.stream()
                .map(Member::number)
                .filter(answers::contains)
                .sorted(Comparator.comparing(
                                (Integer number) -> !state.members().voters().contains(number))
                        .thenComparing(Comparator.naturalOrder()))
                .toList();
        return left.stream().limit(VoterGroup.votersAmong(left.size())).sorted().toList();
    }

    private static Set<NodeId> names(List<Member> members, Predicate<Member> which) {
        return members.stream().filter(which).map(Member::name).collect(Collectors.toSet());
    }

    private static String names(Set<NodeId> names) {
        return names.stream().map(NodeId::value).sorted().collect(Collectors.joining(", "));
    }

    private static DhtException refused(String why) {
        return DhtException.of(ErrorCode.BAD_REQUEST, why);
    }
}
