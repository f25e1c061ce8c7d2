package io.dht4j.transport.grpc.api;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.OverloadedException;
import io.dht4j.transport.common.RateLimitedLog;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bounds the calls in flight and the bytes of their messages, and reports when none is left. Nothing waits here: calls
 * beyond the bounds are refused. Safe for use by any number of threads.
 */
final class GrpcApiAdmission {

    /** The least bound on concurrent status calls, however low the bound on calls is. */
    private static final int LEAST_CHEAP_CALLS = 100;

    private static final Logger LOG = LoggerFactory.getLogger(GrpcApiAdmission.class);

    /** For failures that any number of calls may meet. */
    private final RateLimitedLog failures = new RateLimitedLog(LOG::warn);

    private final int maxCalls;
    private final long maxBytes;
    private final int maxCheapCalls;
    private final AtomicInteger calls = new AtomicInteger();
    private final AtomicInteger cheapCalls = new AtomicInteger();
    private final AtomicLong bytes = new AtomicLong();
    private final Set<GrpcApiStream> streams = ConcurrentHashMap.newKeySet();
    private final CountDownLatch idle = new CountDownLatch(1);
    private volatile boolean stopped;

    GrpcApiAdmission(int maxCalls, long maxBytes) {
        this.maxCalls = maxCalls;
        this.maxCheapCalls = Math.max(LEAST_CHEAP_CALLS, maxCalls);
        this.maxBytes = maxBytes;
    }

    /** Admits a call that costs next to nothing. Many of them may still be in flight if their requests do not come. */
    void enterUncounted(GrpcApiStream stream) {
        if (cheapCalls.incrementAndGet() > maxCheapCalls) {
            cheapCalls.decrementAndGet();
            throw new OverloadedException(
                    maxCheapCalls + " calls that do not count are in flight, the most this node takes");
        }
        try {
            list(stream);
        } catch (RuntimeException | Error e) {
            cheapCalls.decrementAndGet();
            throw e;
        }
    }

    private void list(GrpcApiStream stream) {
        // Listed before the check of the flag: stop() sets the flag before it reads the list.
        streams.add(stream);
        if (stopped) {
            unlist(stream);
            throw DhtException.of(ErrorCode.NOT_SERVING, "this node's gRPC API is shutting down");
        }
    }

    /**
     * Counts a call in.
     *
     * @throws DhtException if there is no room, or no more calls are taken
     */
    void enter(GrpcApiStream stream) {
        if (calls.incrementAndGet() > maxCalls) {
            calls.decrementAndGet();
            throw new OverloadedException(maxCalls + " calls are in flight, the most this node takes");
        }
        try {
            list(stream);
        } catch (RuntimeException | Error e) {
            calls.decrementAndGet();
            throw e;
        }
    }

    /** Counts out a call that was counted in. */
    void leave(GrpcApiStream stream) {
        calls.decrementAndGet();
        unlist(stream);
    }

    void leaveUncounted(GrpcApiStream stream) {
        cheapCalls.decrementAndGet();
        unlist(stream);
    }

    private void unlist(GrpcApiStream stream) {
        streams.remove(stream);
        if (stopped && streams.isEmpty()) {
            idle.countDown();
        }
    }

    /**
     * Takes bytes from the budget and returns whether there were enough. When nothing is held, any number is granted.
     */
    boolean reserve(long count) {
        long before = bytes.getAndAdd(count);
        if (before > 0 && before + count > maxBytes) {
            bytes.addAndGet(-count);
            return false;
        }
        return true;
    }

    /** Returns bytes to the budget. */
    void release(long count) {
        bytes.addAndGet(-count);
    }

    /** Returns the log for failures that any number of calls may meet. */
    RateLimitedLog failures() {
        return failures;
    }

    DhtException noRoom() {
        return new OverloadedException(
                "more than " + maxBytes + " bytes of messages would be in flight, the most this node holds");
    }

    /** Returns the calls in flight. */
    Iterable<GrpcApiStream> streams() {
        return streams;
    }

    /** Returns, for tests, the number of counted calls. */
    int callsInFlight() {
        return calls.get();
    }

    /** Returns, for tests, the number of uncounted calls in flight. */
    int cheapCallsInFlight() {
        return cheapCalls.get();
    }

    /** Returns, for tests, the number of reserved bytes. */
    long bytesInFlight() {
        return bytes.get();
    }

    /** Stops taking calls. The returned latch opens when none is left. */
    CountDownLatch stop() {
        stopped = true;
        if (streams.isEmpty()) {
            idle.countDown();
        }
        return idle;
    }
}
