package io.dht4j.core.internal.coordinator.peer;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Holds requests back while a thread delivers the replies of a frame, so that the requests that follow on the same
 * thread share frames too. It also turns the recursion of a transport that answers at once into a loop.
 */
final class RequestCoalescer {

    /**
     * Whether the requests of a thread are held back, and their batchers. The value that stays in a thread of the
     * application uses classes of the JDK only: one of this library would retain the class loader of a closed
     * application.
     */
    private final ThreadLocal<Map.Entry<AtomicBoolean, Deque<Batcher>>> states =
            ThreadLocal.withInitial(() -> Map.entry(new AtomicBoolean(), new ArrayDeque<>()));

    /**
     * Holds the requests of this thread back from now on. Returns false if they are held back already; otherwise the
     * caller must {@link #end}.
     */
    boolean begin() {
        AtomicBoolean coalescing = states.get().getKey();
        if (coalescing.getPlain()) {
            return false;
        }
        coalescing.setPlain(true);
        return true;
    }

    /**
     * Returns whether the requests of this thread are held back. In that case it drains the batcher when they no longer
     * are.
     */
    boolean holds(Batcher batcher) {
        Map.Entry<AtomicBoolean, Deque<Batcher>> state = states.get();
        if (!state.getKey().getPlain()) {
            return false;
        }
        Deque<Batcher> held = state.getValue();
        if (!held.contains(batcher)) {
            held.add(batcher);
        }
        return true;
    }

    /** Sends the requests that were held back, and those that follow from them. */
    void end() {
        Map.Entry<AtomicBoolean, Deque<Batcher>> state = states.get();
        Deque<Batcher> held = state.getValue();
        try {
            for (Batcher batcher = held.poll(); batcher != null; batcher = held.poll()) {
                batcher.drain();
            }
        } finally {
            state.getKey().setPlain(false);
        }
    }
}
