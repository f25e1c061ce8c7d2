package io.dht4j.core.internal.refill;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.RefillStatus;
import io.dht4j.core.internal.admission.Backoff;
import io.dht4j.core.internal.admission.Throttle;
import io.dht4j.core.internal.copy.PageCopy;
import io.dht4j.core.internal.copy.PageSource;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.spi.Environment;
import io.dht4j.spi.FileFailure;
import io.dht4j.spi.RefillMarker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Refills partitions of this node before they are read. It fetches each partition from <em>all</em> other replicas,
 * since a write that only this node and one other had acknowledged is on that one only. During the refill the partition
 * accepts writes, which are newer, and refuses reads. Reads are allowed again once the entries are as durable as the
 * store makes them and the refill marker has been written.
 *
 * <p>Does not block, except the constructor; safe for use by any number of threads.
 */
public final class Refill {

    private static final Logger LOG = LoggerFactory.getLogger(Refill.class);

    private static final Backoff BACKOFF = Backoff.doubling(Duration.ofMillis(200), Duration.ofSeconds(10));
    /** The shortest time between two log messages about a node that keeps failing. */
    private static final long LOG_NANOS = TimeUnit.MINUTES.toNanos(1);
    /** The rate for each node: slow enough to leave the network to the calls of clients. */
    private static final long BYTES_PER_SECOND = 16L << 20;
    /** The delay before a failed write of the marker is tried again. */
    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Environment environment;
    private final RefillMarker marker;
    private final PartitionReadBarrier barrier;
    private final Set<NodeId> without;
    private final PageSource source;
    private final AtomicLong entries = new AtomicLong();
    private final boolean markerIsBehind;

    // Guarded by this.
    /** The partitions that are not complete, except those that have moved away. */
    private PartitionSet marked;
    /** Those of them that this node is still receiving from the slot's owner: they are refilled if they stay marked. */
    private PartitionSet arriving = PartitionSet.empty();

    /** When a failure of a node was logged last. */
    private final Map<NodeId, Long> logged = new HashMap<>();

    private boolean started;
    private boolean writing;
    private boolean changed;
    private boolean closed;

    /** Replaced as a whole under the lock. */
    private volatile List<PageCopy> fetches = List.of();

    /**
     * Creates a refill that has not begun. Reads the marker, and so blocks.
     *
     * @param environment time, timers and store threads
     * @param view the replicas of each partition, which is read from all of them but this node; later ones are
     *     {@linkplain #follow followed}
     * @param without nodes that are not read, because their content is lost or abandoned too
     * @param marker the partitions to refill
     * @param source fetches entries of other nodes
     * @param barrier refuses reads of partitions
     * @throws io.dht4j.spi.StoreException if the marker cannot be read
     */
    public Refill(
            Environment environment,
            ClusterView view,
            Set<NodeId> without,
            RefillMarker marker,
            PageSource source,
            PartitionReadBarrier barrier) {
        this.environment = environment;
        this.without = without;
        this.marker = marker;
        this.source = source;
        this.barrier = barrier;
        this.marked = PartitionSet.copyOf(marker.pending(view.partitions()));
        PartitionSet before = marked;
        plan(view);
        PartitionSet wanted = remaining();
        barrier.set(PartitionReadBarrier.Reason.LOST, wanted);
        this.markerIsBehind = !wanted.equals(before);
    }

    /** Returns the partitions to fetch in a view, by node; incoming ones are fetched later. */
    private Map<Node, PartitionSet> needed(ClusterView view) {
        Map<Node, PartitionSet.Builder> needed =
                new TreeMap<>(Comparator.comparing(node -> node.id().value()));
        PartitionSet.Builder later = PartitionSet.builder();
        PartitionSet.Builder here = PartitionSet.builder();
        marked.forEach(partition -> {
            List<Node> holders = view.complete(partition);
            if (holders.stream().noneMatch(node -> node.id().equals(view.self()))) {
                if (view.hasRowVersions() && view.owns(partition)) {
                    later.add(partition);
                }
                return;
            }
            here.add(partition);
            for (Node node : holders) {
                if (!node.id().equals(view.self()) && !without.contains(node.id())) {
                    needed.computeIfAbsent(node, other -> PartitionSet.builder())
                            .add(partition);
                }
            }
        });
        arriving = later.build();
        marked = here.addAll(arriving).build();
        Map<Node, PartitionSet> built = new LinkedHashMap<>();
        needed.forEach((node, partitions) -> built.put(node, partitions.build()));
        return built;
    }

    /**
     * Ends fetches from nodes that no longer hold the partitions, and adds those from new holders. Returns the added
     * ones.
     */
    private synchronized List<PageCopy> plan(ClusterView view) {
        Map<Node, PartitionSet> needed = needed(view);
        List<PageCopy> kept = new ArrayList<>();
        for (PageCopy fetch : fetches) {
            PartitionSet wanted = needed.getOrDefault(fetch.node(), PartitionSet.empty());
            fetch.retain(wanted);
            if (!fetch.partitions().isEmpty()) {
                kept.add(fetch);
                needed.put(fetch.node(), wanted.minus(fetch.partitions()));
            }
        }
        List<PageCopy> added = new ArrayList<>();
        needed.forEach((node, partitions) -> {
            if (!partitions.isEmpty()) {
                added.add(new PageCopy(
                        new Throttle(environment, () -> BYTES_PER_SECOND, this::isClosed),
                        source,
                        () -> node,
                        partitions,
                        (count, bytes) -> entries.addAndGet(count)));
            }
        });
        kept.addAll(added);
        fetches = List.copyOf(kept);
        return added;
    }

