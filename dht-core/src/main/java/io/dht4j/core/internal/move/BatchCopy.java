package io.dht4j.core.internal.move;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.Version;
import io.dht4j.core.internal.admission.Backoff;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.recording.FlightRecording;
import io.dht4j.core.internal.repair.RepairException;
import io.dht4j.core.internal.repair.purge.PurgeWatermarks;
import io.dht4j.core.internal.view.BatchProgress;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.view.Phase;
import io.dht4j.core.internal.view.ReplicaSlot;
import io.dht4j.spi.Environment;
import io.dht4j.spi.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies one batch in one phase, at the heir.
 *
 * <ol>
 *   <li><em>Drop</em> the entries that earlier moves have left in the partitions.
 *   <li><em>Open</em> them to writes, once this node refuses a source's old entries.
 *   <li><em>Copy</em> all pages from each source: the owner, or during {@link Phase#FILL} all other readable slots.
 *   <li><em>Compare</em> with each source until nothing older than the copy differs.
 *   <li><em>Adopt</em> the watermarks of the sources, durably, and report the partitions as complete.
 * </ol>
 *
 * <p>An attempt that fails is repeated after a pause, and skips the completed steps. The batch ends when its view does.
 * Does not block; safe for use by any number of threads.
 */
final class BatchCopy {

    private static final Logger LOG = LoggerFactory.getLogger(BatchCopy.class);

    private static final Backoff BACKOFF = Backoff.doubling(Duration.ofMillis(200), Duration.ofSeconds(10));

    /** From this number of replicas on, a further one is copied from all of them. */
    private static final int COPIED_FROM_ALL = 3;

    private final MoveContext context;
    private final long id;
    /** The partitions, with the row versions of their copies. */
    private final Map<Integer, Long> rowVersions = new HashMap<>();

    private final PartitionSet partitions;
    /** The owner of each partition whose slot is a pair: this node refuses exactly the same old entries. */
    private final Map<Integer, NodeId> owners = new HashMap<>();

    private final Supplier<Set<Long>> underWay;
    private final List<Source> sources = new ArrayList<>();
    private final AtomicLong bytes = new AtomicLong();
    private final long begunNanos;

    // Guarded by this.
    private int failures;
    private boolean closed;
    private Optional<String> waitsFor = Optional.empty();
    private Environment.@Nullable Timer timer;

    /**
     * Creates a copy that has not begun.
     *
     * @param id the batch
     * @param partitions its partitions that this node takes over in a view
     * @param view the view
     * @param underWay returns the batches with running copies
     */
    BatchCopy(MoveContext context, long id, PartitionSet partitions, ClusterView view, Supplier<Set<Long>> underWay) {
        this.context = context;
        this.id = id;
        this.partitions = partitions;
        this.underWay = underWay;
        this.begunNanos = context.environment().nanoTime();
        partitions.forEach(partition -> {
            rowVersions.put(partition, view.rowVersion(partition));
            view.movingSlot(partition)
                    .filter(ReplicaSlot::isPair)
                    .ifPresent(slot -> owners.put(partition, slot.owner().id()));
        });
        sourcesOf(view).forEach((node, some) -> sources.add(new Source(context, node, some, bytes::addAndGet)));
    }

    /** Returns the sources, each with its partitions. */
    private Map<Node, PartitionSet> sourcesOf(ClusterView view) {
        Map<Node, PartitionSet.Builder> found = new LinkedHashMap<>();
        partitions.forEach(partition -> {
            for (ReplicaSlot slot : view.slots(partition)) {
                Optional<Node> source = slot.isPair()
                        ? Optional.of(slot.owner())
                        : slot.reader().filter(node -> !view.moves().dead().contains(node.id()));
                if (slot.isPair() || !hasAllAtOwner(view, partition)) {
                    source.ifPresent(node -> found.computeIfAbsent(node, other -> PartitionSet.builder())
                            .add(partition));
                }
            }
        });
        Map<Node, PartitionSet> built = new LinkedHashMap<>();
        found.forEach((node, builder) -> built.put(node, builder.build()));
        return built;
    }

    /**
     * Returns whether the owner alone is a sufficient source. A dead owner is none. When a slot is added to three or
     * more, a majority may have acknowledged a write that the owner lacks. If the heir lacked it too, only two of four
     * or of five would have it: too few for a majority of five, and for the loss of two nodes, which four replicas
     * tolerate.
     */
    private static boolean hasAllAtOwner(ClusterView view, int partition) {
        return view.movingSlot(partition)
                .filter(ReplicaSlot::isPair)
                .filter(slot -> slot.phase() != Phase.GROW || view.width(partition) < COPIED_FROM_ALL)
                .isPresent();
    }

    /** Returns the partitions whose rows are unchanged since the creation of the copy, and still move. */
    PartitionSet valid(ClusterView view) {
        return partitions.filter(partition -> view.incoming().contains(partition)
                && rowVersions.getOrDefault(partition, ClusterView.NO_VERSION) == view.rowVersion(partition));
    }

    private PartitionSet left(ClusterView view) {
        return valid(view).filter(partition -> !context.incoming().isComplete(view, partition));
    }

    /** Returns the progress in a view. */
    synchronized BatchProgress progress(ClusterView view) {
        PartitionSet complete =
                valid(view).filter(partition -> context.incoming().isComplete(view, partition));
        return new BatchProgress(id, complete, bytes.get(), 0, waitsFor);
    }

    void start() {
        LOG.info(
                "{} takes over {} partitions from {}",
                context.self(),
                partitions.cardinality(),
                sources.stream().map(source -> source.node().id()).toList());
        later(0);
    }

    synchronized void close() {
        closed = true;
        if (timer != null) {
            timer.cancel();
        }
    }

    private synchronized void later(long nanos) {
        if (!closed) {
            timer = context.environment().schedule(this::attempt, nanos);
        }
    }

    private void attempt() {
        CompletableFuture<Void> done;
        try {
            PartitionSet left = left(context.views().current());
            synchronized (this) {
                if (closed || left.isEmpty()) {
                    return;
                }
            }
            done = run(left);
        } catch (RuntimeException | Error e) {
            done = CompletableFuture.failedFuture(e);
        }
        done.whenComplete((ended, error) -> ended(error));
    }

    private void ended(@Nullable Throwable error) {
        Throwable cause = error == null ? null : DhtException.unwrap(error);
        long pause;
        synchronized (this) {
            if (closed) {
                return;
            }
            waitsFor = Optional.ofNullable(cause).map(BatchCopy::describe);
            pause = cause == null ? 0 : BACKOFF.nanos(failures);
            failures = cause == null ? 0 : failures + 1;
        }
        if (cause != null && !isExpected(cause)) {
            LOG.warn("an attempt to take over partitions failed", cause);
        } else if (cause != null) {
            LOG.debug("an attempt to take over partitions failed: {}", cause.getMessage());
        }
        later(pause);
    }

    /** Returns whether a failure is temporary: of a node, or of a disk. */
    private static boolean isExpected(Throwable cause) {
        return cause instanceof RepairException || cause instanceof StoreException;
    }

    private static String describe(Throwable cause) {
        return isExpected(cause) ? String.valueOf(cause.getMessage()) : cause.toString();
    }

    private CompletableFuture<Void> run(PartitionSet left) {
        if (context.views().current().moves().settings().paused()) {
            return CompletableFuture.failedFuture(new RepairException(ErrorCode.NOT_SERVING, "moves are paused"));
        }
        PartitionSet clear = left.filter(
                partition -> !context.views().diverged().contains(partition) || hasNoLivingSource(partition));
        if (clear.isEmpty()) {
            return CompletableFuture.failedFuture(new RepairException(
                    ErrorCode.REPLICA_REFILLING,
                    "this node hands over first what it has of an earlier time in " + left.cardinality()
                            + " partitions, and others may lack"));
        }
        return copy(clear);
    }

    private CompletableFuture<Void> copy(PartitionSet left) {
        List<Source> living =
                sources.stream().filter(source -> !source.isDead()).toList();
        return drop(left)
                .thenCompose(dropped -> open(living, left, 0, Optional.empty()))
                .thenCompose(failure -> copy(living, left, 0, failure));
    }

    private boolean hasBegun(int partition) {
        return context.incoming().hasBegun(context.views().current(), partition);
    }

    /**
     * Drops the entries that are no part of this batch's copy. These partitions accept no writes until they are opened.
     */
    private CompletableFuture<Void> drop(PartitionSet left) {
        PartitionSet fresh = left.filter(partition -> !hasBegun(partition))
                .minus(context.marker().of(id));
        return context.leftovers()
                .drop(
                        fresh,
                        partition -> !hasBegun(partition)
                                && !context.views().diverged().contains(partition));
    }

    /** Returns whether this node may have the only copy of a partition. */
    private boolean hasNoLivingSource(int partition) {
        return sources.stream().noneMatch(source -> !source.isDead() && source.partitions.contains(partition));
    }

    /**
     * Opens partitions to writes, each once its owner has answered, or any source if there is no owner: no purge
     * watermark of a replica is above the fence watermark of another one.
     *
     * @return completes with the last failure, if a partition is still closed
     */
    private CompletableFuture<Optional<Throwable>> open(
            List<Source> living, PartitionSet left, int index, Optional<Throwable> failure) {
        PartitionSet closedYet = left.filter(partition -> !hasBegun(partition));
        if (closedYet.isEmpty()) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        if (index == living.size()) {
            // Only during a fill can a partition have no source: all others that had its entries are dead.
            PartitionSet orphans = closedYet.filter(
                    partition -> living.stream().noneMatch(source -> source.partitions.contains(partition)));
            return context.throttle().runOnStore(() -> open(zero(orphans))).thenApply(opened -> failure);
        }
        Source source = living.get(index);
        PartitionSet some = closedYet.filter(partition -> isFencedAs(partition, source));
        if (some.isEmpty()) {
            return open(living, left, index + 1, failure);
        }
        return source.askForWatermarks(some)
                .thenCompose(found -> context.throttle().runOnStore(() -> {
                    Map<Integer, Version> fences = new HashMap<>();
                    found.forEach((partition, pair) -> fences.put(partition, pair.fenced()));
                    open(fences);
                }))
                .handle((opened, error) -> open(living, left, index + 1, error == null ? failure : Optional.of(error)))
                .thenCompose(next -> next);
    }

    /** Returns whether this node refuses the same old entries of a partition as a source. */
    private boolean isFencedAs(int partition, Source source) {
        NodeId owner = owners.get(partition);
        return source.partitions.contains(partition)
                && (owner == null || owner.equals(source.node().id()));
    }

    /** Ends an attempt whose partitions have entered the next phase, or move in another batch. */
    private void requireValid(Set<Integer> some) {
        PartitionSet changed = PartitionSet.of(some).minus(valid(context.views().current()));
        if (!changed.isEmpty()) {
            throw new RepairException(
                    ErrorCode.STALE_TOPOLOGY, changed.cardinality() + " partitions do not move in this batch any more");
        }
    }

    private static Map<Integer, Version> zero(PartitionSet some) {
        Map<Integer, Version> fences = new HashMap<>();
        some.forEach(partition -> fences.put(partition, new Version(0)));
        return fences;
    }

    private void open(Map<Integer, Version> fences) {
        if (fences.isEmpty()) {
            return;
        }
        requireValid(fences.keySet());
        context.local().rollbacks().beginCopy(fences);
        PartitionSet opened = PartitionSet.of(fences.keySet());
        context.marker().add(id, context.marker().of(id).union(opened), underWay.get());
        opened.forEach(partition ->
                context.incoming().begin(partition, rowVersions.getOrDefault(partition, ClusterView.NO_VERSION)));
    }

    /** Copies from one source after the other. A failure does not affect the other sources. */
    private CompletableFuture<Void> copy(
            List<Source> living, PartitionSet left, int index, Optional<Throwable> failure) {
        PartitionSet opened = left.filter(this::hasBegun);
        if (index == living.size()) {
            return adopt(living, opened)
                    .thenCompose(adopted -> failure.isPresent()
                            ? CompletableFuture.failedFuture(failure.get())
                            : CompletableFuture.completedFuture(null));
        }
        return living.get(index)
                .copy(opened)
                .handle((copied, error) -> copy(living, left, index + 1, error == null ? failure : Optional.of(error)))
                .thenCompose(next -> next);
    }

    /** Completes the partitions that are copied from all their sources. */
    private CompletableFuture<Void> adopt(List<Source> living, PartitionSet opened) {
        PartitionSet copied = opened.filter(partition -> living.stream()
                .filter(source -> source.partitions.contains(partition))
                .allMatch(source -> source.done().contains(partition)));
        if (copied.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        Map<Integer, PurgeWatermarks.Pair> found = new HashMap<>();
        copied.forEach(partition -> found.put(partition, watermarks(partition)));
        return adoptPromises(living, copied, 0, new HashMap<>()).thenCompose(adopted -> complete(copied, found));
    }

    /**
     * Adopts what the sources have promised about registers. Else a proposer with a lower ballot could find a majority
     * here that a source would have refused, and the higher one, accepted by a minority, would win afterwards.
     */
    private CompletableFuture<Void> adoptPromises(
            List<Source> living, PartitionSet copied, int index, Map<Integer, Version> highest) {
        if (index == living.size()) {
            return context.promises().apply(highest);
        }
        return living.get(index).askForPromises(copied).thenCompose(found -> {
            found.forEach((partition, promised) ->
                    highest.merge(partition, promised, (one, other) -> one.compareTo(other) >= 0 ? one : other));
            return adoptPromises(living, copied, index + 1, highest);
        });
    }

    private CompletableFuture<Void> complete(PartitionSet copied, Map<Integer, PurgeWatermarks.Pair> found) {
        return context.throttle().runOnStore(() -> {
            requireValid(found.keySet());
            context.local().watermarks().adopt(found);
            copied.forEach(partition -> context.incoming()
                    .complete(partition, rowVersions.getOrDefault(partition, ClusterView.NO_VERSION)));
            LOG.info("{} has all entries of {} partitions that it takes over", context.self(), copied.cardinality());
            FlightRecording.partitionsMoved(
                    context.self(),
                    id,
                    copied.cardinality(),
                    sources.stream().map(source -> source.node().id()).toList(),
                    bytes.get(),
                    context.environment().nanoTime() - begunNanos);
        });
    }

    /** Returns the watermarks of a partition that has all entries of its sources. */
    private PurgeWatermarks.Pair watermarks(int partition) {
        Version purged = new Version(0);
        Version fenced = new Version(0);
        for (Source source : sources) {
            PurgeWatermarks.Pair pair = source.watermarks(partition);
            purged = pair.purged().compareTo(purged) > 0 ? pair.purged() : purged;
            if (isFencedAs(partition, source) && pair.fenced().compareTo(fenced) > 0) {
                fenced = pair.fenced();
            }
        }
        return new PurgeWatermarks.Pair(purged, fenced);
    }
}
