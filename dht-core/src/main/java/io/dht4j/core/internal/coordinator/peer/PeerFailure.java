package io.dht4j.core.internal.coordinator.peer;

import io.dht4j.ErrorCode;
import io.dht4j.NodeId;

/**
 * Why a replica did not answer.
 *
 * @param node the replica
 * @param nothingDone whether it is certain that the replica has not carried out the request
 * @param refused whether nothing listens at its address
 * @param code what it was
 * @param message one line for people
 */
public record PeerFailure(NodeId node, boolean nothingDone, boolean refused, ErrorCode code, String message) {

    /** A failure of which nothing is known about the node's process. */
    public PeerFailure(NodeId node, boolean nothingDone, ErrorCode code, String message) {
        this(node, nothingDone, false, code, message);
    }

    @Override
    public String toString() {
        return node + ": " + message;
    }
}
