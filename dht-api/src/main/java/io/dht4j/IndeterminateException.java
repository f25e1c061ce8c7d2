package io.dht4j;

/**
 * The outcome is unknown: the write may have been applied by some replicas, by all, or by none. Repeating the same call
 * is safe, since writes are idempotent; treating it as failed is not.
 */
public final class IndeterminateException extends DhtException {

    private static final long serialVersionUID = 1;

    /**
     * A call of unknown outcome.
     *
     * @param code a code whose action is {@link ErrorCode.Action#REPEAT_ONLY_THIS}
     * @param message names what is known
     */
    public IndeterminateException(ErrorCode code, String message) {
        super(code, ErrorCode.Action.REPEAT_ONLY_THIS, message);
    }
}
