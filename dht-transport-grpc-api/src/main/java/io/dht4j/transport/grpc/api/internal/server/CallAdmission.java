package io.dht4j.transport.grpc.api.internal.server;

import io.dht4j.DhtException;
import io.dht4j.OverloadedException;
import io.dht4j.transport.common.ApiAdmission;
import io.dht4j.transport.common.RateLimitedLog;
import io.dht4j.transport.common.options.PublicApiOptions.Limits;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The admission of the gRPC API, with a separate bound for cheap calls. Safe for use by any number of threads. */
final class CallAdmission extends ApiAdmission<ApiStream> {

    /** The least bound on concurrent status calls, however low the bound on calls is. */
    private static final int LEAST_CHEAP_CALLS = 100;

    private static final Logger LOG = LoggerFactory.getLogger(CallAdmission.class);

    private final int maxCheapCalls;
    private final AtomicInteger cheapCalls = new AtomicInteger();

    CallAdmission(Limits limits) {
        super("gRPC API", limits, new RateLimitedLog(LOG::warn));
        this.maxCheapCalls = Math.max(LEAST_CHEAP_CALLS, limits.maxInFlight());
    }

    /** Admits a cheap call. Many of them may still be in flight if their requests do not arrive. */
    void enterUncounted(ApiStream stream) {
        if (cheapCalls.incrementAndGet() > maxCheapCalls) {
            cheapCalls.decrementAndGet();
            throw new OverloadedException(
                    maxCheapCalls + " calls that do not count are in flight, the most this node takes");
        }
        try {
            begin(stream);
        } catch (RuntimeException | Error e) {
            cheapCalls.decrementAndGet();
            throw e;
        }
    }

    /**
     * Counts a call in.
     *
     * @throws DhtException if a limit is reached, or calls are no longer accepted
     */
    void enter(ApiStream stream) {
        enter();
        try {
            begin(stream);
        } catch (RuntimeException | Error e) {
            leave();
            throw e;
        }
    }

    /** Counts out a call that was counted in. */
    void leave(ApiStream stream) {
        leave();
        end(stream);
    }

    void leaveUncounted(ApiStream stream) {
        cheapCalls.decrementAndGet();
        end(stream);
    }

    /** Returns, for tests, the number of uncounted calls in flight. */
    int cheapCallsInFlight() {
        return cheapCalls.get();
    }
}
