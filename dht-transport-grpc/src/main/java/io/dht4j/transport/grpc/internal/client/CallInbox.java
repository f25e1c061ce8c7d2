package io.dht4j.transport.grpc.internal.client;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A queue in which any thread leaves calls for a single consumer, which takes them all. The thread that puts the first
 * call must wake the consumer. The calls are their own links, so nothing is allocated, and each put is one
 * compare-and-set.
 */
final class CallInbox {

    private final AtomicReference<@Nullable PeerCall> last = new AtomicReference<>();

    /** Adds a call. Returns true if the inbox was empty. */
    boolean put(PeerCall call) {
        while (true) {
            PeerCall before = last.get();
            call.next = before;
            if (last.compareAndSet(before, call)) {
                return before == null;
            }
        }
    }

    /**
     * Removes all calls and returns them in the order in which they were put, each linked to the next; null if there is
     * none.
     */
    @Nullable
    PeerCall takeAll() {
        PeerCall call = last.get() == null ? null : last.getAndSet(null);
        PeerCall first = null;
        while (call != null) {
            PeerCall before = call.next;
            call.next = first;
            first = call;
            call = before;
        }
        return first;
    }
}
