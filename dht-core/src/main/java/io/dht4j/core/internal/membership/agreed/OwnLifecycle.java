package io.dht4j.core.internal.membership.agreed;

import io.dht4j.NodeId;
import io.dht4j.core.internal.membership.Remedies;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.Lifecycle;
import io.dht4j.core.internal.membership.state.Member;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * Tracks the lifecycle of a node in the states that it installs, and decides whether it may still serve. States are
 * passed to it one after the other; other methods are safe for use by any number of threads.
 */
final class OwnLifecycle {

    private final NodeId self;
    private final UUID incarnation;
    private final CompletableFuture<String> end = new CompletableFuture<>();
    /** Whether this node is leaving in the last installed state that contains it. */
    private boolean leaving;

    private volatile boolean removed;

    /**
     * Creates the lifecycle of a node that has no state.
     *
     * @param self the name of the node
     * @param incarnation its stored incarnation
     */
    OwnLifecycle(NodeId self, UUID incarnation) {
        this.self = self;
        this.incarnation = incarnation;
    }

    /** Returns the node as a present member of a state; empty if it is none. */
    Optional<Member> in(ClusterState state) {
        return state.members()
                .incarnation(incarnation)
                .filter(member -> member.lifecycle().isPresent());
    }

    /**
     * Follows a state.
     *
     * @return the node as a member; empty if it never serves again
     */
    Optional<Member> follow(ClusterState state) {
        Optional<Member> present = in(state);
        if (present.isPresent()) {
            leaving = present.get().lifecycle() == Lifecycle.LEAVING;
            return present;
        }
        Optional<Member> own = state.members().incarnation(incarnation);
        removed = leaving
                && own.filter(member -> member.lifecycle() == Lifecycle.REMOVED).isPresent();
        String why = own.map(member -> member + (removed ? " has left; to let it join again, " : " never returns: "))
                .orElseGet(() -> "node " + self + " with this data directory is no member of the cluster "
                        + state.cluster() + ": ");
        end.complete(why + remedy(state.members().named(self)));
        return Optional.empty();
    }

    private String remedy(Optional<Member> holder) {
        String start = "start " + self + " with an empty data directory and Membership.join";
        if (holder.isEmpty()) {
            return Remedies.add(self) + ", and " + start;
        }
        return holder.get().lifecycle().isPresent()
                ? holder.get() + " has taken its name: start this one as a new node, with another NodeId"
                : start;
    }

    /** Returns a future that completes when the node must stop serving, with the reason and the remedy, for people. */
    CompletableFuture<String> end() {
        return end;
    }

    /** Returns whether this node has left the cluster, rather than being declared dead. */
    boolean isRemoved() {
        return removed;
    }
}
