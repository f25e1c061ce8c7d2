package io.dht4j;

/** Too much is in flight, and the call was refused before anything was done: back off, then try again. */
public final class OverloadedException extends DhtException {

    private static final long serialVersionUID = 1;

    /**
     * A call refused for lack of room.
     *
     * @param message names the limit that was met
     */
    public OverloadedException(String message) {
        super(ErrorCode.OVERLOADED, ErrorCode.Action.BACK_OFF, message);
    }
}
