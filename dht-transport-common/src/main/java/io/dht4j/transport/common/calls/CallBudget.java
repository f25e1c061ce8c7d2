package io.dht4j.transport.common.calls;

import io.dht4j.transport.common.options.PeerTransportOptions.Limits;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Counts the calls to a peer and the bytes of the unfinished ones. Safe for use by any number of threads. */
public final class CallBudget {

    private final ConnectionCount connections = new ConnectionCount();
    private final int maxCalls;
    private final long maxBytes;
    private final boolean countsSent;
    private final AtomicInteger calls = new AtomicInteger();
    private final AtomicLong bytes = new AtomicLong();

    /**
     * Creates an unused budget of all unfinished calls.
     *
     * @param limits its bounds
     */
    public CallBudget(Limits limits) {
        this(limits, true);
    }

    /**
     * Creates a budget whose limit on the number of calls counts only those that wait for a connection.
     *
     * @param limits its bounds
     * @return a new unused budget
     */
    public static CallBudget ofWaiting(Limits limits) {
        return new CallBudget(limits, false);
    }

    private CallBudget(Limits limits, boolean countsSent) {
        this.countsSent = countsSent;
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

    /** Notes that a call is sent. */
    void sent() {
        if (!countsSent) {
            calls.decrementAndGet();
        }
    }

    /** Notes that a call waits again which was marked as sent. */
    void waitsAgain() {
        if (!countsSent) {
            calls.incrementAndGet();
        }
    }

    /**
     * Counts the end of a call.
     *
     * @param size the length of its frame in bytes
     * @param wasSent whether it was sent
     */
    void leave(int size, boolean wasSent) {
        bytes.addAndGet(-size);
        if (countsSent || !wasSent) {
            calls.decrementAndGet();
        }
    }

    /**
     * Returns why a call did not fit.
     *
     * @param size the length of its frame in bytes
     * @return the counts, for an error's text
     */
    String exceeded(int size) {
        if (countsSent) {
            return calls.get() + " calls with " + bytes.get() + " bytes are on their way to it already";
        }
        return calls.get() > maxCalls
                ? maxCalls + " calls wait for a connection to it already"
                : bytes.get() - size + " bytes are on their way to it already";
    }

    /**
     * Returns whether all calls have ended.
     *
     * @return true if no call is counted, and no byte
     */
    public boolean isUnused() {
        return calls.get() == 0 && bytes.get() == 0;
    }
}
