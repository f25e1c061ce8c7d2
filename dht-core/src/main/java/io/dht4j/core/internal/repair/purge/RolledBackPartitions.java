package io.dht4j.core.internal.repair.purge;

import static java.util.Objects.requireNonNull;

import io.dht4j.Version;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.view.DivergedPartitions;
import io.dht4j.spi.Store;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntPredicate;

/**
 * The partitions in which this node's disk has lost a vote: the purge watermark of another replica is higher than the
 * fence watermark here. Contains only partitions that this node replicates. Safe for use by any number of threads.
 */
public final class RolledBackPartitions {

    private final Store store;
    private final DurableStates states;
    private final IntPredicate owns;
    private final DivergedPartitions diverged;

    RolledBackPartitions(Store store, DurableStates states, IntPredicate owns, DivergedPartitions diverged) {
        this.store = store;
        this.states = states;
        this.owns = owns;
        this.diverged = diverged;
    }

    /**
     * Compares the fence watermarks with the purge watermarks of another node; quick. Where the other one is higher,
     * this node's disk was rolled back until it has {@linkplain #caughtUp caught up}.
     *
     * @param purgedElsewhere another node's purge watermarks of some partitions
     * @return the partitions where a rollback, or a higher watermark, is new
     */
    public PartitionSet add(Map<Integer, Version> purgedElsewhere) {
        return states.change(all -> PartitionSet.of(purgedElsewhere.keySet())
                .filter(owns)
                .filter(partition -> all.rollBack(partition, requireNonNull(purgedElsewhere.get(partition)))));
    }

    /** Returns the partitions whose purge watermark on another node is higher than all known ones. */
    public PartitionSet unknown(Map<Integer, Version> purgedElsewhere) {
        return states.read(all -> PartitionSet.of(purgedElsewhere.keySet())
                .filter(owns)
                .filter(partition -> all.isUnknown(partition, requireNonNull(purgedElsewhere.get(partition)))));
    }

    /** Removes the partitions that this node no longer replicates. Returns whether there were some. */
    public boolean forgetForeign() {
        return states.change(all -> {
            PartitionSet foreign = PartitionSet.matching(states.partitions(), owns.negate())
                    .filter(partition -> all.rolledBack(partition).packed() != 0);
            foreign.forEach(partition -> all.endRollback(partition, all.rolledBack(partition)));
            return !foreign.isEmpty();
        });
    }

    /** Writes them to the store, so that they survive a restart. Blocks. */
    public void write() {
        states.writeRollbacks();
    }

    /**
     * Returns them, with the highest purge watermark of the others, and the partitions in which this node has diverged,
     * with zero if no purge of them is known.
     */
    public Map<Integer, Version> all() {
        Map<Integer, Version> some = new HashMap<>();
        long[] limits = states.read(PartitionStates::rollbacks);
        for (int i = 0; i < limits.length; i++) {
            if (limits[i] != 0 || diverged.contains(i)) {
                some.put(i, new Version(limits[i]));
            }
        }
        return some;
    }

    /**
     * Records that this node has caught up with the others in some partitions. It refuses the same old entries there,
     * and is no longer rolled back, unless a higher purge watermark has been found since. Blocks until that is on the
     * disk.
     *
     * @param upTo some partitions, with the purge watermark of the others when the comparison began
     * @param confirmed the partitions whose watermark is confirmed by a replica that had voted for it; no entry is
     *     refused in the others
     * @return the partitions without a higher purge watermark since then
     */
    public PartitionSet caughtUp(Map<Integer, Version> upTo, PartitionSet confirmed) {
        // The entries must be on the disk before the watermark: others consider an entry that is missing below it
        // deleted.
        store.settle();
        PartitionSet done = states.change(all -> PartitionSet.of(upTo.keySet())
                .filter(partition ->
                        all.catchUp(partition, requireNonNull(upTo.get(partition)), confirmed.contains(partition))));
        if (done.isEmpty()) {
            return done;
        }
        if (done.intersects(confirmed)) {
            states.purgeIsDue();
        }
        states.writeWatermarks();
        // Last: after a crash or a failure, the partition has its watermark or is still rolled back.
        states.endRollbacks(done, upTo);
        return done;
    }
}
