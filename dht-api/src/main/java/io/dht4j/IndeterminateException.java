package io.dht4j;

/**
 * Thrown when the outcome of a write is unknown: all, some or none of the replicas have applied it. Repeating the same
 * call is safe, since writes are idempotent; treating it as failed is not. A read fails so after a fault of the program
 * or over a broken connection: it has changed nothing, and may be repeated.
 */
public final class IndeterminateException extends DhtException {

    private static final long serialVersionUID = 1;

    /**
     * Creates the failure of a call with an unknown outcome.
     *
     * @param code a code whose action is {@link ErrorCode.Action#REPEAT_ONLY_THIS}
     * @param message what is known about the outcome
     */
    public IndeterminateException(ErrorCode code, String message) {
        this(code, message, false);
    }

    IndeterminateException(ErrorCode code, String message, boolean traced) {
        super(code, ErrorCode.Action.REPEAT_ONLY_THIS, message, traced);
    }
}
