package io.dht4j.transport.common;

import io.dht4j.transport.common.options.PeerTransportOptions.Limits;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the frames of peers, the requests in flight and their bytes. Does not block; safe for use by any number of
 * threads.
 */
public final class PeerAdmission {

    /** So many bytes always pass: they are not worth a refusal. */
    private static final int SMALL_BYTES = 64 << 10;

    private final int maxFrameBytes;
    private final int maxInFlight;
    private final long maxInFlightBytes;
    /** Allocated once instead of for each request. */
    private final LongPredicate replyRoom = this::hasRoomFor;

    private final AtomicInteger inFlight = new AtomicInteger();
    private final AtomicLong inFlightBytes = new AtomicLong();
    private final CompletableFuture<Void> drained = new CompletableFuture<>();
    private volatile boolean draining;

    /**
     * Creates an admission without requests.
     *
     * @param limits the numbers of requests and of bytes
     */
    public PeerAdmission(Limits limits) {
        this.maxFrameBytes = limits.maxFrameBytes();
        this.maxInFlight = limits.maxInFlight();
        this.maxInFlightBytes = limits.maxInFlightBytes();
    }

    /**
     * Counts a request in.
     *
     * @param bytes the length of its frame
     * @return null if it is admitted, and then {@link #leave} must follow; else the reason of the refusal
     */
    public @Nullable String enter(int bytes) {
        if (bytes < 0 || bytes > maxFrameBytes) {
            return "a frame may have " + maxFrameBytes + " bytes, not " + bytes;
        }
        int requests = inFlight.incrementAndGet();
        long held = inFlightBytes.addAndGet(bytes);
        // Draining sets its mark first and then counts; this method counts first and then checks the mark.
        if (!draining && requests <= maxInFlight && held <= maxInFlightBytes) {
            return null;
        }
        leave(bytes);
        if (draining) {
            return "shutting down";
        }
        return requests > maxInFlight
                ? maxInFlight + " requests are under way"
                : maxInFlightBytes + " bytes are under way";
    }

    /**
     * Adds the bytes of a reply to the count until its request leaves.
     *
     * @param bytes the length of the reply
     */
    public void grow(int bytes) {
        inFlightBytes.addAndGet(bytes);
    }

    /**
     * Counts the end of a request, with any outcome.
     *
     * @param bytes all bytes that were counted for it
     */
    public void leave(long bytes) {
        inFlightBytes.addAndGet(-bytes);
        if (inFlight.decrementAndGet() == 0 && draining) {
            drained.complete(null);
        }
    }

    /**
     * Returns the bound on replies that callers have not read, which are bounded like requests. A reply of any size
     * passes when almost no other bytes are held.
     *
     * @return returns whether a reply of a number of bytes fits
     */
    public LongPredicate replyRoom() {
        return replyRoom;
    }

    private boolean hasRoomFor(long replyBytes) {
        long held = inFlightBytes.get();
        return replyBytes <= SMALL_BYTES || held <= SMALL_BYTES || held + replyBytes <= maxInFlightBytes;
    }

    /**
     * Refuses further requests.
     *
     * @return completes when the last request in flight has left
     */
    public CompletableFuture<Void> drain() {
        draining = true;
        if (inFlight.get() == 0) {
            drained.complete(null);
        }
        return drained;
    }

    /**
     * Returns the size of the largest frame.
     *
     * @return bytes
     */
    public int maxFrameBytes() {
        return maxFrameBytes;
    }

    /**
     * Returns whether further requests are refused.
     *
     * @return true once draining
     */
    public boolean isDraining() {
        return draining;
    }

    /**
     * Returns the number of requests in flight.
     *
     * @return an answer that may be outdated at once
     */
    public int inFlight() {
        return inFlight.get();
    }

    /**
     * Returns the number of bytes that are held for them.
     *
     * @return an answer that may be outdated at once
     */
    public long inFlightBytes() {
        return inFlightBytes.get();
    }
}
