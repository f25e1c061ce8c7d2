package io.dht4j.transport.http.internal.peer;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Bounds the calls to one peer: the number that waits for a connection, and the bytes of all that have not ended. Safe
 * for use by any number of threads.
 */
public final class PeerCallLimits {

    private final int maxWaiting;
    private final long maxBytes;
    private final AtomicInteger waiting = new AtomicInteger();
    /** The bytes of the frames of unfinished calls, waiting and sent. */
    private final AtomicLong bytes = new AtomicLong();

    /** Creates bounds. A single frame of any size passes when no other is in flight. */
    public PeerCallLimits(int maxWaiting, long maxBytes) {
        this.maxWaiting = maxWaiting;
        this.maxBytes = maxBytes;
    }

    /**
     * Counts a call as waiting, or ends it for want of room. Its bytes count until it ends.
     *
     * @return whether it waits
     */
    public boolean admit(PeerCall call) {
        long size = call.request().length();
        long before = call.charge(bytes);
        if (before > 0 && before + size > maxBytes) {
            call.noRoom(before + " bytes are on their way to it already");
            return false;
        }
        if (waiting.incrementAndGet() > maxWaiting) {
            waiting.decrementAndGet();
            call.noRoom(maxWaiting + " calls wait for a connection to it already");
            return false;
        }
        return true;
    }

    /** Counts a call as waiting that was taken from the queue and comes back. */
    public void waitsAgain() {
        waiting.incrementAndGet();
    }

    /** Notes that a call waits no longer. */
    public void waitsNoMore() {
        waiting.decrementAndGet();
    }

    /** Returns how many calls wait. */
    public int waiting() {
        return waiting.get();
    }
}
