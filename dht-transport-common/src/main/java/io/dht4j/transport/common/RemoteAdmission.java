package io.dht4j.transport.common;

import io.dht4j.ErrorCode;
import io.dht4j.UnavailableException;
import io.dht4j.transport.common.options.RemoteApiOptions.Limits;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the calls of a client of a public API in flight and the bytes of their requests. Does not block; safe for use
 * by any number of threads.
 */
public final class RemoteAdmission {

    private final int maxCalls;
    private final long maxBytes;
    private final AtomicInteger calls = new AtomicInteger();
    private final AtomicLong bytes = new AtomicLong();

    /**
     * Creates an admission without calls.
     *
     * @param limits the numbers of calls and of bytes
     */
    public RemoteAdmission(Limits limits) {
        this.maxCalls = limits.maxInFlight();
        this.maxBytes = limits.maxInFlightBytes();
    }

    /**
     * Returns the failure of a call after the client was closed.
     *
     * @return the failure that {@link io.dht4j.spi.RemoteApi#close} names
     */
    public static UnavailableException closed() {
        return new UnavailableException(ErrorCode.NOT_SERVING, "this client is closed");
    }

    /**
     * Counts the begin of a call. A request larger than the limit of bytes, such as a large batch, is admitted alone:
     * else it would always be refused.
     *
     * @param requestBytes the bytes of its request
     * @return null if it is admitted, and then {@link #leave} must follow; else the reason of the refusal
     */
    public @Nullable String enter(long requestBytes) {
        int callsNow = calls.incrementAndGet();
        long bytesNow = bytes.addAndGet(requestBytes);
        boolean isRoom = requestBytes == 0 || bytesNow <= maxBytes || bytesNow == requestBytes;
        if (callsNow <= maxCalls && isRoom) {
            return null;
        }
        leave(requestBytes);
        return callsNow > maxCalls
                ? maxCalls + " calls are in flight, the most that this client makes"
                : "the requests in flight would exceed " + maxBytes + " bytes, the most that this client holds";
    }

    /**
     * Counts the end of a call, with any outcome.
     *
     * @param requestBytes the bytes of its request
     */
    public void leave(long requestBytes) {
        calls.decrementAndGet();
        bytes.addAndGet(-requestBytes);
    }
}
