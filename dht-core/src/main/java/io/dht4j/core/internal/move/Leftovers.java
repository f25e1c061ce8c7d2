package io.dht4j.core.internal.move;

import io.dht4j.DhtException;
import io.dht4j.core.internal.admission.Throttle;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.repair.tree.LocalReplica;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.view.Views;
import io.dht4j.spi.Environment;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drops the entries of partitions that this node does not replicate: of slots that have moved away, and of partial
 * copies of aborted batches. The hash trees show which partitions have entries. One pass over the store drops all of
 * them; passes run one after the other. Does not block; safe for use by any number of threads.
 */
final class Leftovers {

    private static final Logger LOG = LoggerFactory.getLogger(Leftovers.class);

    /** Gathers the partitions of several batches for one pass. */
    private static final long GATHER_NANOS = Duration.ofSeconds(10).toNanos();

    private static final long RETRY_NANOS = Duration.ofSeconds(30).toNanos();

    private final Environment environment;
    private final Views views;
    private final LocalReplica local;
    private final Throttle throttle;

    // Guarded by this.
    private CompletableFuture<Void> last = CompletableFuture.completedFuture(null);
    private Environment.@Nullable Timer timer;
    private boolean closed;

    Leftovers(Environment environment, Views views, LocalReplica local, Throttle throttle) {
        this.environment = environment;
        this.views = views;
        this.local = local;
        this.throttle = throttle;
    }

    /** Follows a view: entries of other nodes' partitions are dropped soon. */
    void follow(ClusterView view) {
        if (mayDrop(view)) {
            later(GATHER_NANOS);
        }
    }

    /**
     * Returns whether a view determines what this node owns. A dead node keeps its entries, which an operator may want.
     */
    private static boolean mayDrop(ClusterView view) {
        return view.hasRowVersions()
                && view.identity(view.self()) != null
                && !view.moves().dead().contains(view.self());
    }

    private synchronized void later(long nanos) {
        if (!closed && timer == null) {
            timer = environment.schedule(this::dropForeign, nanos);
        }
    }

    private void dropForeign() {
        synchronized (this) {
            timer = null;
        }
        ClusterView view = views.current();
        if (!mayDrop(view)) {
            return;
        }
        PartitionSet foreign = PartitionSet.matching(view.partitions(), partition -> isLeft(view, partition));
        drop(foreign, partition -> isLeft(views.current(), partition)).whenComplete((done, error) -> {
            if (error != null) {
                LOG.debug(
                        "partitions that have moved away are dropped later: {}",
                        DhtException.unwrap(error).getMessage());
                later(RETRY_NANOS);
            }
        });
    }

    /** Returns whether this node is no replica of a partition, and others have all its entries of it. */
    private boolean isLeft(ClusterView view, int partition) {
        return !view.owns(partition) && !views.diverged().contains(partition);
    }

    /**
     * Drops all entries of partitions, after the pass that is running.
     *
     * @param partitions the partitions
     * @param still returns whether a partition may still be dropped; asked for each entry, on any thread
     * @return completes when the removal is durable; or with an exception if the store fails, or its hash trees are not
     *     complete yet
     */
    CompletableFuture<Void> drop(PartitionSet partitions, IntPredicate still) {
        if (partitions.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        CompletableFuture<Void> done = new CompletableFuture<>();
        CompletableFuture<Void> before;
        synchronized (this) {
            before = last;
            last = done;
        }
        before.whenComplete((ended, ignored) -> {
            CompletableFuture<Void> pass;
            try {
                pass = throttle.runOnStore(() -> dropNow(partitions, still));
            } catch (RuntimeException | Error e) {
                pass = CompletableFuture.failedFuture(e);
            }
            pass.whenComplete((result, error) -> {
                if (error == null) {
                    done.complete(null);
                } else {
                    done.completeExceptionally(error);
                }
            });
        });
        return done;
    }

    private void dropNow(PartitionSet partitions, IntPredicate still) {
        PartitionSet some = local.withContent(partitions);
        if (some.isEmpty()) {
            return;
        }
        long count = local.drop(partition -> some.contains(partition) && still.test(partition));
        LOG.info("{} entries of {} partitions that are not of this node were dropped", count, some.cardinality());
    }

    synchronized void close() {
        closed = true;
        if (timer != null) {
            timer.cancel();
        }
    }
}
