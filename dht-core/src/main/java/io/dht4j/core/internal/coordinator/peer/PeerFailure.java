package io.dht4j.core.internal.coordinator.peer;

import io.dht4j.ErrorCode;
import io.dht4j.NodeId;
import io.dht4j.core.internal.wire.Reply;

/**
 * The reason why a replica has not carried out a request, or why the outcome is unknown.
 *
 * @param node the replica
 * @param nothingDone whether the replica has certainly not carried out the request
 * @param refused whether its address refuses connections
 * @param code the kind of failure
 * @param message one line for people
 */
public record PeerFailure(NodeId node, boolean nothingDone, boolean refused, ErrorCode code, String message) {

    /**
     * Creates a failure that does not show whether the node runs.
     *
     * @param node the replica
     * @param nothingDone whether the replica has certainly not carried out the request
     * @param code the kind of failure
     * @param message one line for people
     */
    public PeerFailure(NodeId node, boolean nothingDone, ErrorCode code, String message) {
        this(node, nothingDone, false, code, message);
    }

    /**
     * Creates the failure that a replica has replied.
     *
     * @param node the replica
     * @param reply its reply
     * @param first whether the request was not sent before: otherwise the replica may have carried it out that time
     */
    static PeerFailure of(NodeId node, Reply.Failed reply, boolean first) {
        // A failed store may have written a part, and an internal error has an unknown outcome.
        boolean nothingDone = reply.code() != ErrorCode.STORE_FAILED
                && reply.code() != ErrorCode.INTERNAL
                && reply.code() != ErrorCode.NO_REPLY;
        String message = reply.message().isEmpty() ? reply.code().name() : reply.message();
        return new PeerFailure(node, nothingDone && first, reply.code(), message);
    }

    @Override
    public String toString() {
        return node + ": " + message;
    }
}
