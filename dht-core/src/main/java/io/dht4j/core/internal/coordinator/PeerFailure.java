package io.dht4j.core.internal.coordinator;

import io.dht4j.ErrorCode;
import io.dht4j.NodeId;

/**
 * Why a replica did not answer.
 *
 * @param node the replica
 * @param nothingDone whether it is certain that the replica has not carried out the request
 * @param code what it was
 * @param message one line for people
 */
record PeerFailure(NodeId node, boolean nothingDone, ErrorCode code, String message) {

    @Override
    public String toString() {
        return node + ": " + message;
    }
}
