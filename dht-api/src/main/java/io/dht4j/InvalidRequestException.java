package io.dht4j;

/** The request can never succeed as it is: fix it. Nothing has changed. */
public final class InvalidRequestException extends DhtException {

    private static final long serialVersionUID = 1;

    /**
     * A refused request.
     *
     * @param code a code whose action is {@link ErrorCode.Action#FIX_REQUEST}
     * @param message names what was wrong and the allowed range
     */
    public InvalidRequestException(ErrorCode code, String message) {
        super(code, ErrorCode.Action.FIX_REQUEST, message);
    }
}
