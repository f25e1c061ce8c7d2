package io.dht4j.transport.common.calls;

import io.dht4j.transport.common.options.PeerTransportOptions.Limits;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Counts the unfinished calls to a peer and their bytes. Safe for use by any number of threads. */
public final class CallBudget {

    private final ConnectionCount connections = new ConnectionCount();
    private final int maxCalls;
    private final long maxBytes;
    private final AtomicInteger calls = new AtomicInteger();
    private final AtomicLong bytes = new AtomicLong();

    /**
     * Creates a budget that nothing uses.
     *
     * @param limits its bounds
     */
    public CallBudget(Limits limits) {
        this.maxCalls = limits.maxQueuedPerPeer();
        this.maxBytes = limits.maxQueuedBytesPerPeer();
    }

    /**
     * Returns the count of the connections that carry the calls.
     *
     * @return the same object each time
     */
    public ConnectionCount connections() {
        return connections;
    }

    /**
     * Counts a call. The call {@linkplain #leave leaves} in either case.
     *
     * @param size the length of its frame in bytes
     * @return whether it fits; a single frame of any size does when no other is in flight
     */
    public boolean enter(int size) {
        int callsBefore = calls.getAndIncrement();
        long bytesBefore = bytes.getAndAdd(size);
        return callsBefore < maxCalls && (bytesBefore == 0 || bytesBefore + size <= maxBytes);
    }

    /**
     * Counts the end of a call.
     *
     * @param size the length of its frame in bytes
     */
    public void leave(int size) {
        bytes.addAndGet(-size);
        calls.decrementAndGet();
    }

    /**
     * Returns why a call did not fit.
     *
     * @return the counts, for an error's text
     */
    public String exceeded() {
        return calls.get() + " calls with " + bytes.get() + " bytes are on their way to it already";
    }

    /**
     * Returns whether all calls have ended.
     *
     * @return true if no call is counted
     */
    public boolean isUnused() {
        return calls.get() == 0;
    }
}
