package io.dht4j.core.internal.repair;

import io.dht4j.ErrorCode;

/** A step of a repair that did not succeed. The message is one line for people and names the node. */
public final class RepairException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final ErrorCode code;
    private final boolean refused;

    /**
     * A failure.
     *
     * @param code what it was
     * @param message which node, and why
     */
    public RepairException(ErrorCode code, String message) {
        this(code, false, message);
    }

    /**
     * A failure.
     *
     * @param code what it was
     * @param refused whether nothing listens at the node's address
     * @param message which node, and why
     */
    public RepairException(ErrorCode code, boolean refused, String message) {
        super(message, null, false, false);
        this.code = code;
        this.refused = refused;
    }

    /** Whether nothing listens at the node's address. */
    public boolean isRefused() {
        return refused;
    }

    /** Whether nobody can have got the request: most likely the node is not there. */
    public boolean isNotSent() {
        return code == ErrorCode.NOT_SENT;
    }

    /** Whether the same would fail in the same way for ever, while the next one may succeed. */
    public boolean isRefusal() {
        return code.action() == ErrorCode.Action.FIX_REQUEST;
    }
}
