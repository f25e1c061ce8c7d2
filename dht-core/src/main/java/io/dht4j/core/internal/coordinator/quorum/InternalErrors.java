package io.dht4j.core.internal.coordinator.quorum;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;

/** Creates the failures that callers get for unexpected errors. */
public final class InternalErrors {

    private InternalErrors() {}

    /**
     * Returns the failure that a caller gets for an unexpected one.
     *
     * @param cause the error, mostly a lack of memory or a fault of this library
     */
    public static DhtException of(Throwable cause) {
        return DhtException.of(ErrorCode.INTERNAL, "internal error: " + cause);
    }
}
