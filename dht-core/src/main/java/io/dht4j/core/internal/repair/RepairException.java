package io.dht4j.core.internal.repair;

import io.dht4j.ErrorCode;

/** Thrown when a step of a repair fails. The message is one line for people and names the node. */
public final class RepairException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final ErrorCode code;
    private final boolean refused;

    /**
     * Creates an exception.
     *
     * @param code the kind of failure
     * @param message the node, and the reason
     */
    public RepairException(ErrorCode code, String message) {
        this(code, false, message);
    }

    /**
     * Creates an exception.
     *
     * @param code the kind of failure
     * @param refused whether the node's address refuses connections
     * @param message the node, and the reason
     */
    public RepairException(ErrorCode code, boolean refused, String message) {
        super(message, null, false, false);
        this.code = code;
        this.refused = refused;
    }

    /** Returns whether the node's address refuses connections. */
    public boolean isRefused() {
        return refused;
    }

    /** Returns whether the request was certainly not delivered: the node is probably down. */
    public boolean isNotSent() {
        return code == ErrorCode.NOT_SENT;
    }

    /** Returns whether the nodes do not agree on the replicas, so that the request needs a newer view. */
    public boolean isStale() {
        return code == ErrorCode.STALE_TOPOLOGY || code == ErrorCode.TOPOLOGY_BEHIND;
    }

    /** Returns whether the node does not know the request: it runs an earlier version. */
    public boolean isUnknownRequest() {
        return code == ErrorCode.MALFORMED_FRAME;
    }

    /** Returns whether the same request would always fail in the same way, while the next one may succeed. */
    public boolean isRefusal() {
        return code.action() == ErrorCode.Action.FIX_REQUEST;
    }
}
