package io.dht4j.transport.grpc;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/** Counts the peers' requests in flight and their bytes. Safe for use by any number of threads. */
final class GrpcTransportAdmission {

    private static final int SMALL_BYTES = 64 << 10;

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
        this.maxFrameBytes = options.maxFrameBytes();
        this.maxInFlight = options.maxInFlight();
        this.maxInFlightBytes = options.maxInFlightBytes();
    }

    /**
     * Counts a request. Returns null if it is admitted, and then {@link #leave} must follow; else returns the reason of
     * the refusal.
     */
    @Nullable
    String enter(int length) {
        if (length < 0 || length > maxFrameBytes) {
            return "a frame may have " + maxFrameBytes + " bytes, not " + length;
        }
        int requests = inFlight.incrementAndGet();
        long bytes = inFlightBytes.addAndGet(length);
        // Draining sets its mark first and then counts; this method counts first and then checks the mark.
        if (!draining && requests <= maxInFlight && bytes <= maxInFlightBytes) {
            return null;
        }
        leave(length);
        if (draining) {
            return "shutting down";
        }
        return requests > maxInFlight
                ? maxInFlight + " requests are under way"
                : maxInFlightBytes + " bytes are under way";
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
