package io.dht4j.store.mvstore.internal.merge;

import io.dht4j.spi.StoreException;
import io.dht4j.store.mvstore.internal.disk.OutOfMemoryRetry;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * Holds the tasks that callers wait for: a merge of the segments up to one, and purges. A task is removed only after it
 * was completed or became a purge, because an {@link Error} may occur in between. Safe for use by any number of
 * threads.
 */
final class MergeTasks {

    private final Queue<PendingTask> pending = new ConcurrentLinkedQueue<>();

    /** The purges whose segments are merged; the first one may have begun. */
    private final Queue<PurgeTask> purges = new ConcurrentLinkedQueue<>();

    private volatile boolean purgesEnded;

    /** A task that waits until the segments up to one are in the map. */
    private record PendingTask(long upToSegment, Optional<PurgeTask> purge, CompletableFuture<Long> result) {}

    /** Adds a task that completes when the segments up to one are in the map. */
    CompletableFuture<Long> addMerge(long upToSegment) {
        CompletableFuture<Long> result = new CompletableFuture<>();
        pending.add(new PendingTask(upToSegment, Optional.empty(), result));
        return result;
    }

    /** Adds a purge that begins when the segments up to one are in the map. */
    CompletableFuture<Long> addPurge(long upToSegment, PurgeTask purge) {
        pending.add(new PendingTask(upToSegment, Optional.of(purge), purge.result));
        return purge.result;
    }

    /** Returns whether no task waits for a merge. */
    boolean isMerged() {
        return pending.isEmpty();
    }

    /** Returns whether there is no task. */
    boolean isEmpty() {
        return pending.isEmpty() && purges.isEmpty();
    }

    /** Returns the purge that may begin or continue, or null. */
    @Nullable
    PurgeTask purge() {
        return purges.peek();
    }

    /** Removes a purge that is complete. */
    void remove(PurgeTask purge) {
        purges.remove(purge);
    }

    /** Completes the merges, and starts the purges, that wait for segments before one. For the merging thread. */
    void mergedBefore(long segment) {
        @Nullable PendingTask task;
        while ((task = pending.peek()) != null && segment > task.upToSegment()) {
            @Nullable PurgeTask purge = task.purge().orElse(null);
            if (purge == null) {
                task.result().complete(0L);
                pending.remove(task);
                continue;
            }
            purges.add(purge);
            if (!pending.remove(task)) {
                // The store is closing.
                purges.remove(purge);
            }
        }
    }

    /** Ends purges where they are: the store is closing. */
    void endPurges() {
        purgesEnded = true;
        StoreException closing = new StoreException("the store is closing; the next purge goes on");
        pending.removeIf(task -> task.purge().isPresent() && task.result().completeExceptionally(closing));
        purges.removeIf(purge -> purge.result.completeExceptionally(closing));
    }

    boolean arePurgesEnded() {
        return purgesEnded;
    }

    /** Fails all tasks, because the merging thread does not execute them. */
    void failAll() {
        @Nullable PendingTask task;
        while ((task = pending.peek()) != null) {
            task.result().completeExceptionally(new StoreException("the merging thread has ended"));
            pending.remove(task);
        }
        @Nullable PurgeTask purge;
        while ((purge = purges.peek()) != null) {
            purge.result.completeExceptionally(new StoreException("the merging thread has ended"));
            purges.remove(purge);
        }
    }

    /** Fails all tasks, and repeats that while there is no memory for it. */
    void failAllWithRetry() {
        boolean isDone = false;
        while (!isDone) {
            isDone = OutOfMemoryRetry.run(this::failAll);
        }
    }
}
