package io.dht4j.core.internal.coordinator.peer;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Holds requests back while a thread delivers the replies of a frame, so that the requests that these lead to on the
 * same thread share frames too. It also turns the recursion of a transport that answers at once into a loop.
 */
final class Cork {

    /**
     * Whether a thread is corked, and the batchers that it then holds back. What stays in a thread of the application
     * has classes of the JDK only: one of this library would keep the class loader of a closed application.
     */
    private final ThreadLocal<Map.Entry<AtomicBoolean, Deque<Batcher>>> states =
            ThreadLocal.withInitial(() -> Map.entry(new AtomicBoolean(), new ArrayDeque<>()));

    /** Corks this thread. Returns false if it is corked already; otherwise the caller must {@link #pull}. */
    boolean put() {
        AtomicBoolean corked = states.get().getKey();
        if (corked.getPlain()) {
            return false;
        }
        corked.setPlain(true);
        return true;
    }

    /** Returns whether this thread is corked. Then it drains the batcher when it no longer is. */
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

    /** Sends the requests that were held back, and those that they lead to. */
    void pull() {
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
