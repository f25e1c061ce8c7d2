package io.dht4j.core.internal.repair.rollback;

import static java.util.Objects.requireNonNull;

import io.dht4j.ErrorCode;
import io.dht4j.NodeId;
import io.dht4j.Version;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.refill.PartitionReadBarrier;
import io.dht4j.core.internal.refill.PartitionReadBarrier.Reason;
import io.dht4j.core.internal.repair.RepairException;
import io.dht4j.core.internal.repair.purge.PurgeWatermarks;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.view.DivergedPartitions;
import io.dht4j.spi.StoreException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Detects partitions of a rolled-back disk: another replica has a purge watermark above this node's fence watermark.
 * Refuses reads of such a partition until it has been compared with all its other replicas, as for a partition whose
 * content was lost. Safe for use by any number of threads.
 */
public final class RollbackDetector {

    private static final Logger LOG = LoggerFactory.getLogger(RollbackDetector.class);

    private static final Listener NO_LISTENER = new Listener() {
        @Override
        public void checked(String from, PartitionSet partitions) {}

        @Override
        public void unproven(String from, PartitionSet partitions) {}

        @Override
        public void unknownDecision(PartitionSet partitions) {}

        @Override
        public void rolledBack() {}
    };

    private final PurgeWatermarks watermarks;
    private final PartitionReadBarrier barrier;
    private final Predicate<Version> isTooFarAhead;
    private final Runnable readsRefused;
    private volatile Listener listener = NO_LISTENER;

    /** A copy of the rolled-back partitions, read without a lock. Replaced as a whole, never changed. */
    private volatile Map<Integer, Version> rolledBack = Map.of();

    // Guarded by this.
    /** By node name: the partitions for which the node's purge watermark lies too far ahead of this node's clock. */
    private final Map<String, PartitionSet> implausible = new HashMap<>();

    /** Receives the detections. Called on a store thread. */
    public interface Listener {

        /** Another node has reported its purge watermarks of some partitions, and they have been checked. */
        void checked(String from, PartitionSet partitions);

        /**
         * Another node has reported, in a request, purge watermarks above all known ones. It must be asked, since only
         * a reply proves its sender.
         */
        void unproven(String from, PartitionSet partitions);

        /**
         * A decision to commit has arrived, but this node remembers no vote for it. All other nodes must be asked about
         * the partitions, once they have had time to learn of the decision.
         */
        void unknownDecision(PartitionSet partitions);

        /** Some partitions must be repaired before they are read. */
        void rolledBack();
    }

    /**
     * Creates a detector without rollbacks.
     *
     * @param watermarks the watermarks that this node's disk holds
     * @param barrier refuses reads of partitions
     * @param isTooFarAhead whether a version lies too far ahead of this node's clock to come from a correct clock
     * @param readsRefused runs, on a store thread, each time reads of some partitions begin to be refused
     */
    public RollbackDetector(
            PurgeWatermarks watermarks,
            PartitionReadBarrier barrier,
            Predicate<Version> isTooFarAhead,
            Runnable readsRefused) {
        this.watermarks = watermarks;
        this.barrier = barrier;
        this.isTooFarAhead = isTooFarAhead;
        this.readsRefused = readsRefused;
    }

    /** Refuses reads of the partitions that were rolled back before the start, and sets the listener. */
    public void start(Listener receiver) {
        listener = receiver;
        watermarks.diverged().listen(this::diverged);
        PartitionSet before = watermarks.diverged().all();
        if (!before.isEmpty()) {
            // They may have been marked before the watermarks were loaded, or right before the end of the process.
            try {
                watermarks.forget(before);
            } catch (StoreException e) {
                // Forgotten in memory, and again at each start while the marks exist.
                LOG.debug("the store cannot record that watermarks are forgotten", e);
            }
            logDivergence(before);
        }
        refuseRolledBack();
    }

