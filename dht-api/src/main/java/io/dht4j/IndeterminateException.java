package io.dht4j;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when the outcome of a write is unknown: all, some or none of the replicas have applied it. Repeating the same
 * call is safe, since writes are idempotent, and an operation on an atomic key is if it is repeated with its
 * {@linkplain #requestId() id}; treating it as failed is not. A read fails so after a fault of the program or over a
 * broken connection: it has changed nothing, and may be repeated.
 */
public final class IndeterminateException extends DhtException {

    private static final long serialVersionUID = 1;

    private final @Nullable RequestId requestId;

    /**
     * Creates the failure of a call with an unknown outcome.
     *
     * @param code a code whose action is {@link ErrorCode.Action#REPEAT_ONLY_THIS}
     * @param message what is known about the outcome
     */
    public IndeterminateException(ErrorCode code, String message) {
        this(code, message, false, null);
    }

    IndeterminateException(ErrorCode code, String message, boolean traced, @Nullable RequestId requestId) {
        super(code, ErrorCode.Action.REPEAT_ONLY_THIS, message, traced);
        this.requestId = requestId;
    }

    /**
     * Returns the same failure of an operation on an atomic key.
     *
     * @param id the id of the operation
     * @return a new exception
     */
    public IndeterminateException withRequestId(RequestId id) {
        return new IndeterminateException(code(), String.valueOf(getMessage()), false, id);
    }

    /**
     * Returns the id of an operation on an atomic key. The same call, with {@link CallOptions#withRequestId}, gets the
     * result of this one if it was executed, and is executed otherwise; after {@link ErrorCode#REQUEST_FORGOTTEN} it
     * fails again.
     *
     * @return the id; empty for other calls
     */
    public Optional<RequestId> requestId() {
        return Optional.ofNullable(requestId);
    }
}
