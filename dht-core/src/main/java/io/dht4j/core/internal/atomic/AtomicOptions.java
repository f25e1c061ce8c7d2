package io.dht4j.core.internal.atomic;

import io.dht4j.CallOptions;
import io.dht4j.ErrorCode;
import io.dht4j.InvalidRequestException;

/** The options that operations on atomic keys take, and other calls do not. */
public final class AtomicOptions {

    private AtomicOptions() {}

    /**
     * Checks the options of an operation on an atomic key, whose time to live is part of its change.
     *
     * @param options the options
     * @throws InvalidRequestException if they have a policy, an ordering or a time to live
     */
    public static void require(CallOptions options) {
        if (options.policy().isPresent()) {
            throw new InvalidRequestException(
                    ErrorCode.POLICY_INVALID, "an atomic operation takes no policy: it always needs a majority");
        }
        if (options.ordering().isPresent()) {
            throw new InvalidRequestException(
                    ErrorCode.BAD_REQUEST, "an atomic operation takes no ordering: it is always linearizable");
        }
        if (options.timeToLive().isPresent()) {
            throw new InvalidRequestException(
                    ErrorCode.TTL_INVALID, "a time to live is for atomic operations that set a value only");
        }
    }

    /**
     * Checks the options of a plain call.
     *
     * @param options the options
     * @throws InvalidRequestException if they have a request id
     */
    public static void refuseRequestId(CallOptions options) {
        if (options.requestId().isPresent()) {
            throw new InvalidRequestException(
                    ErrorCode.BAD_REQUEST,
                    "a request id is for operations on atomic keys only: plain calls may be repeated without one");
        }
    }
}
