package io.dht4j.core.internal.snapshot;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Tells when everything that had begun by a moment has ended, while new work goes on to begin: work is counted by
 * generations, and a generation that nobody enters any more runs empty. Without locks but for {@link #flip}; safe for
 * use by any number of threads.
 */
final class WritesInFlight {

    private volatile Generation current = new Generation();
    // Guarded by this.
    private CompletableFuture<Void> earlier = CompletableFuture.completedFuture(null);

    /** What begins now. */
    Generation enter() {
        while (true) {
            Generation generation = current;
            if (generation.tryEnter()) {
                return generation;
            }
        }
    }

    /** Completes when all that entered before has left. */
    CompletableFuture<Void> flip() {
        Generation before;
        CompletableFuture<Void> all;
        synchronized (this) {
            before = current;
            current = new Generation();
            all = earlier.isDone() ? before.empty : CompletableFuture.allOf(earlier, before.empty);
            earlier = all;
        }
        before.leave();
        return all;
    }

    /** What began between two flips. */
    static final class Generation {

        private final CompletableFuture<Void> empty = new CompletableFuture<>();
        /** One more than are under way as long as it is the current one. */
        private final AtomicLong inside = new AtomicLong(1);

        private Generation() {}

        private boolean tryEnter() {
            return inside.getAndUpdate(n -> n == 0 ? 0 : n + 1) != 0;
        }

        /** To be called once for each that entered. */
        void leave() {
            if (inside.decrementAndGet() == 0) {
                empty.complete(null);
            }
        }
    }
}
