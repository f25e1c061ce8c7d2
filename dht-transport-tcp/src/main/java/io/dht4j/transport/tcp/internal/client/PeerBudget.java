package io.dht4j.transport.tcp.internal.client;

import io.dht4j.transport.common.options.PeerTransportOptions.Limits;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Counts the unfinished calls to a peer and their bytes. Safe for use by any number of threads. */
final class PeerBudget {

    private final int maxCalls;
    private final long maxBytes;
    private final AtomicInteger calls = new AtomicInteger();
    private final AtomicLong bytes = new AtomicLong();

    PeerBudget(Limits limits) {
        this.maxCalls = limits.maxQueuedPerPeer();
        this.maxBytes = limits.maxQueuedBytesPerPeer();
    }

    /** Counts a call. Returns true if it fits. The call must leave in either case. */
    boolean enter(int size) {
        int callsBefore = calls.getAndIncrement();
        long bytesBefore = bytes.getAndAdd(size);
        // A single frame of any size passes when no other is in flight.
        return callsBefore < maxCalls && (bytesBefore == 0 || bytesBefore + size <= maxBytes);
    }

    void leave(int size) {
        bytes.addAndGet(-size);
        calls.decrementAndGet();
    }

    /** Returns why a call did not fit. */
    String exceeded() {
        return calls.get() + " calls with " + bytes.get() + " bytes are on their way to it already";
    }

    boolean isUnused() {
        return calls.get() == 0;
    }
}
