package io.dht4j.core.internal.membership.agreed;

import io.dht4j.NodeId;
import io.dht4j.core.internal.membership.agreed.log.CommandLog;
import io.dht4j.core.internal.membership.agreed.peer.PeerSilence;
import io.dht4j.core.internal.membership.command.Command;
import io.dht4j.core.internal.membership.command.DeathRules;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.Member;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.wire.MembershipReply.LastHeard;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import java.util.stream.Collectors;

/**
 * Rejects a death command while any node that the leader reaches has heard the member recently, or if the other
 * replicas lack writes that the member has acknowledged. All of them know when a member was last heard, so a new leader
 * knows it, too. Does not block; safe for use by any number of threads.
 */
final class SilenceGuard implements CommandLog.Guard {

    /** How long a node must have been silent before it is declared dead. */
    private static final Duration SILENCE = Duration.ofSeconds(30);

    private final NodeId self;
    private final UUID incarnation;
    private final PeerSilence silence;
    private final SilenceExchange exchange;
    private final IntFunction<Optional<Duration>> silenceWhileLeading;

    /**
     * Creates the guard of a node.
     *
     * @param self the node
     * @param incarnation its incarnation
     * @param silence the silences of members towards it
     * @param exchange asks other members
     * @param silenceWhileLeading returns how long a member has been silent since this node leads, by its number
     */
    SilenceGuard(
            NodeId self,
            UUID incarnation,
            PeerSilence silence,
            SilenceExchange exchange,
            IntFunction<Optional<Duration>> silenceWhileLeading) {
        this.self = self;
        this.incarnation = incarnation;
        this.silence = silence;
        this.exchange = exchange;
        this.silenceWhileLeading = silenceWhileLeading;
    }

    @Override
    public CompletableFuture<Optional<String>> refusal(Command command, ClusterState state) {
        if (!(command instanceof Command.MarkDead dead) || !state.members().has(dead.member())) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        Member member = state.members().get(dead.member());
        if (!member.lifecycle().isPresent()) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        if (member.is(incarnation)) {
            return CompletableFuture.completedFuture(
                    Optional.of(member + " leads the changes of this cluster, so it is alive: stop it first"));
        }
        return exchange.ask(state, member)
                .thenApply(answers -> refusal(state, member, answers)
                        .or(() -> DeathRules.refusal(state, dead, incomplete(state, answers))));
    }

    /** Returns the incomplete partitions of members by their numbers; none for members that do not answer. */
    private Map<Integer, PartitionSet> incomplete(ClusterState state, Map<Integer, Optional<LastHeard>> answers) {
        Map<Integer, PartitionSet> result = new HashMap<>();
        answers.forEach((number, answer) -> answer.ifPresent(heard -> result.put(number, heard.incomplete())));
        state.members()
                .incarnation(incarnation)
                .ifPresent(member -> result.put(member.number(), exchange.incomplete()));
        return result;
    }

    private Optional<String> refusal(ClusterState state, Member member, Map<Integer, Optional<LastHeard>> answers) {
        List<Integer> voters = state.members().voters();
        long answering = voters.stream()
                .filter(voter ->
                        answers.containsKey(voter) || state.members().get(voter).is(incarnation))
                .count();
        if (2 * answering <= voters.size()) {
            return Optional.of(answering + " of " + voters.size() + " voters answer " + self
                    + ", which leads the changes, and the others may have heard " + member
                    + ": repeat this when a majority answers");
        }
        String hearing = answers.entrySet().stream()
                .filter(answer ->
                        answer.getValue().filter(heard -> !heard.fails()).isPresent())
                .map(answer -> state.members().get(answer.getKey()).name().value())
                .sorted()
                .collect(Collectors.joining(", "));
        if (!silence.fails(member.name(), SilenceExchange.FRESH)) {
            return refused(member + " answers " + self + ", which leads the changes, or has stopped just now", SILENCE);
        }
        if (!hearing.isEmpty()) {
            return refused(member + " answers " + hearing + ", or has stopped just now", SILENCE);
        }
        Duration silent = silent(member, answers);
        return silent.compareTo(SILENCE) >= 0
                ? Optional.empty()
                : refused(
                        member + " was heard " + silent.toSeconds() + " s ago by one of the nodes",
                        SILENCE.minus(silent));
    }

    private Duration silent(Member member, Map<Integer, Optional<LastHeard>> answers) {
        // If no node has heard it, all nodes have been started since.
        Duration silent =
                silence.heard(member.name()).or(() -> silence.of(member.name())).orElse(Duration.ZERO);
        if (answers.values().stream().allMatch(Optional::isPresent)) {
            return silent;
        }
        // A node of 0.1.0 does not report when it has heard a member. The last failure of this one may be old.
        Duration led = silenceWhileLeading.apply(member.number()).orElse(Duration.ZERO);
        return led.compareTo(silent) < 0 ? led : silent;
    }

    private static Optional<String> refused(String why, Duration wait) {
        return Optional.of(why + ", and a node is declared dead after " + SILENCE.toSeconds()
                + " s: stop it if it runs, and repeat this in " + (wait.toSeconds() + 1) + " s");
    }
}
