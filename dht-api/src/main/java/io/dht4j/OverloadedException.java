package io.dht4j;

/**
 * Thrown when a call is refused because too much is in flight. Nothing has changed; the caller should back off before
 * it tries again.
 */
public final class OverloadedException extends DhtException {

    private static final long serialVersionUID = 1;

    /**
     * Creates the failure of a call that was refused for lack of capacity.
     *
     * @param message the limit that was reached
     */
    public OverloadedException(String message) {
        this(message, false);
    }

    OverloadedException(String message, boolean traced) {
        super(ErrorCode.OVERLOADED, ErrorCode.Action.BACK_OFF, message, traced);
    }
}
