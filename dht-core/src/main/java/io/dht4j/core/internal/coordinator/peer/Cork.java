package io.dht4j.core.internal.coordinator.peer;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Holds back, while a thread hands out the replies of a frame, the requests that these lead to on the same thread, so
 * that they go together too. It also turns the recursion of a transport that answers at once into a loop.
 */
final class Cork {

    private final ThreadLocal<State> states = ThreadLocal.withInitial(State::new);

    /** A thread's own. */
    private static final class State {
        private boolean corked;
        private final Deque<Batcher> held = new ArrayDeque<>();
    }

    /** Corks this thread; false if it is corked already. Who gets true must {@link #pull}. */
    boolean put() {
        State state = states.get();
        if (state.corked) {
            return false;
        }
        state.corked = true;
        return true;
    }

    /** Whether this thread is corked, and will drain the batcher when it no longer is. */
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

    /** Sends what was held back, and what that leads to. */
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