    /**
     * Ends the divergence of partitions without a complete slot at this node, once all their replicas have its entries.
     * Blocks until that is on the disk.
     *
     * @param view the view with whose replicas they were compared
     * @param partitions the partitions
     * @return those that had diverged
     */
    public PartitionSet handedOver(ClusterView view, PartitionSet partitions) {
        PartitionSet removed = watermarks.diverged().remove(view, partitions);
        if (!removed.isEmpty()) {
            refuseRolledBack();
            logEnd(view.self());
        }
        return removed;
    }

    /** Closes partitions in which this node has diverged. Blocks until that is on the disk. */
    private void diverged(PartitionSet news) {
        watermarks.forget(news);
        refuseRolledBack();
        readsRefused.run();
        logDivergence(news);
        listener.rolledBack();
    }

    private static void logDivergence(PartitionSet partitions) {
        LOG.warn(
                "this node may have entries of {} partitions that their replicas lack, after a recovery or since its "
                        + "nodes are no longer a fixed list: they are compared first, and until then this node accepts "
                        + "writes of them, refuses reads, and drops nothing",
                partitions.cardinality());
    }

    /** Refuses reads of the rolled-back partitions. */
    private synchronized void refuseRolledBack() {
        rolledBack = Map.copyOf(watermarks.rolledBack().all());
        barrier.set(Reason.ROLLED_BACK, PartitionSet.of(rolledBack.keySet()));
        barrier.set(Reason.DIVERGED, watermarks.diverged().all());
    }

    /**
     * Records rolled-back partitions. Synchronized, so that a thread that finds the same rollback continues only after
     * reads are refused.
     */
    private synchronized PartitionSet rollBack(Map<Integer, Version> purgedThere) {
        PartitionSet news = watermarks.rolledBack().add(purgedThere);
        if (!news.isEmpty()) {
            refuseRolledBack();
        }
        return news;
    }

    /**
     * Compares this node with the purge watermarks in another node's reply. On return, reads of every partition that
     * the reply shows to be rolled back are refused. Blocks until the rollback is on the disk.
     *
     * @param from the other node's name
     * @param partitions the partitions of the reply
     * @param purged the purge watermark of each partition, in ascending order of partitions, as packed versions
     * @throws RepairException if some watermarks are impossible by this node's clock; the others are recorded. Reads of
     *     the partitions concerned are refused until the node reports possible ones
     */
    public void replied(String from, PartitionSet partitions, List<Long> purged) {
        Map<Integer, Version> there = byPartition(partitions, purged);
        PartitionSet refused = refuseImplausible(from, there);
        there.keySet().removeIf(refused::contains);
        compare(from, there);
        listener.checked(from, partitions.minus(refused));
        reject(from, refused);
    }

    /**
     * Returns whether another node's purge watermarks {@linkplain #requirePlausible must be checked}, which is rare.
     * Does not block.
     */
    public boolean needsCheck(String from, Map<Integer, Version> purgedThere) {
        return purgedThere.values().stream().anyMatch(isTooFarAhead) || isImplausible(from);
    }

    private synchronized boolean isImplausible(String from) {
        return !implausible.getOrDefault(from, PartitionSet.empty()).isEmpty();
    }

    /**
     * Checks that another node's purge watermarks are possible, before they are used. Blocks.
     *
     * @param from the other node's name
     * @param purgedThere its purge watermarks of some partitions
     * @throws RepairException if some watermarks are impossible by this node's clock. Reads of the partitions concerned
     *     are refused until the node reports possible ones
     */
    public void requirePlausible(String from, Map<Integer, Version> purgedThere) {
        reject(from, refuseImplausible(from, purgedThere));
    }

