package io.dht4j.core.internal.move;

import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.Node;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.refill.RefillSource;
import io.dht4j.core.internal.repair.RepairException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

/**
 * Copies partitions from one node in one pass over its store, page by page in key order. After each page it rests for
 * as long as the page took, or longer if the rate requires it, so that the node stays available. A pass that fails goes
 * on at the same position. Does not block; used by one attempt at a time.
 */
final class PageCopy {

    private final MoveContext context;
    private final Supplier<Node> node;
    private final PartitionSet partitions;
    private final LongConsumer received;

    private volatile Key position = KeyRange.all().start();
    private volatile boolean done;

    PageCopy(MoveContext context, Supplier<Node> node, PartitionSet partitions, LongConsumer received) {
        this.context = context;
        this.node = node;
        this.partitions = partitions;
        this.received = received;
        this.done = partitions.isEmpty();
    }

    boolean isDone() {
        return done;
    }

    /**
     * Copies the rest.
     *
     * @param some the partitions that are still wanted
     * @return completes when all is in this node's store; or with a {@link RepairException}
     */
    CompletableFuture<Void> run(PartitionSet some) {
        PartitionSet wanted = partitions.intersection(some);
        done |= wanted.isEmpty();
        CompletableFuture<Void> all = new CompletableFuture<>();
        next(wanted, all);
        return all;
    }

    /** Copies the next page and those after it. There is one future for all of them: a store may have many. */
    private void next(PartitionSet wanted, CompletableFuture<Void> all) {
        if (done) {
            all.complete(null);
            return;
        }
        if (context.views().current().moves().settings().paused()) {
            all.completeExceptionally(new RepairException(ErrorCode.NOT_SERVING, "moves are paused"));
            return;
        }
        long began = context.environment().nanoTime();
        page(wanted)
                .thenCompose(bytes -> {
                    long took = context.environment().nanoTime() - began;
                    long pause = Math.max(took, context.pace().restAfter(bytes));
                    return done
                            ? CompletableFuture.<Void>completedFuture(null)
                            : context.throttle().rest(pause);
                })
                .thenRun(() -> next(wanted, all))
                .exceptionally(error -> {
                    all.completeExceptionally(error);
                    return null;
                });
    }

    private CompletableFuture<Long> page(PartitionSet wanted) {
        CompletableFuture<Long> page = new CompletableFuture<>();
        context.pages().fetch(node.get(), wanted, position, new RefillSource.Outcome() {
            @Override
            public void fetched(int entries, long bytes, Optional<Key> resume) {
                received.accept(bytes);
                resume.ifPresentOrElse(next -> position = next, () -> done = true);
                page.complete(bytes);
            }

            @Override
            public void failed(String why) {
                page.completeExceptionally(new RepairException(ErrorCode.NOT_SERVING, why));
            }
        });
        return page;
    }
}
