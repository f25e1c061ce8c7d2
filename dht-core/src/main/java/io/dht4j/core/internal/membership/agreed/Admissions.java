package io.dht4j.core.internal.membership.agreed;

import io.dht4j.DhtException;
import io.dht4j.NodeId;
import io.dht4j.core.internal.membership.Remedies;
import io.dht4j.core.internal.membership.agreed.formation.JoinProof;
import io.dht4j.core.internal.membership.agreed.peer.MembershipRequestSender;
import io.dht4j.core.internal.membership.command.Command;
import io.dht4j.core.internal.membership.state.Member;
import io.dht4j.core.internal.wire.MembershipReply.Appended;
import io.dht4j.core.internal.wire.MembershipReply.Outcome;
import io.dht4j.core.internal.wire.MembershipRequest;
import io.dht4j.core.options.Membership.JoinToken;
import io.dht4j.spi.Environment;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;

/**
 * Admits nodes that prove possession of the join token. Without TLS this prevents mistakes, not attacks. Does not
 * block; safe for use by any number of threads.
 */
final class Admissions {

    private final NodeId self;
    private final Optional<JoinToken> token;
    private final MemberDirectory members;
    private final StateChanges changes;
    private final Environment environment;

    /**
     * Creates the admissions at a node.
     *
     * @param self the node
     * @param token the token of the cluster; empty if no token is configured
     * @param members the newest state
     * @param changes changes the state
     * @param environment store threads
     */
    Admissions(
            NodeId self,
            Optional<JoinToken> token,
            MemberDirectory members,
            StateChanges changes,
            Environment environment) {
        this.self = self;
        this.token = token;
        this.members = members;
        this.changes = changes;
        this.environment = environment;
    }

    /** Returns whether this node admits bearers of a token. */
    boolean areOpen() {
        return token.isPresent();
    }

    /** Admits a node. Ignores a name that is in the state already: the join itself reports any conflict. */
    CompletableFuture<Appended> admit(NodeId name, MembershipRequest.Admit request) {
        if (token.isEmpty()) {
            return CompletableFuture.completedFuture(
                    refused("node " + self + " has no join token: start it with one, or " + Remedies.add(name)));
        }
        CompletableFuture<Appended> answer = new CompletableFuture<>();
        try {
            environment.storeExecutor().execute(() -> check(name, request, token.get(), answer));
        } catch (RejectedExecutionException e) {
            answer.complete(new Appended(Outcome.NOT_SENT, 0, "node " + self + " is closed", Optional.empty()));
        }
        return answer;
    }

    private void check(
            NodeId name, MembershipRequest.Admit request, JoinToken secret, CompletableFuture<Appended> answer) {
        try {
            if (JoinProof.matches(JoinProof.of(secret, name, request.incarnation()), request.proof())) {
                admit(name).whenComplete((appended, error) -> {
                    if (error == null) {
                        answer.complete(appended);
                    } else {
                        answer.completeExceptionally(error);
                    }
                });
            } else {
                answer.complete(refused(
                        "the join token of " + name + " is not that of " + self + ": start both with the same one"));
            }
        } catch (RuntimeException | Error e) {
            answer.complete(
                    refused("node " + self + " cannot check the join token: " + MembershipRequestSender.message(e)));
        }
    }

    private CompletableFuture<Appended> admit(NodeId name) {
        if (known(name).isPresent()) {
            return CompletableFuture.completedFuture(
                    accepted(members.state().orElseThrow().epoch()));
        }
        return changes.change(state -> Optional.of(new Command.Admit(state.epoch(), name)))
                .handle((epoch, error) -> {
                    if (error == null) {
                        return accepted(epoch);
                    }
                    // Another node may have admitted it at the same time.
                    return known(name).isPresent()
                            ? accepted(members.state().orElseThrow().epoch())
                            : new Appended(
                                    Outcome.NOT_SENT,
                                    0,
                                    MembershipRequestSender.message(DhtException.unwrap(error)),
                                    Optional.empty());
                });
    }

    private Optional<Member> known(NodeId name) {
        return members.state().flatMap(state -> state.members().named(name));
    }

    private static Appended accepted(long epoch) {
        return new Appended(Outcome.ACCEPTED, epoch, "", Optional.empty());
    }

    private static Appended refused(String why) {
        return new Appended(Outcome.REFUSED, 0, why, Optional.empty());
    }
}
