package io.dht4j;

/** Thrown when a request is invalid and fails again if repeated unchanged. Nothing has changed. */
public final class InvalidRequestException extends DhtException {

    private static final long serialVersionUID = 1;

    /**
     * Creates the failure of an invalid request, without a stack trace.
     *
     * @param code a code whose action is {@link ErrorCode.Action#FIX_REQUEST}
     * @param message what was wrong and the allowed range
     */
    public InvalidRequestException(ErrorCode code, String message) {
        this(code, message, false);
    }

    InvalidRequestException(ErrorCode code, String message, boolean traced) {
        super(code, ErrorCode.Action.FIX_REQUEST, message, traced);
    }
}
