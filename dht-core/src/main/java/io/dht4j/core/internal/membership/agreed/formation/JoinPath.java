package io.dht4j.core.internal.membership.agreed.formation;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.core.internal.membership.agreed.peer.MembershipRequestSender;
import io.dht4j.core.internal.wire.MembershipReply.Appended;
import io.dht4j.core.internal.wire.MembershipReply.Outcome;
import io.dht4j.core.internal.wire.MembershipRequest;
import io.dht4j.core.options.Membership;
import io.dht4j.core.options.Membership.JoinToken;
import io.dht4j.spi.Discovery;
import io.dht4j.spi.Environment;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;

/**
 * The seeds and the admission method of a joining node. Blocking work runs on a store thread. Used by one thread at a
 * time.
 */
public final class JoinPath {

    private final NodeId self;
    private final UUID incarnation;
    private final List<Node> nodes;
    private final Optional<Discovery> discovery;
    private final Optional<JoinToken> token;
    private final MembershipRequestSender requests;
    private final Environment environment;
    private volatile boolean admitted;
    private volatile String refusal = "";

    /**
     * Creates the path of a node.
     *
     * @param options how it joins
     * @param incarnation its stored incarnation
     * @param requests sends requests
     * @param environment store threads
     */
    public JoinPath(Membership options, UUID incarnation, MembershipRequestSender requests, Environment environment) {
        this.self = options.self().id();
        this.incarnation = incarnation;
        this.nodes = options.nodes();
        this.discovery = options.discovery();
        this.token = options.joinToken();
        this.requests = requests;
        this.environment = environment;
    }

    /** Returns some nodes of the cluster; fails if none is found. */
    CompletableFuture<List<Node>> seeds() {
        return discovery.isEmpty()
                ? CompletableFuture.completedFuture(nodes)
                : onStore(() -> {
                    List<Node> found = discovery.get().find().stream()
                            .filter(node -> !node.id().equals(self))
                            .toList();
                    if (found.isEmpty()) {
                        throw new IllegalStateException("no other node was found");
                    }
                    return found;
                });
    }

    /** Asks a node to admit this one, if there is a token and it has not happened yet. */
    CompletableFuture<Void> admission(Node seed) {
        if (admitted || token.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        return onStore(() -> JoinProof.of(token.get(), self, incarnation))
                .thenCompose(
                        proof -> requests.ask(seed, new MembershipRequest.Admit(incarnation, proof), Appended.class))
                .thenAccept(appended -> {
                    admitted = appended.outcome() == Outcome.ACCEPTED;
                    refusal = appended.outcome() == Outcome.REFUSED ? appended.reason() : "";
                });
    }

    /** Returns why the token has not admitted this node, in brackets; empty if it was not refused. */
    String refusal() {
        return refusal.isEmpty() ? "" : " (" + refusal + ")";
    }

    private <T> CompletableFuture<T> onStore(Callable<T> task) {
        CompletableFuture<T> result = new CompletableFuture<>();
        try {
            environment.storeExecutor().execute(() -> {
                try {
                    result.complete(task.call());
                } catch (Exception | Error e) {
                    result.completeExceptionally(e);
                }
            });
        } catch (RejectedExecutionException e) {
            result.completeExceptionally(new IllegalStateException("node " + self + " is closed", e));
        }
        return result;
    }
}
