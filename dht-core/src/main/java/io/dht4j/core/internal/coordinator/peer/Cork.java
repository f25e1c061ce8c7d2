package io.dht4j.core.internal.coordinator.peer;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Holds requests back while a thread delivers the replies of a frame, so that the requests that these lead to on the
 * same thread share frames too. It also turns the recursion of a transport that answers at once into a loop.
 */
final class Cork {

    private final ThreadLocal<State> states = ThreadLocal.withInitial(State::new);

    /** The state of one thread. */
    private static final class State {
        private boolean corked;
        private final Deque<Batcher> held = new ArrayDeque<>();
    }

    /** Corks this thread. Returns false if it is corked already; otherwise the caller must {@link #pull}. */
    boolean put() {
        State state = states.get();
        if (state.corked) {
            return false;
        }
        state.corked = true;
        return true;
    }

    /** Returns whether this thread is corked. Then it drains the batcher when it no longer is. */
    boolean holds(Batcher batcher) {
        State state = states.get();
        if (!state.corked) {
            return false;
        }
        if (!state.held.contains(batcher)) {
            state.held.add(batcher);
        }
        return true;
    }

    /** Sends the requests that were held back, and those that they lead to. */
    void pull() {
        State state = states.get();
        try {
            for (Batcher batcher = state.held.poll(); batcher != null; batcher = state.held.poll()) {
                batcher.drain();
            }
        } finally {
            state.corked = false;
        }
    }
}
