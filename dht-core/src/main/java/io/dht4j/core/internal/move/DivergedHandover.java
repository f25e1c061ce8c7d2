package io.dht4j.core.internal.move;

import static java.util.Objects.requireNonNull;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Node;
import io.dht4j.core.internal.admission.Backoff;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.repair.RepairException;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.view.DivergedPartitions;
import io.dht4j.spi.Environment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends this node's entries of partitions in which it {@linkplain DivergedPartitions has diverged} and no longer holds
 * a complete slot: other replicas may lack them. They go to all replicas of the current row, heirs included, so that
 * they stay with the one that keeps the slot. Then the mark is removed, and {@link Leftovers} drops the entries here.
 * Partitions with a slot at this node are repaired by the sessions of rolled-back disks.
 *
 * <p>An attempt that fails is repeated after a pause. Does not block; safe for use by any number of threads.
 */
final class DivergedHandover {

    private static final Logger LOG = LoggerFactory.getLogger(DivergedHandover.class);

    /** The number of failures, within about ten seconds, after which a warning is logged. */
    private static final int FAILURES_OF_WARNING = 6;

    private static final Backoff BACKOFF = Backoff.doubling(Duration.ofMillis(200), Duration.ofSeconds(30));

    private final MoveContext context;
    private final DivergedPartitions diverged;

    // Guarded by this.
    private int failures;
    private boolean running;
    private boolean closed;
    private Environment.@Nullable Timer timer;

    DivergedHandover(MoveContext context) {
        this.context = context;
        this.diverged = context.views().diverged();
    }

    /** Begins if the current view requires a handover; at most one attempt runs at a time. */
    void follow() {
        if (!foreign(context.views().current()).isEmpty()) {
            later(0);
        }
    }

    /** Returns the marked partitions without a complete slot at this node. */
    private PartitionSet foreign(ClusterView view) {
        return diverged.all()
                .filter(partition -> !diverged.isPending(partition, view))
                .filter(partition -> view.complete(partition).stream()
                        .noneMatch(node -> node.id().equals(view.self())));
    }

    private synchronized void later(long nanos) {
        if (!closed && !running) {
            if (timer != null) {
                timer.cancel();
            }
            timer = context.environment().schedule(this::attempt, nanos);
        }
    }

    private void attempt() {
        ClusterView view = context.views().current();
        synchronized (this) {
            if (closed || running) {
                return;
            }
            running = true;
        }
        CompletableFuture<Void> done;
        try {
            done = run(view);
        } catch (RuntimeException | Error e) {
            done = CompletableFuture.failedFuture(e);
        }
        done.whenComplete((ended, error) -> ended(error));
    }

    private void ended(@Nullable Throwable error) {
        long pause;
        boolean warns;
        synchronized (this) {
            running = false;
            pause = BACKOFF.nanos(failures);
            failures = error == null ? 0 : failures + 1;
            warns = failures == FAILURES_OF_WARNING;
        }
        PartitionSet left = foreign(context.views().current());
        if (warns) {
            LOG.warn(
                    "other replicas may lack what this node has of {} partitions, which it keeps until they have it:"
                            + " {}",
                    left.cardinality(),
                    String.valueOf(DhtException.unwrap(requireNonNull(error)).getMessage()));
        }
        if (left.isEmpty()) {
            context.leftovers().follow(context.views().current());
        } else {
            later(pause);
        }
    }

    private CompletableFuture<Void> run(ClusterView view) {
        PartitionSet foreign = foreign(view);
        return context.throttle()
                .onStore(() -> {
                    PartitionSet held = context.local().withContent(foreign);
                    remove(view, foreign.minus(held));
                    return held;
                })
                .thenCompose(held -> {
                    Map<Node, PartitionSet> replicas = replicas(view, held);
                    List<PartitionSet> refused = new ArrayList<>();
                    refused.add(orphaned(held, replicas.values()));
                    return send(view, List.copyOf(replicas.entrySet()), 0, refused)
                            .thenCompose(failure -> context.throttle().runOnStore(() -> {
                                PartitionSet done = held;
                                for (PartitionSet each : refused) {
                                    done = done.minus(each);
                                }
                                remove(view, done);
                                if (failure != null) {
                                    throw failure;
                                }
                                if (!done.equals(held)) {
                                    throw new RepairException(
                                            ErrorCode.INTERNAL,
                                            "replicas refuse entries of "
                                                    + held.minus(done).cardinality() + " partitions, or are dead");
                                }
                            }));
                });
    }

    private void remove(ClusterView view, PartitionSet partitions) {
        PartitionSet removed = context.local().rollbacks().handedOver(view, partitions);
        if (!removed.isEmpty()) {
            LOG.info(
                    "{}: the replicas of {} partitions have what this node has of them",
                    context.self(),
                    removed.cardinality());
        }
    }

    /** Returns the nodes that receive the writes of some partitions, each with its partitions. */
    private static Map<Node, PartitionSet> replicas(ClusterView view, PartitionSet some) {
        Map<Node, PartitionSet.Builder> found = new LinkedHashMap<>();
        some.forEach(partition -> {
            for (Node node : view.replicas(partition, view.width(partition))) {
                if (!node.id().equals(view.self()) && !view.moves().dead().contains(node.id())) {
                    found.computeIfAbsent(node, other -> PartitionSet.builder()).add(partition);
                }
            }
        });
        Map<Node, PartitionSet> built = new LinkedHashMap<>();
        found.forEach((node, builder) -> built.put(node, builder.build()));
        return built;
    }

    /** Returns the partitions without a live replica: they wait until an heir takes over a slot of a dead member. */
    private static PartitionSet orphaned(PartitionSet held, Collection<PartitionSet> received) {
        PartitionSet orphaned = held;
        for (PartitionSet each : received) {
            orphaned = orphaned.minus(each);
        }
        return orphaned;
    }

    /**
     * Sends to one node after the other. A failure does not affect the other nodes.
     *
     * @return completes with the last failure, if there is one
     */
    private CompletableFuture<@Nullable RuntimeException> send(
            ClusterView view, List<Map.Entry<Node, PartitionSet>> replicas, int index, List<PartitionSet> refused) {
        if (index == replicas.size()) {
            return CompletableFuture.completedFuture(null);
        }
        Map.Entry<Node, PartitionSet> next = replicas.get(index);
        return context.comparison()
                .send(view, next.getKey(), next.getValue())
                .handle((unreconciled, error) -> {
                    refused.add(error == null ? unreconciled : next.getValue());
                    RuntimeException failure = error == null
                            ? null
                            : DhtException.unwrap(error) instanceof RuntimeException known
                                    ? known
                                    : new IllegalStateException(error);
                    return send(view, replicas, index + 1, refused).thenApply(later -> later == null ? failure : later);
                })
                .thenCompose(rest -> rest);
    }

    synchronized void close() {
        closed = true;
        if (timer != null) {
            timer.cancel();
        }
    }
}
