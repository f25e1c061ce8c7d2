package io.dht4j.core.internal.repair.rollback;

import io.dht4j.ErrorCode;
import io.dht4j.NodeId;
import io.dht4j.Version;
import io.dht4j.core.internal.refill.PartitionReadBarrier;
import io.dht4j.core.internal.refill.PartitionReadBarrier.Why;
import io.dht4j.core.internal.repair.RepairException;
import io.dht4j.core.internal.repair.purge.PurgeWatermarks;
import io.dht4j.spi.StoreException;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Detects partitions of a rolled-back disk: another replica has a purge watermark, agreed on by all replicas, that this
 * node does not know of. Reads of such a partition are refused until it has been compared with all its other replicas,
 * as for a partition whose content was lost. Safe for use by any number of threads.
 */
public final class RollbackDetector {

    private static final Logger LOG = LoggerFactory.getLogger(RollbackDetector.class);

    private static final Listener NOBODY = new Listener() {
        @Override
        public void heard(String from, BitSet partitions) {}

        @Override
        public void claimed(String from, BitSet partitions) {}

        @Override
        public void doubted(BitSet partitions) {}

        @Override
        public void overtaken() {}
    };

    private final PurgeWatermarks fence;
    private final PartitionReadBarrier unfilled;
    private final Predicate<Version> isTooFarAhead;
    private final Runnable closed;
    private volatile Listener listener = NOBODY;

    /** A copy of the rolled-back partitions, read without a lock. Replaced as a whole, never changed. */
    private volatile Map<Integer, Version> overtaken = Map.of();

    // Guarded by this.
    /** By node name: the partitions for which the node's purge watermark lies too far ahead of this node's clock. */
    private final Map<String, BitSet> unclear = new HashMap<>();

    /** Receives what is detected. Called on a store thread. */
    public interface Listener {

        /** Another node has reported its purge watermarks of some partitions, and they have been checked. */
        void heard(String from, BitSet partitions);

        /**
         * Another node has reported, unasked, higher purge watermarks than this node knows of. It must be asked, since
         * only a reply proves its sender.
         */
        void claimed(String from, BitSet partitions);

        /** All other nodes must be asked about some partitions, once they have had time to learn of the purge. */
        void doubted(BitSet partitions);

        /** Some partitions must be repaired before they are read. */
        void overtaken();
    }

    /**
     * Creates a detector that knows nothing yet.
     *
     * @param fence the watermarks that this node's disk holds
     * @param unfilled refuses reads of partitions
     * @param isTooFarAhead whether a version lies too far ahead of this node's clock to come from a correct clock
     * @param closed runs, on a store thread, each time reads of some partitions begin to be refused
     */
    public RollbackDetector(
            PurgeWatermarks fence, PartitionReadBarrier unfilled, Predicate<Version> isTooFarAhead, Runnable closed) {
        this.fence = fence;
        this.unfilled = unfilled;
        this.isTooFarAhead = isTooFarAhead;
        this.closed = closed;
    }

    /** Closes the partitions that were known to be rolled back before the start, and sets the listener. */
    public void follow(Listener whoever) {
        listener = whoever;
        closeOvertaken();
    }

    /** Refuses reads of the rolled-back partitions. */
    private synchronized void closeOvertaken() {
        overtaken = Map.copyOf(fence.overtaken());
        BitSet some = new BitSet();
        overtaken.keySet().forEach(some::set);
        unfilled.set(Why.SET_BACK, some);
    }

