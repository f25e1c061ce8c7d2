package io.dht4j.core.internal.membership.agreed;

import io.dht4j.NodeId;
import io.dht4j.core.internal.membership.agreed.log.CommandLog;
import io.dht4j.core.internal.membership.agreed.peer.PeerSilence;
import io.dht4j.core.internal.membership.command.Command;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.Member;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.function.IntFunction;

/**
 * Lets no member be declared dead that may be alive as seen from the leader, which asks the members again and again. A
 * node that is cut off itself leads nothing, whatever it has not heard. Does not block; safe for use by any number of
 * threads.
 */
final class SilenceGuard implements CommandLog.Guard {

    /** How long a node must have been silent before it is declared dead. */
    private static final Duration SILENCE = Duration.ofSeconds(30);

    private final NodeId self;
    private final UUID incarnation;
    private final PeerSilence silence;
    private final IntFunction<Optional<Duration>> silenceWhileLeading;

    /**
     * Creates the guard of a node.
     *
     * @param self the node
     * @param incarnation its incarnation
     * @param silence which members do not answer it
     * @param silenceWhileLeading returns the same of a member by its number, since this node leads: it may not have
     *     asked before, and its last failure may be old
     */
    SilenceGuard(
            NodeId self, UUID incarnation, PeerSilence silence, IntFunction<Optional<Duration>> silenceWhileLeading) {
        this.self = self;
        this.incarnation = incarnation;
        this.silence = silence;
        this.silenceWhileLeading = silenceWhileLeading;
    }

    @Override
    public Optional<String> refusal(Command command, ClusterState state) {
        if (!(command instanceof Command.MarkDead dead) || !state.members().has(dead.member())) {
            return Optional.empty();
        }
        Member member = state.members().get(dead.member());
        if (!member.lifecycle().isPresent()) {
            return Optional.empty();
        }
        if (member.is(incarnation)) {
            return Optional.of(member + " leads the changes of this cluster, so it is alive: stop it first");
        }
        Optional<Duration> silent = silence.of(member.name())
                .flatMap(known ->
                        silenceWhileLeading.apply(member.number()).map(led -> led.compareTo(known) < 0 ? led : known));
        if (silent.filter(time -> time.compareTo(SILENCE) >= 0).isPresent()) {
            return Optional.empty();
        }
        String heard = silent.map(time ->
                        " has not answered " + self + ", which leads the changes, for " + time.toSeconds() + " s")
                .orElse(" answers " + self + ", which leads the changes, or has stopped just now");
        return Optional.of(member + heard + ", and a node is declared dead after " + SILENCE.toSeconds()
                + " s: stop it if it runs, and repeat this in "
                + (SILENCE.minus(silent.orElse(Duration.ZERO)).toSeconds() + 1) + " s");
    }
}
