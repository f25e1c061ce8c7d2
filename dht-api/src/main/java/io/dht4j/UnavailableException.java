package io.dht4j;

/** The call failed and changed nothing: it may be sent again, to this node or to another. */
public final class UnavailableException extends DhtException {

    private static final long serialVersionUID = 1;

    /**
     * A call that could not be served.
     *
     * @param code a code whose action is {@link ErrorCode.Action#RETRY_ANYWHERE}
     * @param message names what was missing
     */
    public UnavailableException(ErrorCode code, String message) {
        super(code, ErrorCode.Action.RETRY_ANYWHERE, message);
    }
}
