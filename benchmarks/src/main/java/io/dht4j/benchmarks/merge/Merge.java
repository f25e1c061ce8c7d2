package io.dht4j.benchmarks.merge;

import io.dht4j.spi.Entry;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/** Merges the answers to one read from any threads. */
interface Merge {

    /**
     * Creates a read without answers.
     *
     * @param way {@code array}, {@code compare_and_set}, or {@code nothing}, which does not merge
     * @param answers number of expected answers
     */
    static Merge of(String way, int answers) {
        return switch (way) {
            case "array" -> new ByArray(answers);
            case "compare_and_set" -> new ByCompareAndSet(answers);
            case "nothing" -> answer -> null;
            default -> throw new IllegalArgumentException("no way to merge: " + way);
        };
    }

    /** Takes an answer, and returns the newest of all after the last one. */
    @Nullable
    Entry add(Entry answer);

    /** Stores each answer in an array; the thread with the last one searches for the newest. */
    final class ByArray implements Merge {

        private final AtomicReferenceArray<@Nullable Entry> slots;
        private final AtomicInteger taken = new AtomicInteger();
        private final AtomicInteger came = new AtomicInteger();

        ByArray(int answers) {
            slots = new AtomicReferenceArray<>(answers);
        }

        @Override
        public @Nullable Entry add(Entry answer) {
            slots.set(taken.getAndIncrement(), answer);
            // Counted only now: the thread with the last slot may be faster than another one with an earlier slot.
            return came.incrementAndGet() == slots.length() ? newest() : null;
        }

        private @Nullable Entry newest() {
            Entry newest = null;
            for (int i = 0; i < slots.length(); i++) {
                Entry other = slots.get(i);
                if (other != null && (newest == null || other.supersedes(newest))) {
                    newest = other;
                }
            }
            return newest;
        }
    }

    /** Replaces the newest answer so far by compare-and-set. */
    final class ByCompareAndSet implements Merge {

        private final int answers;
        private final AtomicReference<@Nullable Entry> newest = new AtomicReference<>();
        private final AtomicInteger came = new AtomicInteger();

        ByCompareAndSet(int answers) {
            this.answers = answers;
        }

        @Override
        public @Nullable Entry add(Entry answer) {
            Entry seen = newest.get();
            while ((seen == null || answer.supersedes(seen)) && !newest.compareAndSet(seen, answer)) {
                seen = newest.get();
            }
            return came.incrementAndGet() == answers ? newest.get() : null;
        }
    }
}
