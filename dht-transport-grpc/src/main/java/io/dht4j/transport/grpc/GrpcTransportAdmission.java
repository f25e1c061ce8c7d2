package io.dht4j.transport.grpc;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/** Counts the requests of peers that are under way, and their bytes. Safe for use by any number of threads. */
final class GrpcTransportAdmission {

    private static final int SMALL_BYTES = 64 << 10;

    private final int maxFrameBytes;
    private final int maxInFlight;
    private final long maxInFlightBytes;
    /** {@link #hasRoomFor}, made once and not for each request. */
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

    /** Counts a request; null if it is let in, and then it has to leave. Else why it is not. */
    @Nullable
    String enter(int length) {
        if (length < 0 || length > maxFrameBytes) {
            return "a frame may have " + maxFrameBytes + " bytes, not " + length;
        }
        int requests = inFlight.incrementAndGet();
        long bytes = inFlightBytes.addAndGet(length);
        // Draining marks first and counts then; this counts first and looks for the mark then.
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
     * Replies that callers do not take are bounded as requests are. One passes whatever its size when hardly anything
     * else is held.
     */
    private boolean hasRoomFor(long replyBytes) {
        long held = inFlightBytes.get();
        return replyBytes <= SMALL_BYTES || held <= SMALL_BYTES || held + replyBytes <= maxInFlightBytes;
    }

    /** Counts the bytes of a reply too, until its request leaves. */
    void grow(int bytes) {
        inFlightBytes.addAndGet(bytes);
    }

    /** A request is over, whatever became of it. */
    void leave(long bytes) {
        inFlightBytes.addAndGet(-bytes);
        if (inFlight.decrementAndGet() == 0 && draining) {
            drained.countDown();
        }
    }

    /**
     * Lets nothing in from now on, and blocks until all are over; false if they are not by a moment of
     * {@link System#nanoTime}.
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
