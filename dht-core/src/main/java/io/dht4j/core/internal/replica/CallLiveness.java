package io.dht4j.core.internal.replica;

import io.dht4j.spi.CallContext;

/**
 * Whether the answer to a request is still needed. Requests implement it themselves where they can, so that it costs no
 * object. Safe for use by any number of threads.
 */
public interface CallLiveness {

    /**
     * Returns whether the deadline of the request has passed.
     *
     * @return true from the deadline on
     */
    boolean isExpired();

    /**
     * Returns whether the request need not be begun.
     *
     * @return true if its deadline has passed, or its caller no longer wants the answer
     */
    boolean isOver();

    /**
     * Returns the liveness of a call.
     *
     * @param context the deadline and the cancellation of the call
     * @return follows the context
     */
    static CallLiveness of(CallContext context) {
        return new CallLiveness() {
            @Override
            public boolean isExpired() {
                return context.isExpired();
            }

            @Override
            public boolean isOver() {
                return context.isCancelled() || context.isExpired();
            }
        };
    }

    /**
     * Returns the liveness of work whose result is always needed.
     *
     * @return never over
     */
    static CallLiveness endless() {
        return new CallLiveness() {
            @Override
            public boolean isExpired() {
                return false;
            }

            @Override
            public boolean isOver() {
                return false;
            }
        };
    }
}
