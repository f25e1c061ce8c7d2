package io.dht4j.core.internal.membership.agreed.formation;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.core.internal.membership.agreed.peer.MembershipRequestSender;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.wire.MembershipReply.Reported;
import io.dht4j.core.internal.wire.MembershipRequest;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * Detects, before a member serves or votes, another process that runs on a copy of its data directory. The two would
 * give the same versions to different writes, and vote twice. A member that was started at a new address looks for its
 * duplicate at the agreed address. Does not block; safe for use by any number of threads.
 */
public final class DuplicateNodeCheck {

    private final Node self;
    private final UUID incarnation;
    private final MembershipRequestSender requests;
    /** Whether the request has reached its sender, which has two addresses. */
    private volatile boolean isOwnAddress;

    /**
     * Creates a check.
     *
     * @param self this node, at the address with which it was started
     * @param incarnation its stored incarnation
     * @param requests sends the request
     */
    public DuplicateNodeCheck(Node self, UUID incarnation, MembershipRequestSender requests) {
        this.self = self;
        this.incarnation = incarnation;
        this.requests = requests;
    }

    /** Records that a request of a node has arrived at this node. */
    public void received(NodeId sender) {
        if (sender.equals(self.id())) {
            isOwnAddress = true;
        }
    }

    /** Returns the node at its agreed address if it was started at another one, so that there may be a duplicate. */
    public Optional<Node> agreed(ClusterState state) {
        return state.members()
                .incarnation(incarnation)
                .map(member -> Node.of(self.id().value(), member.details().address()))
                .filter(node -> !node.address().equals(self.address()));
    }

    /**
     * Asks the process that listens at the agreed address.
     *
     * @param node the result of {@link #agreed}
     * @param state the stored state
     * @return why the start is refused; empty if no duplicate answers within {@link MembershipRequestSender#TIMEOUT}
     */
    public CompletableFuture<Optional<String>> ask(Node node, ClusterState state) {
        return requests.ask(node, new MembershipRequest.Report(state.cluster(), state.epoch()), Reported.class)
                .handle((report, error) -> {
                    boolean isTwin = error == null
                            && !isOwnAddress
                            && report.incarnation().equals(incarnation);
                    return isTwin ? Optional.of(text(node)) : Optional.empty();
                });
    }

    private String text(Node twin) {
        return "node " + self.id() + " runs already at " + twin.address() + ", with a copy of this data directory: stop"
                + " that process first to move the node here; to add a node, start it with an empty directory and a"
                + " name of its own";
    }
}
