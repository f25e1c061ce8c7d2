package io.dht4j.core.internal.refill;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.RefillStatus;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.spi.Environment;
import io.dht4j.spi.PartitionTable;
import io.dht4j.spi.RefillMarker;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Refills partitions of this node before they are read. It fetches each partition from <em>all</em> other replicas,
 * since a write that only this node and one other had acknowledged is on that one only. Meanwhile the partition takes
 * writes, which are newer, and refuses reads. Reads are allowed again once the entries are as durable as the store
 * makes them and the refill marker has been written.
 *
 * <p>Does not block, except the constructor; safe for use by any number of threads.
 */
public final class Refill {

    private static final Logger LOG = LoggerFactory.getLogger(Refill.class);

    /** The delay before a failed write of the marker is tried again. */
    private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Environment environment;
    private final RefillMarker marker;
    private final PartitionReadBarrier unfilled;
    private final List<Pull> pulls = new ArrayList<>();
    private final AtomicLong entries = new AtomicLong();
    private final boolean markerIsBehind;

    // Guarded by this.
    private boolean settling;
    private boolean changed;
    private boolean closed;

    /**
     * Creates a refill that has not begun. Reads the marker, and so blocks.
     *
     * @param environment time, timers and store threads
     * @param self this node's name
     * @param table the replicas of each partition
     * @param replicas the number of replicas of a key; each partition is read from all of them but this node
     * @param without nodes that are not read, because their content is lost too, or given up
     * @param marker the partitions to refill
     * @param source fetches entries of other nodes
     * @param unfilled refuses reads of partitions
     * @throws io.dht4j.spi.StoreException if the marker cannot be read
     */
    public Refill(
            Environment environment,
            NodeId self,
            PartitionTable table,
            int replicas,
            Set<NodeId> without,
            RefillMarker marker,
            RefillSource source,
            PartitionReadBarrier unfilled) {
        this.environment = environment;
        this.marker = marker;
        PartitionSet pending = PartitionSet.copyOf(marker.pending(table.partitions()));
        Map<Node, PartitionSet.Builder> needed =
                new TreeMap<>(Comparator.comparing(node -> node.id().value()));
        pending.forEach(partition -> {
            List<Node> holders = table.replicas(partition, replicas);
            if (holders.stream().noneMatch(node -> node.id().equals(self))) {
                return;
            }
            for (Node node : holders) {
                if (!node.id().equals(self) && !without.contains(node.id())) {
                    needed.computeIfAbsent(node, other -> PartitionSet.builder())
                            .add(partition);
                }
            }
        });
        needed.forEach((node, partitions) -> pulls.add(new Pull(this, environment, node, partitions.build(), source)));
        PartitionSet wanted = unfetched();
        this.unfilled = unfilled;
        unfilled.set(PartitionReadBarrier.Reason.LOST, wanted);
        this.markerIsBehind = !wanted.equals(pending);
    }

    /** Returns the partitions of which some node has not sent everything. */
    private PartitionSet unfetched() {
        PartitionSet.Builder left = PartitionSet.builder();
        pulls.stream().filter(pull -> !pull.isDone()).forEach(pull -> left.addAll(pull.partitions()));
        return left.build();
    }

    /** Begins, if there is a partition to refill. */
    public void start() {
        if (markerIsBehind) {
            settle();
        }
        if (pulls.isEmpty()) {
            return;
        }
        LOG.warn(
                "{} partitions are refilled from {}; until that is done this node takes writes of them and "
                        + "refuses reads",
                left(),
                pulls.stream().map(pull -> pull.node().id()).toList());
        pulls.forEach(pull -> pull.nextAfter(0));
    }

    /** Stops. The rest is refilled from the beginning when the node starts again. */
    public void close() {
        synchronized (this) {
            closed = true;
        }
        pulls.forEach(Pull::close);
    }

    /**
     * Returns the progress.
     *
     * @return a snapshot
     */
    public RefillStatus status() {
        if (pulls.isEmpty()) {
            return RefillStatus.NONE;
        }
        return new RefillStatus(
                left(),
                entries.get(),
                pulls.stream()
                        .filter(Pull::isFailing)
                        .map(pull -> pull.node().id())
                        .toList());
    }

    private int left() {
        return unfilled.of(PartitionReadBarrier.Reason.LOST).cardinality();
    }

    void brought(int count) {
        entries.addAndGet(count);
    }

    void finished(Pull pull) {
        LOG.info("everything that is needed of {} is there", pull.node().id());
        settle();
    }

    /** Writes the marker, then allows reads of the partitions that are complete. */
    private void settle() {
        synchronized (this) {
            if (closed) {
                return;
            }
            if (settling) {
                changed = true;
                return;
            }
            settling = true;
            changed = false;
        }
        try {
            environment.storeExecutor().execute(this::settleNow);
        } catch (RejectedExecutionException e) {
            LOG.debug("this node is closing; it refills again when it starts");
        }
    }

    private void settleNow() {
        PartitionSet left = unfetched();
        boolean kept = false;
        try {
            marker.keep(left.toBitSet());
            kept = true;
            unfilled.set(PartitionReadBarrier.Reason.LOST, left);
            if (left.isEmpty()) {
                // At the level of the warning at the beginning.
                LOG.warn("refilled with {} entries: nothing is missing any more", entries);
            }
        } catch (RuntimeException e) {
            LOG.error("it cannot be kept which partitions are refilled, so they stay closed: {}", e.getMessage());
        }
        boolean again;
        synchronized (this) {
            settling = false;
            again = changed;
        }
        if (!kept) {
            environment.schedule(this::settle, AGAIN_NANOS);
        } else if (again) {
            settle();
        }
    }
}
