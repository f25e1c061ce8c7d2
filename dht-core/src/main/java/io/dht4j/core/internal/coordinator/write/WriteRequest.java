package io.dht4j.core.internal.coordinator.write;

import io.dht4j.ErrorCode;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.core.internal.coordinator.peer.OutboundRequest;
import io.dht4j.core.internal.coordinator.peer.PeerFailure;
import io.dht4j.core.internal.coordinator.peer.Replanning;
import io.dht4j.core.internal.coordinator.peer.ReplyHandler;
import io.dht4j.core.internal.observation.ObservedCall;
import io.dht4j.core.internal.view.FencingToken;
import io.dht4j.core.internal.wire.Reply;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A request of a write to some nodes, and what is done with their answers. Immutable. */
final class WriteRequest implements ReplyHandler, Consumer<Node> {

    private final WriteOperation operation;
    /** One node if it matters whose answer it is: for a part of a batch, and where two nodes hold a slot. */
    private final List<Node> nodes;

    final List<VersionedWrite> part;
    final OutboundRequest outbound;
    /** The number of times that a replica has refused it. */
    final int refusals;

    WriteRequest(
            WriteOperation operation,
            List<Node> nodes,
            List<VersionedWrite> part,
            OutboundRequest outbound,
            int refusals) {
        this.operation = operation;
        this.nodes = nodes;
        this.part = part;
        this.outbound = outbound;
        this.refusals = refusals;
    }

    /** Returns the request to be offered again to a node that has refused it. */
    WriteRequest again(NodeId node) {
        return new WriteRequest(operation, nodes(node), part, outbound, refusals + 1);
    }

    /** Returns the node of a name. */
    List<Node> nodes(NodeId id) {
        return nodes.stream().filter(node -> node.id().equals(id)).toList();
    }

    /** Sends it to all its nodes. */
    void sendAll() {
        nodes.forEach(this);
    }

    @Override
    public void accept(Node node) {
        operation.ask(node, this);
    }

    @Override
    public boolean isRepeated() {
        return refusals > 0;
    }

    @Override
    public @Nullable ObservedCall call() {
        return operation.call();
    }

    @Override
    public void replied(Reply reply) {
        operation.answered(nodes.get(0).id(), part, ((Reply.Applied) reply).newer());
    }

    @Override
    public void failed(PeerFailure failure) {
        FencingToken token = outbound.token();
        if (token != null && Replanning.isStale(failure, token)) {
            operation.replan(this, token, failure);
        } else if (!mayBeOfferedAgain(failure) || !operation.isOfferedAgain(this, failure)) {
            operation.giveUp(this, failure);
        }
    }

    /**
     * Returns whether the node will probably take it later: a large write once there is room, and any write once the
     * node has begun to take over the slot.
     */
    private boolean mayBeOfferedAgain(PeerFailure failure) {
        return failure.nothingDone()
                && ((failure.code() == ErrorCode.OVERLOADED && outbound.isLarge())
                        || failure.code() == ErrorCode.REPLICA_REFILLING);
    }
}
