package io.dht4j.core.internal.coordinator.peer;

import io.dht4j.ErrorCode;
import io.dht4j.NodeId;

/**
 * The reason why a replica has not carried out a request, or why that is unknown.
 *
 * @param node the replica
 * @param nothingDone whether the replica has certainly not carried out the request
 * @param refused whether nothing listens at its address
 * @param code the kind of failure
 * @param message one line for people
 */
public record PeerFailure(NodeId node, boolean nothingDone, boolean refused, ErrorCode code, String message) {

    /**
     * Creates a failure that shows nothing of the node's process.
     *
     * @param node the replica
     * @param nothingDone whether the replica has certainly not carried out the request
     * @param code the kind of failure
     * @param message one line for people
     */
    public PeerFailure(NodeId node, boolean nothingDone, ErrorCode code, String message) {
        this(node, nothingDone, false, code, message);
    }

    @Override
    public String toString() {
        return node + ": " + message;
    }
}
