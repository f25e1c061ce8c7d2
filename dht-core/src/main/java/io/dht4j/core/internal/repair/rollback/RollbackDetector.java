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
 * Knows where this node's disk was set back: another replica has been told that all had agreed on a fence, this one
 * included, and this one does not know of it. Such a partition is not read until it has been compared with all its
 * other replicas, like one whose content was lost. Safe for use by any number of threads.
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

    /** What the fence says, so that nobody has to wait for it. Replaced as a whole, never changed. */
    private volatile Map<Integer, Version> overtaken = Map.of();

    // Guarded by this.
    /** By the name of each node, of which partitions it says what cannot be. */
    private final Map<String, BitSet> unclear = new HashMap<>();

    /** Wants to know what is found out. Called on a store thread. */
    public interface Listener {

        /** Another node has said how far it has purged some partitions, and that has been looked at. */
        void heard(String from, BitSet partitions);

        /**
         * Another node says by itself that it has purged some partitions further than this one knows of. It must be
         * asked: whoever asks knows who answers.
         */
        void claimed(String from, BitSet partitions);

        /** All others must be asked about some partitions, when they have had time to learn themselves. */
        void doubted(BitSet partitions);

        /** There is something to repair before it is read. */
        void overtaken();
    }

    /**
     * Nothing is known yet.
     *
     * @param fence what this node's disk knows
     * @param unfilled is told what must not be read
     * @param isTooFarAhead whether the clock of another node, if it is right, cannot have shown a version yet
     * @param closed runs each time that partitions had been read which must not be, on a store thread
     */
    public RollbackDetector(
            PurgeWatermarks fence, PartitionReadBarrier unfilled, Predicate<Version> isTooFarAhead, Runnable closed) {
        this.fence = fence;
        this.unfilled = unfilled;
        this.isTooFarAhead = isTooFarAhead;
        this.closed = closed;
    }

    /** Goes on with what was known before the start, and tells somebody of what is found out. */
    public void follow(Listener whoever) {
        listener = whoever;
        closeOvertaken();
    }

    /** Keeps from being read what must not be. */
    private synchronized void closeOvertaken() {
        overtaken = Map.copyOf(fence.overtaken());
        BitSet some = new BitSet();
        overtaken.keySet().forEach(some::set);
        unfilled.set(Why.SET_BACK, some);
    }

    /** Whoever learns of the same at the same time goes on when it is closed too. */
    private synchronized BitSet overtake(Map<Integer, Version> there) {
        BitSet news = fence.overtake(there);
        if (!news.isEmpty()) {
            closeOvertaken();
        }
        return news;
    }

    /**
     * Compares with what another node has answered. Nothing that it shows to be set back is read once this has
     * returned. Blocks until that is remembered.
     *
     * @param from its name
     * @param partitions of which
     * @param purged of each of them, ascending: how far it was told that all replicas had agreed, packed
     * @throws RepairException if some of that cannot be, by this node's clock; the rest counts, and those partitions
     *     are not read until the node has answered otherwise
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
     * Whether what another node says of its purges {@linkplain #requirePossible must be looked at}, which is seldom.
     * Does not block.
     */
    public boolean isInDoubt(String from, Map<Integer, Version> there) {
        return there.values().stream().anyMatch(isTooFarAhead) || isUnclear(from);
    }

    private synchronized boolean isUnclear(String from) {
        return !unclear.getOrDefault(from, new BitSet()).isEmpty();
    }

    /**
     * Looks whether another node can have purged what it says, before anything is concluded from it. Blocks.
     *
     * @param from its name
     * @param there of some partitions, how far it was told that all replicas had agreed
     * @throws RepairException if some of that cannot be, by this node's clock; those partitions are not read until the
     *     node has answered otherwise
     */
    public void requirePossible(String from, Map<Integer, Version> there) {
        refuse(from, keepUnclear(from, there));
    }

    /**
     * A version that was purged was long past by the clock of every replica, this one included. If it lies ahead of
     * this node's clock by more than clocks may differ, one of the two is wrong: most likely this one, that of a
     * machine which was set back as a whole. To believe the claim would keep out all that is written until that time
     * comes, and would tell it on to others; to ignore it might show what was deleted. So the partition is not read
     * until the clock is right or the other node says otherwise.
     *
     * @return the partitions of which this is so
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

    /** The same, said by somebody who was not asked. What fits is believed, and the rest is asked about. */
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

    /** Compares with what another node has answered about some partitions. */
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

    /** Of what is refilled it is known that the disk lacks it. */
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

    /** An order to purge came. If this node does not know that it has agreed, others do, or will. */
    public void ordered(BitSet partitions, Version before) {
        BitSet doubted = fence.beyond(fence.notSealedSince(partitions, before).stream()
                .boxed()
                .collect(Collectors.toMap(partition -> partition, partition -> before)));
        if (!doubted.isEmpty()) {
            listener.doubted(doubted);
        }
    }

    /** Where this node must catch up, and how far. Does not block. */
    public Map<Integer, Version> overtaken() {
        return overtaken;
    }

    /** Where what was held is gone, and not there again as a whole. Does not block. */
    public BitSet lost() {
        return unfilled.of(Why.LOST);
    }

    /** Lets partitions be read again that hold what the others hold. Blocks until that is remembered. */
    public void caughtUp(NodeId self, Map<Integer, Version> upTo, BitSet fences) {
        if (!upTo.isEmpty()) {
            fence.caughtUp(upTo, fences);
            closeOvertaken();
            LOG.info("{}: {} partitions that were set back hold what the others hold", self, upTo.size());
            if (overtaken.isEmpty() && lost().isEmpty()) {
                // As loud as its beginning.
                LOG.warn("{}: what was set back is repaired: everything is read again", self);
            }
        }
    }
}
