package io.dht4j.transport.grpc.api;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.OverloadedException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Bounds what is in flight, in calls and in bytes of messages, and knows when nothing is. Nothing waits here: what does
 * not fit is refused. Safe for use by any number of threads.
 */
final class GrpcApiAdmission {

    /** However few calls there may be, so many ask for the status at a time. */
    private static final int LEAST_CHEAP_CALLS = 100;

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

    /**
     * Counts a call in that costs next to nothing. Many may be under way all the same, if their requests do not come.
     */
    void enterUncounted(GrpcApiStream stream) {
        if (cheapCalls.incrementAndGet() > maxCheapCalls) {
            cheapCalls.decrementAndGet();
            throw new OverloadedException(
                    maxCheapCalls + " calls that do not count are in flight, the most this node takes");
        }
        try {
            list(stream);
        } catch (DhtException e) {
            cheapCalls.decrementAndGet();
            throw e;
        }
    }

    private void list(GrpcApiStream stream) {
        // Listed before the look at the flag: stop() sets the flag before it looks at the list.
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
        } catch (DhtException e) {
            calls.decrementAndGet();
            throw e;
        }
    }

    /** Counts a call out that was counted in. */
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
     * Takes bytes from the budget, and tells whether there were enough; when nobody holds any there are enough for
     * everything.
     */
    boolean reserve(long count) {
        long before = bytes.getAndAdd(count);
        if (before > 0 && before + count > maxBytes) {
            bytes.addAndGet(-count);
            return false;
        }
        return true;
    }

    /** Gives bytes back. */
    void release(long count) {
        bytes.addAndGet(-count);
    }

    DhtException noRoom() {
        return new OverloadedException(
                "more than " + maxBytes + " bytes of messages would be in flight, the most this node holds");
    }

    /** The calls under way. */
    Iterable<GrpcApiStream> streams() {
        return streams;
    }

    /** For tests: what is counted in. */
    int callsInFlight() {
        return calls.get();
    }

    /** For tests: what is under way and does not count. */
    int cheapCallsInFlight() {
        return cheapCalls.get();
    }

    /** For tests: what is reserved. */
    long bytesInFlight() {
        return bytes.get();
    }

    /** Takes no further calls. The latch opens when none is left. */
    CountDownLatch stop() {
        stopped = true;
        if (streams.isEmpty()) {
            idle.countDown();
        }
        return idle;
    }
}
