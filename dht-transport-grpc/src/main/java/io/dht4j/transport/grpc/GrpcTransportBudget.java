package io.dht4j.transport.grpc;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Counts the calls to a peer that have not ended, and their bytes. Safe for use by any number of threads. */
final class GrpcTransportBudget {

    private final int maxCalls;
    private final long maxBytes;
    private final AtomicInteger calls = new AtomicInteger();
    private final AtomicLong bytes = new AtomicLong();

    GrpcTransportBudget(GrpcTransportOptions options) {
        this.maxCalls = options.maxQueuedPerPeer();
        this.maxBytes = options.maxQueuedBytesPerPeer();
    }

    /** Counts a call. It has to leave, whatever this says: true if it fits in. */
    boolean enter(int size) {
        int callsBefore = calls.getAndIncrement();
        long bytesBefore = bytes.getAndAdd(size);
        // A single frame passes whatever its size when no other is under way.
        return callsBefore < maxCalls && (bytesBefore == 0 || bytesBefore + size <= maxBytes);
    }

    void leave(int size) {
        bytes.addAndGet(-size);
        calls.decrementAndGet();
    }

    /** Says why a call did not fit in. */
    String exceeded() {
        return calls.get() + " calls with " + bytes.get() + " bytes are on their way to it already";
    }

    boolean isUnused() {
        return calls.get() == 0;
    }
}
