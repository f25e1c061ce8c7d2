package io.dht4j.transport.grpc;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Where any thread leaves calls for one that takes them all. Who leaves the first has to see that they are taken. The
 * calls are their own links, so nothing is allocated, and each put is one compare-and-set.
 */
final class GrpcTransportInbox {

    private final AtomicReference<@Nullable GrpcTransportCall> last = new AtomicReference<>();

    /** True if the inbox was empty. */
    boolean put(GrpcTransportCall call) {
        while (true) {
            GrpcTransportCall before = last.get();
            call.next = before;
            if (last.compareAndSet(before, call)) {
                return before == null;
            }
        }
    }

    /** All calls, in the order in which they were put, each linked to the one after it; null if there is none. */
    @Nullable
    GrpcTransportCall takeAll() {
        GrpcTransportCall call = last.get() == null ? null : last.getAndSet(null);
        GrpcTransportCall first = null;
        while (call != null) {
            GrpcTransportCall before = call.next;
            call.next = first;
            first = call;
            call = before;
        }
        return first;
    }
}