    /**
     * Refuses reads of partitions whose reported watermark is impossible. A purged version is long past by the clock of
     * every replica, this one included. If it lies ahead of this node's clock by more than the allowed skew, one of the
     * clocks is wrong. Most likely it is this one, on a machine that was rolled back as a whole. Accepting the
     * watermark would refuse all writes up to that time, and would spread it to other nodes. Ignoring it might show
     * deleted entries. So reads are refused until the clock is right or the other node reports another watermark.
     *
     * @return the partitions with an impossible watermark
     */
    private PartitionSet refuseImplausible(String from, Map<Integer, Version> purgedThere) {
        PartitionSet now = watermarks
                .rolledBack()
                .unknown(purgedThere)
                .filter(partition -> isTooFarAhead.test(requireNonNull(purgedThere.get(partition))));
        PartitionSet before;
        PartitionSet after;
        synchronized (this) {
            before = implausible.getOrDefault(from, PartitionSet.empty());
            after = before.filter(partition -> !purgedThere.containsKey(partition))
                    .union(now);
            if (!after.equals(before)) {
                implausible.put(from, after);
                refuseAllImplausible();
            }
        }
        if (before.isEmpty() && !after.isEmpty()) {
            readsRefused.run();
            LOG.warn(
                    "{} reports that {} partitions have been purged up to a time that this node's clock is far from: "
                            + "reads of them are refused until that changes; check both clocks",
                    from,
                    now.cardinality());
        } else if (!before.isEmpty() && after.isEmpty()) {
            LOG.warn("the purge watermarks that {} reports are possible by this node's clock again", from);
        }
        return now;
    }

    /** Refuses reads of all partitions with an impossible watermark. Called with the lock held. */
    private void refuseAllImplausible() {
        PartitionSet.Builder all = PartitionSet.builder();
        implausible.values().forEach(all::addAll);
        barrier.set(Reason.IMPLAUSIBLE, all.build());
    }

    private void reject(String from, PartitionSet partitions) {
        if (!partitions.isEmpty()) {
            listener.unproven(from, partitions);
            throw new RepairException(
                    ErrorCode.VERSION_TOO_FAR_AHEAD,
                    "node " + from + ": it reports that " + partitions.cardinality()
                            + " partitions have been purged up to a time that this node's clock is far from");
        }
    }

    /**
     * Compares this node with purge watermarks that came in another node's request. Known ones count as checked; the
     * sender is asked about the others.
     */
    public void reportedUnasked(String from, PartitionSet partitions, List<Long> purged) {
        PartitionSet unknown = watermarks.rolledBack().unknown(byPartition(partitions, purged));
        listener.checked(from, partitions.minus(unknown));
        if (!unknown.isEmpty()) {
            listener.unproven(from, unknown);
        }
    }

    private static Map<Integer, Version> byPartition(PartitionSet partitions, List<Long> purged) {
        Map<Integer, Version> there = new HashMap<>();
        partitions.forEach(partition -> there.put(partition, new Version(purged.get(there.size()))));
        return there;
    }

    /**
     * Compares this node with the purge watermarks of another node, and records where this node's disk was rolled back.
     */
    public void compare(String from, Map<Integer, Version> purgedThere) {
        PartitionSet news = rollBack(purgedThere);
        if (news.isEmpty()) {
            return;
        }
        readsRefused.run();
        logRollback(from, news);
        try {
            watermarks.rolledBack().write();
        } catch (StoreException e) {
            LOG.error(
                    "the store cannot record that the disk was rolled back; a restart detects it again: {}",
                    e.getMessage());
        }
        listener.rolledBack();
    }

    /** Logs a rollback, except for partitions that are being refilled: their loss has been logged. */
    private void logRollback(String from, PartitionSet news) {
        PartitionSet unlogged = news.minus(lost()).minus(watermarks.diverged().all());
        if (!unlogged.isEmpty()) {
            LOG.warn(
                    "the disk of this node was rolled back: {} reports that {} partitions have been purged further "
                            + "than this node knows of; they are repaired first, and until then this node accepts "
                            + "writes of them and refuses reads",
                    from,
                    unlogged.cardinality());
        }
    }

    /**
     * Begins to refuse the same old entries as the owners of partitions that this node copies. Forgets earlier
     * rollbacks of these partitions. Blocks until that is on the disk.
     *
     * @param fences the fence watermark of each partition's owner
     */
    public void beginCopy(Map<Integer, Version> fences) {
        watermarks.beginCopy(fences);
        refuseRolledBack();
    }

