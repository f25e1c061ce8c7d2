package io.dht4j.core.internal.refill;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.RefillStatus;
import io.dht4j.spi.Environment;
import io.dht4j.spi.PartitionTable;
import io.dht4j.spi.RefillMarker;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Refills partitions of this node before they are read. Of each of them everything is read that the other replicas
 * hold, from <em>all</em> of them: a write that this node and one other had acknowledged is on that one only. Until
 * then the partition takes writes, which are newer, and refuses reads. A partition is read again once its entries are
 * as durable as the store makes them and the marker knows it.
 *
 * <p>Does not block, but for the constructor; safe for use by any number of threads.
 */
public final class Refill {

    private static final Logger LOG = LoggerFactory.getLogger(Refill.class);

    /** How soon a marker that could not be written is written again. */
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
     * A refill that has not begun. Asks the marker, and so blocks.
     *
     * @param environment time, timers and store threads
     * @param self this node's name
     * @param table who holds what
     * @param limits the numbers it runs by
     * @param marker what must be refilled
     * @param source where it comes from
     * @param unfilled is told what must not be read
     * @throws io.dht4j.spi.StoreException if the marker cannot be read
     */
    public Refill(
            Environment environment,
            NodeId self,
            PartitionTable table,
            RefillLimits limits,
            RefillMarker marker,
            RefillSource source,
            PartitionReadBarrier unfilled) {
        this.environment = environment;
        this.marker = marker;
        BitSet pending = marker.pending(table.partitions());
        Map<Node, BitSet> needed =
                new TreeMap<>(Comparator.comparing(node -> node.id().value()));
        pending.stream().forEach(partition -> {
            List<Node> replicas = table.replicas(partition, limits.replicas());
            if (replicas.stream().noneMatch(node -> node.id().equals(self))) {
                return;
            }
            for (Node node : replicas) {
                if (!node.id().equals(self) && !limits.without().contains(node.id())) {
                    needed.computeIfAbsent(node, other -> new BitSet()).set(partition);
                }
            }
        });
        BitSet wanted = new BitSet();
        needed.forEach((node, partitions) -> {
            wanted.or(partitions);
            pulls.add(new Pull(this, environment, node, partitions, source, limits.bytesPerSecond()));
        });
        this.unfilled = unfilled;
        unfilled.set(PartitionReadBarrier.Why.LOST, wanted);
        this.markerIsBehind = !wanted.equals(pending);
    }

    /** Begins, if there is something to do. */
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

    /** Stops; what is left is begun again when the node starts again. */
    public void close() {
        synchronized (this) {
            closed = true;
        }
        pulls.forEach(Pull::close);
    }

    /**
     * How far it is.
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
        return unfilled.of(PartitionReadBarrier.Why.LOST).cardinality();
    }

    void brought(int count) {
        entries.addAndGet(count);
    }

    void finished(Pull pull) {
        LOG.info("everything that is needed of {} is there", pull.node().id());
        settle();
    }

    /** Lets those partitions be read of which everything is there, once the marker knows it. */
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
        BitSet left = new BitSet();
        pulls.stream().filter(pull -> !pull.isDone()).forEach(pull -> left.or(pull.partitions()));
        boolean kept = false;
        try {
            marker.keep(left);
            kept = true;
            unfilled.set(PartitionReadBarrier.Why.LOST, left);
            if (left.isEmpty()) {
                // As loud as its beginning.
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
