package io.dht4j.core.internal.snapshot;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Detects when all writes that had begun by a moment have ended, while new ones continue to begin. Work is counted by
 * generations; a generation that is no longer current becomes empty. Lock-free except {@link #flip}; safe for use by
 * any number of threads.
 */
final class WritesInFlight {

    private volatile Generation current = new Generation();
    // Guarded by this.
    private CompletableFuture<Void> earlier = CompletableFuture.completedFuture(null);

    /** Enters the current generation. */
    Generation enter() {
        while (true) {
            Generation generation = current;
            if (generation.tryEnter()) {
                return generation;
            }
        }
    }

    /** Begins a new generation; the future completes when all earlier work has left. */
    CompletableFuture<Void> flip() {
        Generation before;
        CompletableFuture<Void> all;
        synchronized (this) {
            before = current;
            current = new Generation();
            all = earlier.isDone() ? before.empty : CompletableFuture.allOf(earlier, before.empty);
            earlier = all;
        }
        before.ended();
        return all;
    }

    /** The work that began between two flips. */
    static final class Generation implements Snapshots.Write {

        private final CompletableFuture<Void> empty = new CompletableFuture<>();
        /** The work in flight, plus one while this generation is current. */
        private final AtomicLong inside = new AtomicLong(1);

        private Generation() {}

        private boolean tryEnter() {
            return inside.getAndUpdate(n -> n == 0 ? 0 : n + 1) != 0;
        }

        /** Leaves the generation; called once for each entry. */
        @Override
        public void ended() {
            if (inside.decrementAndGet() == 0) {
                empty.complete(null);
            }
        }
    }
}
