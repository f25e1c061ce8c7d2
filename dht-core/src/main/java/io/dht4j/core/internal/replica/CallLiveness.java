package io.dht4j.core.internal.replica;

import io.dht4j.core.internal.observation.TracedSpan;
import io.dht4j.spi.CallContext;
import org.jspecify.annotations.Nullable;

/**
 * Returns whether the answer to a request is still needed, and the span of its caller. Requests implement it themselves
 * where possible, which saves an object. Safe for use by any number of threads.
 */
public interface CallLiveness {

    /**
     * Returns whether the deadline of the request has passed.
     *
     * @return true from the deadline on
     */
    boolean isExpired();

    /**
     * Returns whether the request can be skipped.
     *
     * @return true if its deadline has passed, or its caller no longer wants the answer
     */
    boolean isOver();

    /**
     * Returns the span that operations of the store belong to.
     *
     * @return null, as by default, if there is none
     */
    default @Nullable TracedSpan span() {
        return null;
    }

    /**
     * Returns the liveness of a call.
     *
     * @param context the deadline and the cancellation of the call
     * @param span the span of the call on this node; null if there is none
     * @return follows the context
     */
    static CallLiveness of(CallContext context, @Nullable TracedSpan span) {
        return new CallLiveness() {
            @Override
            public @Nullable TracedSpan span() {
                return span;
            }

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
