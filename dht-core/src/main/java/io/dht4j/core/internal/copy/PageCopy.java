package io.dht4j.core.internal.copy;

import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.Node;
import io.dht4j.core.internal.admission.Throttle;
import io.dht4j.core.internal.placement.PartitionSet;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Copies partitions from one node in one pass over its store, page by page in key order. Between two pages it rests for
 * as long as the first one took, or longer if the rate requires it, so that the node stays available. A pass that fails
 * continues at the same position. Does not block; safe for use by any number of threads, but run by one at a time.
 */
public final class PageCopy {

    private final Throttle throttle;
    private final PageSource source;
    private final Supplier<Node> node;
    private final Listener listener;

    private volatile PartitionSet partitions;
    private volatile Key position = KeyRange.all().start();
    private volatile boolean done;

    // Guarded by this.
    private int failures;

    /** Follows the progress. */
    @FunctionalInterface
    public interface Listener {

        /** A page is in this node's store. Called on any thread; quick. */
        void fetched(int entries, long bytes);
    }

    /**
     * Creates a copy that has not begun.
     *
     * @param throttle limits the rate of all its users together
     * @param source fetches pages of the node
     * @param node returns the node, at its current address
     * @param partitions the partitions to copy from it
     * @param listener follows the progress
     */
    public PageCopy(
            Throttle throttle, PageSource source, Supplier<Node> node, PartitionSet partitions, Listener listener) {
        this.throttle = throttle;
        this.source = source;
        this.node = node;
        this.partitions = partitions;
        this.listener = listener;
    }

    /** Returns the node. */
    public Node node() {
        return node.get();
    }

    /** Returns the partitions that are copied. */
    public PartitionSet partitions() {
        return partitions;
    }

    /** Restricts the rest of the copy to these partitions; ends with the current page if none is left. */
    public synchronized void retain(PartitionSet wanted) {
        partitions = partitions.intersection(wanted);
    }

    /** Returns whether the pass is over. */
    public boolean isDone() {
        return done;
    }

    /** Returns the number of failures since the last page. */
    public synchronized int failures() {
        return failures;
    }

    /**
     * Copies the rest.
     *
     * @return completes when all is in this node's store; or with the reason of a failure, one line for people
     */
    public CompletableFuture<Optional<String>> run() {
        CompletableFuture<Optional<String>> all = new CompletableFuture<>();
        next(all);
        return all;
    }

    private synchronized void count(int now) {
        failures = now;
    }

    /** Copies the next page and those after it. There is one future for all of them: a store may have many. */
    private void next(CompletableFuture<Optional<String>> all) {
        if (partitions.isEmpty()) {
            done = true;
        }
        if (done) {
            all.complete(Optional.empty());
            return;
        }
        long began = throttle.nanoTime();
        source.fetch(node.get(), partitions, position, new PageSource.Outcome() {
            @Override
            public void fetched(int entries, long bytes, Optional<Key> resume) {
                count(0);
                listener.fetched(entries, bytes);
                resume.ifPresentOrElse(start -> position = start, () -> done = true);
                if (done) {
                    all.complete(Optional.empty());
                    return;
                }
                long took = throttle.nanoTime() - began;
                throttle.rest(Math.max(took, throttle.restAfter(bytes, began)))
                        .thenRun(() -> next(all))
                        .exceptionally(error -> {
                            all.completeExceptionally(error);
                            return null;
                        });
            }

            @Override
            public void failed(String why) {
                count(failures() + 1);
                all.complete(Optional.of(why));
            }
        });
    }
}