    /** Returns the partitions with a node that has not sent all entries. */
    private synchronized PartitionSet remaining() {
        PartitionSet.Builder left = PartitionSet.builder().addAll(arriving);
        fetches.stream().filter(fetch -> !fetch.isDone()).forEach(fetch -> left.addAll(fetch.partitions()));
        return left.build();
    }

    /** Begins, if there is a partition to refill. */
    public void start() {
        List<PageCopy> first;
        synchronized (this) {
            started = true;
            first = fetches;
        }
        if (markerIsBehind) {
            update();
        }
        if (first.isEmpty()) {
            return;
        }
        LOG.warn(
                "{} partitions are refilled from {}; until that is done this node takes writes of them and "
                        + "refuses reads",
                left(),
                first.stream().map(fetch -> fetch.node().id()).toList());
        first.forEach(fetch -> runAfter(0, fetch));
    }

    /**
     * Follows a view that is installed: each partition is read from all its present replicas. Partitions that have
     * moved away are no longer refilled.
     *
     * @param view the current view
     */
    public void follow(ClusterView view) {
        List<PageCopy> added;
        synchronized (this) {
            if (closed || marked.isEmpty()) {
                return;
            }
            added = plan(view);
            if (!started) {
                return;
            }
        }
        added.forEach(fetch -> runAfter(0, fetch));
        if (!remaining().equals(barrier.of(PartitionReadBarrier.Reason.LOST))) {
            update();
        }
    }

    /** Stops. The rest is refilled from the beginning when the node starts again. */
    public synchronized void close() {
        closed = true;
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    /**
     * Returns the progress.
     *
     * @return a snapshot
     */
    public RefillStatus status() {
        if (fetches.isEmpty() && left() == 0) {
            return RefillStatus.NONE;
        }
        return new RefillStatus(
                left(),
                entries.get(),
                fetches.stream()
                        .filter(fetch -> fetch.failures() > 0)
                        .map(fetch -> fetch.node().id())
                        .toList());
    }

    private int left() {
        return barrier.of(PartitionReadBarrier.Reason.LOST).cardinality();
    }

    private void runAfter(long nanos, PageCopy fetch) {
        environment.schedule(() -> run(fetch), nanos);
    }

    private void run(PageCopy fetch) {
        if (isWanted(fetch)) {
            fetch.run().whenComplete((failure, error) -> {
                if (isWanted(fetch)) {
                    ended(fetch, error == null ? failure : Optional.of(FileFailure.inWords(error)));
                }
            });
        }
    }

    private boolean isWanted(PageCopy fetch) {
        return !isClosed() && fetches.contains(fetch);
    }

    /** Continues at the same position after a failure, later each time. */
    private void ended(PageCopy fetch, Optional<String> failure) {
        NodeId node = fetch.node().id();
        if (failure.isEmpty()) {
            LOG.info("{} has sent all its entries", node);
            update();
            return;
        }
        runAfter(BACKOFF.nanos(Math.max(0, fetch.failures() - 1)), fetch);
        if (isLogged(node)) {
            LOG.warn(
                    "the refill waits for {}, which is asked again and again: {}. Start it, or name it as lost "
                            + "(ClusterBuilder.refill) if it does not come back",
                    node,
                    failure.get());
        }
    }

    /** Returns whether a failure of a node is logged. */
    private synchronized boolean isLogged(NodeId node) {
        long now = environment.nanoTime();
        Long last = logged.get(node);
        boolean isDue = last == null || now - last >= LOG_NANOS;
        if (isDue) {
            logged.put(node, now);
        }
        return isDue;
    }

    /** Writes the marker, then allows reads of the partitions that are complete. */
    private void update() {
        synchronized (this) {
            if (closed) {
                return;
            }
            if (writing) {
                changed = true;
                return;
            }
            writing = true;
            changed = false;
        }
        try {
            environment.storeExecutor().execute(this::writeMarker);
        } catch (RejectedExecutionException e) {
            LOG.debug("this node is closing; it refills again when it starts");
        }
    }

    private void writeMarker() {
        PartitionSet left;
        synchronized (this) {
            left = remaining();
            // Complete partitions are not refilled again when their replicas change.
            marked = left;
        }
        boolean written = false;
        try {
            marker.keep(left.toBitSet());
            written = true;
            barrier.set(PartitionReadBarrier.Reason.LOST, left);
            if (left.isEmpty()) {
                // At the level of the warning at the beginning.
                LOG.warn("the refill is complete, with {} entries: the partitions are read again", entries);
            }
        } catch (RuntimeException e) {
            LOG.error(
                    "the store cannot record which partitions are refilled, so reads of them stay refused: {}",
                    e.getMessage());
        }
        boolean again;
        synchronized (this) {
            writing = false;
            again = changed;
        }
        if (!written) {
            environment.schedule(this::update, RETRY_NANOS);
        } else if (again) {
            update();
        }
    }
}