    /**
     * Checks a decision to commit. If this node remembers no vote for it, it asks the others, which know of the
     * decision or will.
     */
    public void checkDecision(PartitionSet partitions, Version outcome) {
        PartitionSet unknown = watermarks
                .rolledBack()
                .unknown(watermarks.sealedBefore(partitions, outcome).stream()
                        .boxed()
                        .collect(Collectors.toMap(partition -> partition, partition -> outcome)));
        if (!unknown.isEmpty()) {
            listener.unknownDecision(unknown);
        }
    }

    /**
     * Follows a view: forgets the rollbacks of partitions that this node no longer replicates, and the reports of
     * members that are no longer nodes. Does not block.
     *
     * @param view the view, which is installed
     * @return whether the disk lacks this change: then the caller writes {@link PurgeWatermarks#rolledBack}
     */
    public boolean follow(ClusterView view) {
        synchronized (this) {
            Set<String> names = view.topology().nodes().stream()
                    .map(node -> node.id().value())
                    .collect(Collectors.toSet());
            implausible.keySet().retainAll(names);
            implausible.replaceAll((from, partitions) -> partitions.filter(view::owns));
            refuseAllImplausible();
        }
        // Without the lock of all writes if there is no change. Foreign partitions are no longer added.
        boolean changed = !rolledBack.isEmpty() && watermarks.rolledBack().forgetForeign();
        if (changed) {
            refuseRolledBack();
        }
        return changed;
    }

    /**
     * Returns the rolled-back and diverged partitions, and the version up to which each must catch up. Does not block.
     */
    public Map<Integer, Version> rolledBack() {
        return rolledBack;
    }

    /**
     * Returns the partitions in which this node lacks entries that it may have acknowledged: they are lost, rolled back
     * or diverged. Does not block.
     */
    public PartitionSet incomplete() {
        // Marks are the first data that is read from the disk.
        return PartitionSet.of(rolledBack.keySet())
                .union(lost())
                .union(watermarks.diverged().all());
    }

    /** Returns whether reads of one of several partitions are refused, also while the reason is unknown. */
    public boolean refusesReads(PartitionSet several) {
        return barrier.containsAny(several);
    }

    /** Returns the partitions whose content was lost and is not yet completely refilled. Does not block. */
    public PartitionSet lost() {
        return barrier.of(Reason.LOST);
    }

    /**
     * Allows reads again of partitions that have caught up with the other replicas. Blocks until that is on the disk.
     *
     * @param view the view with whose replicas they were compared
     * @param upTo the partitions, with the purge watermark of the others when the comparison began
     * @param confirmed those of them whose watermark is confirmed by a replica that had voted for it
     */
    public void caughtUp(ClusterView view, Map<Integer, Version> upTo, PartitionSet confirmed) {
        if (!upTo.isEmpty()) {
            NodeId self = view.self();
            forgetMarks(view, upTo, confirmed);
            refuseRolledBack();
            LOG.info(
                    "{}: {} partitions that were rolled back or had diverged hold what the others hold",
                    self,
                    upTo.size());
            logEnd(self);
        }
    }

    /** Logs that the repair is complete, at the level of the warning at the beginning. */
    private void logEnd(NodeId self) {
        if (incomplete().isEmpty()) {
            LOG.warn("{}: what was rolled back or had diverged is repaired: all partitions are read again", self);
        }
    }

    /** Records that partitions have caught up, except those that are marked for a later view. */
    private void forgetMarks(ClusterView view, Map<Integer, Version> upTo, PartitionSet confirmed) {
        DivergedPartitions diverged = watermarks.diverged();
        // A partition that is marked in between would keep a watermark that the mark must remove.
        synchronized (diverged) {
            Map<Integer, Version> counting = new HashMap<>(upTo);
            counting.keySet().removeIf(partition -> diverged.isPending(partition, view));
            diverged.remove(view, watermarks.rolledBack().caughtUp(counting, confirmed));
        }
    }
}