    /**
     * Records rolled-back partitions. Synchronized, so that a thread that finds the same rollback continues only after
     * reads are refused.
     */
    private synchronized BitSet overtake(Map<Integer, Version> there) {
        BitSet news = fence.overtake(there);
        if (!news.isEmpty()) {
            closeOvertaken();
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
     * @throws RepairException if some watermarks are impossible by this node's clock; the others count. Reads of the
     *     partitions concerned are refused until the node answers otherwise
     */
    public void heard(String from, BitSet partitions, List<Long> purged) {
        Map<Integer, Version> there = byPartition(partitions, purged);
        BitSet unclear = keepUnclear(from, there);
        there.keySet().removeIf(unclear::get);
        learn(from, there);
        BitSet clear = (BitSet) partitions.clone();
        clear.andNot(unclear);
        listener.heard(from, clear);
        refuse(from, unclear);
    }

    /**
     * Returns whether another node's purge watermarks {@linkplain #requirePossible must be checked}, which is rare.
     * Does not block.
     */
    public boolean isInDoubt(String from, Map<Integer, Version> there) {
        return there.values().stream().anyMatch(isTooFarAhead) || isUnclear(from);
    }

    private synchronized boolean isUnclear(String from) {
        return !unclear.getOrDefault(from, new BitSet()).isEmpty();
    }

    /**
     * Checks that another node's purge watermarks are possible, before anything is concluded from them. Blocks.
     *
     * @param from the other node's name
     * @param there its purge watermarks of some partitions
     * @throws RepairException if some watermarks are impossible by this node's clock. Reads of the partitions concerned
     *     are refused until the node answers otherwise
     */
    public void requirePossible(String from, Map<Integer, Version> there) {
        refuse(from, keepUnclear(from, there));
    }

    /**
     * Refuses reads of partitions whose reported watermark is impossible. A purged version is long past by the clock of
     * every replica, this one included. If it lies further ahead of this node's clock than clocks may differ, one of
     * the clocks is wrong. Most likely it is this one, on a machine that was rolled back as a whole. Accepting the
     * watermark would refuse all writes up to that time, and would spread it to other nodes. Ignoring it might show
     * deleted entries. So reads are refused until the clock is right or the other node answers otherwise.
     *
     * @return the partitions with an impossible watermark
     */
    private BitSet keepUnclear(String from, Map<Integer, Version> there) {
        BitSet now = fence.beyond(there);
        there.forEach((partition, version) -> now.set(partition, now.get(partition) && isTooFarAhead.test(version)));
        boolean begins;
        boolean ends;
        synchronized (this) {
            BitSet before = unclear.getOrDefault(from, new BitSet());
            BitSet after = (BitSet) before.clone();
            there.keySet().forEach(after::clear);
            after.or(now);
            begins = before.isEmpty() && !after.isEmpty();
            ends = !before.isEmpty() && after.isEmpty();
            if (!after.equals(before)) {
                unclear.put(from, after);
                BitSet all = new BitSet();
                unclear.values().forEach(all::or);
                unfilled.set(Why.UNCLEAR, all);
            }
        }
        if (begins) {
            closed.run();
            LOG.warn(
                    "{} says that {} partitions have been purged up to a time that this node's clock is far "
                            + "from: they are not read until that is clear; check both clocks",
                    from,
                    now.cardinality());
        } else if (ends) {
            LOG.warn("what {} says that has been purged is clear now", from);
        }
        return now;
    }

    private void refuse(String from, BitSet partitions) {
        if (!partitions.isEmpty()) {
            listener.claimed(from, partitions);
            throw new RepairException(
                    ErrorCode.VERSION_TOO_FAR_AHEAD,
                    "node " + from + ": it says that " + partitions.cardinality()
                            + " partitions have been purged up to a time that this node's clock is far from");
        }
    }

    /**
     * Compares this node with purge watermarks that came in another node's request. Those that this node knows of count
     * as heard; the sender is asked about the others.
     */
    public void told(String from, BitSet partitions, List<Long> purged) {
        BitSet claimed = fence.beyond(byPartition(partitions, purged));
        BitSet fitting = (BitSet) partitions.clone();
        fitting.andNot(claimed);
        listener.heard(from, fitting);
        if (!claimed.isEmpty()) {
            listener.claimed(from, claimed);
        }
    }

    private static Map<Integer, Version> byPartition(BitSet partitions, List<Long> purged) {
        Map<Integer, Version> there = new HashMap<>();
        int index = 0;
        for (int i = partitions.nextSetBit(0); i >= 0; i = partitions.nextSetBit(i + 1)) {
            there.put(i, new Version(purged.get(index++)));
        }
        return there;
    }

    /**
     * Compares this node with the purge watermarks of another node, and records where this node's disk was rolled back.
     */
    public void learn(String from, Map<Integer, Version> there) {
        BitSet news = overtake(there);
        if (news.isEmpty()) {
            return;
        }
        closed.run();
        tell(from, news);
        try {
            fence.rememberOvertaken();
        } catch (StoreException e) {
            LOG.error("it cannot be kept that the disk was set back; a restart finds it out again: {}", e.getMessage());
        }
        listener.overtaken();
    }

    /** Logs a rollback, except for partitions that are being refilled: their loss has been logged. */
    private void tell(String from, BitSet news) {
        BitSet untold = (BitSet) news.clone();
        untold.andNot(lost());
        if (!untold.isEmpty()) {
            LOG.warn(
                    "the disk of this node was set back: {} says that {} partitions have been purged further "
                            + "than this node knows of; they are repaired first, and until then this"
                            + " node takes writes of them and refuses reads",
                    from,
                    untold.cardinality());
        }
    }

    /** Handles an order to purge. If this node does not know that it has agreed, others do, or will: they are asked. */
    public void ordered(BitSet partitions, Version before) {
        BitSet doubted = fence.beyond(fence.notSealedSince(partitions, before).stream()
                .boxed()
                .collect(Collectors.toMap(partition -> partition, partition -> before)));
        if (!doubted.isEmpty()) {
            listener.doubted(doubted);
        }
    }

    /** Returns the rolled-back partitions, and the version up to which each must catch up. Does not block. */
    public Map<Integer, Version> overtaken() {
        return overtaken;
    }

    /** Returns the partitions whose content was lost and is not yet completely refilled. Does not block. */
    public BitSet lost() {
        return unfilled.of(Why.LOST);
    }

    /** Allows reads again of partitions that hold what the other replicas hold. Blocks until that is on the disk. */
    public void caughtUp(NodeId self, Map<Integer, Version> upTo, BitSet fences) {
        if (!upTo.isEmpty()) {
            fence.caughtUp(upTo, fences);
            closeOvertaken();
            LOG.info("{}: {} partitions that were set back hold what the others hold", self, upTo.size());
            if (overtaken.isEmpty() && lost().isEmpty()) {
                // At the level of the warning at the beginning.
                LOG.warn("{}: what was set back is repaired: everything is read again", self);
            }
        }
    }
}
