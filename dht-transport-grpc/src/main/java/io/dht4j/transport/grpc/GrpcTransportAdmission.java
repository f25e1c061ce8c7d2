package io.dht4j.transport.grpc;

import io.dht4j.transport.common.RateLimitedLog;
import io.grpc.Status;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts the peers' requests in flight and their bytes. Safe for use by any number of threads. */
final class GrpcTransportAdmission {

    /** The code of a refusal for lack of room. */
    static final Status.Code NO_ROOM = Status.Code.RESOURCE_EXHAUSTED;

    private static final int SMALL_BYTES = 64 << 10;

    private static final Logger LOG = LoggerFactory.getLogger(GrpcTransportAdmission.class);

    /** For failures that any number of requests may meet. */
    final RateLimitedLog failures = new RateLimitedLog(LOG::warn);

    private final int maxFrameBytes;
    private final int maxInFlight;
    private final long maxInFlightBytes;
    /** {@link #hasRoomFor}, allocated once instead of for each request. */
    final LongPredicate replyRoom = this::hasRoomFor;

    private final AtomicInteger inFlight = new AtomicInteger();
    private final AtomicLong inFlightBytes = new AtomicLong();
    private final CountDownLatch drained = new CountDownLatch(1);
    private volatile boolean draining;

    GrpcTransportAdmission(GrpcTransportOptions options) {
        this.maxFrameBytes = options.limits().maxFrameBytes();
        this.maxInFlight = options.limits().maxInFlight();
        this.maxInFlightBytes = options.limits().maxInFlightBytes();
    }

    /**
     * Counts a request. Returns null if it is admitted, and then {@link #leave} must follow; else returns the reason of
     * the refusal, with {@link #NO_ROOM its code} if there may be room later.
     */
    @Nullable
    Status enter(int length) {
        if (length < 0 || length > maxFrameBytes) {
            return Status.INVALID_ARGUMENT.withDescription(
                    "a frame may have " + maxFrameBytes + " bytes, not " + length);
        }
        int requests = inFlight.incrementAndGet();
        long bytes = inFlightBytes.addAndGet(length);
        // Draining sets its mark first and then counts; this method counts first and then checks the mark.
        if (!draining && requests <= maxInFlight && bytes <= maxInFlightBytes) {
            return null;
        }
        leave(length);
        if (draining) {
            return Status.UNAVAILABLE.withDescription("shutting down");
        }
        return NO_ROOM.toStatus()
                .withDescription(
                        requests > maxInFlight
                                ? maxInFlight + " requests are under way"
                                : maxInFlightBytes + " bytes are under way");
    }

    /**
     * Bounds replies that callers do not take, as requests are bounded. A reply of any size passes when hardly anything
     * else is held.
     */
    private boolean hasRoomFor(long replyBytes) {
        long held = inFlightBytes.get();
        return replyBytes <= SMALL_BYTES || held <= SMALL_BYTES || held + replyBytes <= maxInFlightBytes;
    }

    /** Adds the bytes of a reply to the count until its request leaves. */
    void grow(int bytes) {
        inFlightBytes.addAndGet(bytes);
    }

    /** Counts the end of a request, whatever its outcome. */
    void leave(long bytes) {
        inFlightBytes.addAndGet(-bytes);
        if (inFlight.decrementAndGet() == 0 && draining) {
            drained.countDown();
        }
    }

    /**
     * Refuses all further requests, and blocks until those in flight have ended. Returns false if they have not by
     * {@code end}, a moment of {@link System#nanoTime}.
     */
    boolean drain(long end) {
        draining = true;
        if (inFlight.get() == 0) {
            drained.countDown();
        }
        return GrpcTransportAwait.untilEnd(end, drained::await);
    }

    /** Logs that a handler failed. Lack of memory may meet every request, and where it does tells nothing. */
    void logFailed(String caller, Throwable cause) {
        if (cause instanceof OutOfMemoryError) {
            failures.log(() -> "no memory to answer a frame from " + caller);
        } else {
            LOG.warn("answering a frame from {} failed", caller, cause);
        }
    }

    /** Logs a request for whose frame there is no memory, and returns the reason of the refusal. */
    Status noMemory(String caller) {
        failures.log(() -> "no memory for a frame from " + caller);
        return NO_ROOM.toStatus().withDescription("no memory for the frame");
    }

    int inFlight() {
        return inFlight.get();
    }

    long inFlightBytes() {
        return inFlightBytes.get();
    }

    int maxFrameBytes() {
        return maxFrameBytes;
    }
}
