package io.dht4j.core.internal.replica;

import java.util.concurrent.atomic.AtomicLong;

/** The number of bytes of values that still fit into a reply. Safe for use by any number of threads. */
final class ReplyRoom {

    private final AtomicLong left;
    private final long largest;

    ReplyRoom(long bytes, long largest) {
        this.left = new AtomicLong(bytes);
        this.largest = largest;
    }

    /** Reserves space for a value; returns false if it does not fit. */
    boolean take(int bytes) {
        if (bytes > largest) {
            return false;
        }
        if (left.addAndGet(-bytes) >= 0) {
            return true;
        }
        left.addAndGet(bytes);
        return false;
    }
}
