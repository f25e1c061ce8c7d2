package io.dht4j;

/** Thrown when a call has failed and changed nothing. The caller may repeat it, on this node or another. */
public final class UnavailableException extends DhtException {

    private static final long serialVersionUID = 1;

    /**
     * Creates the failure of a call that could not be served.
     *
     * @param code a code whose action is {@link ErrorCode.Action#RETRY_ANYWHERE}
     * @param message what was missing
     */
    public UnavailableException(ErrorCode code, String message) {
        this(code, message, false);
    }

    UnavailableException(ErrorCode code, String message, boolean traced) {
        super(code, ErrorCode.Action.RETRY_ANYWHERE, message, traced);
    }
}
