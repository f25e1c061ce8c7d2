package io.dht4j.testkit.network;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A part of a transport's running calls: an intrusive doubly linked list, so that adding and removing do not allocate.
 * Safe for use by any number of threads.
 */
final class LoopbackCalls {

    private @Nullable LoopbackCall first;

    synchronized void add(LoopbackCall call) {
        call.list = this;
        call.next = first;
        if (first != null) {
            first.previous = call;
        }
        first = call;
    }

    /** Removes a call, which must be in this list. */
    synchronized void remove(LoopbackCall call) {
        LoopbackCall previous = call.previous;
        LoopbackCall next = call.next;
        if (previous == null) {
            first = next;
        } else {
            previous.next = next;
        }
        if (next != null) {
            next.previous = previous;
        }
        call.previous = null;
        call.next = null;
    }

    synchronized List<LoopbackCall> select(Predicate<LoopbackCall> which) {
        List<LoopbackCall> selected = new ArrayList<>();
        for (LoopbackCall call = first; call != null; call = call.next) {
            if (which.test(call)) {
                selected.add(call);
            }
        }
        return selected;
    }

    synchronized @Nullable LoopbackCall earliest() {
        LoopbackCall earliest = first;
        for (LoopbackCall call = first; call != null; call = call.next) {
            if (earliest == null || call.deadline - earliest.deadline < 0) {
                earliest = call;
            }
        }
        return earliest;
    }
}
