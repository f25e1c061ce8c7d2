package io.dht4j.core.internal.repair.purge;

import io.dht4j.Version;
import io.dht4j.spi.Entry;
import java.util.List;
import java.util.function.IntPredicate;

/**
 * The states of all partitions at one replica, and the only transitions between them. Each session runs a transaction
 * of its own for a partition; its seal identifies it.
 *
 * <table>
 * <caption>States and transitions</caption>
 * <tr><th>state</th><th>older entries</th><th>{@link #seal}</th><th>{@link #accepted}</th><th>{@link #prepare}</th>
 *     <th>{@link #commit}</th><th>{@link #resolve}</th><th>{@link #rollBack}</th></tr>
 * <tr><td>OPEN</td><td>accepted</td><td>SEALED</td><td>OPEN</td><td>votes no</td>
 *     <td>-</td><td>-</td><td>ROLLED_BACK</td></tr>
 * <tr><td>SEALED</td><td>accepted</td><td>SEALED</td><td>BROKEN</td><td>votes yes: FENCED</td>
 *     <td>-</td><td>SEALED</td><td>ROLLED_BACK</td></tr>
 * <tr><td>BROKEN</td><td>accepted</td><td>SEALED</td><td>BROKEN</td><td>votes no</td>
 *     <td>-</td><td>BROKEN</td><td>ROLLED_BACK</td></tr>
 * <tr><td>FENCED</td><td>refused</td><td>SEALED</td><td>-</td><td>votes yes again</td>
 *     <td>PURGED</td><td>PURGED or SEALED</td><td>ROLLED_BACK</td></tr>
 * <tr><td>PURGED</td><td>refused</td><td>SEALED</td><td>-</td><td>votes yes again</td>
 *     <td>PURGED</td><td>-</td><td>ROLLED_BACK</td></tr>
 * <tr><td>ROLLED_BACK</td><td>refused</td><td>ROLLED_BACK</td><td>ROLLED_BACK</td><td>votes no</td>
 *     <td>ROLLED_BACK</td><td>ROLLED_BACK</td><td>ROLLED_BACK</td></tr>
 * <tr><td>COPYING</td><td>accepted</td><td>COPYING</td><td>COPYING</td><td>votes no</td>
 *     <td>-</td><td>-</td><td>-</td></tr>
 * </table>
 *
 * <p>A dash means that nothing changes. <em>Older</em> means older than the seal of the current session; in
 * ROLLED_BACK, older than the highest purge watermark of the others. Entries below the fence watermark, which earlier
 * sessions have raised, are refused in every state. A transition counts only for the version that the state is of; all
 * others, such as those of late messages, change nothing. {@link #catchUp} and {@link #endRollback} lead from
 * ROLLED_BACK back to the state that the watermarks imply, {@link #adopt} does so from COPYING. A participant that is
 * prepared when the next session seals the partition remains in doubt about the earlier transaction: its fence
 * watermark stays above its purge watermark until that session {@linkplain #resolve resolves} it.
 *
 * <p>A partition in which the replica {@linkplain io.dht4j.core.internal.view.DivergedPartitions has diverged} is in
 * ROLLED_BACK too, with watermarks of zero.
 *
 * <p>Seals do not survive a restart; watermarks do. No partition's purge watermark exceeds its fence watermark.
 *
 * <p>Not thread-safe: {@link PurgeWatermarks} guards it by its lock. {@link #accepted} and queries need the lock for
 * reading only, {@link #mayConcern} needs none.
 */
final class PartitionStates {

    /** The seal of each partition; zero for none. */
    private final long[] sealed;
    /** Whether an older entry has arrived since the seal. Set under the lock for reading, and only to true. */
    private final boolean[] broken;
    /** The fence watermark of each partition: this replica has voted for it, and refuses older entries. */
    private final long[] fenced;
    /** The purge watermark of each partition: dead entries older than this are purged. */
    private final long[] purged;
    /**
     * The highest purge watermark of the others for partitions in which this replica is rolled back, zero for the rest.
     */
    private final long[] rolledBack;

    /** Returns whether a partition is being copied from its owner. */
    private final IntPredicate copying;
    /** Returns whether this replica has diverged in a partition, which closes it as a rollback does. */
    private final IntPredicate diverged;

    /** The highest seal or watermark of all partitions: newer entries need no check. */
    private volatile Version highest = new Version(0);

    PartitionStates(int partitions, IntPredicate copying, IntPredicate diverged) {
        this.copying = copying;
        this.diverged = diverged;
        this.sealed = new long[partitions];
        this.broken = new boolean[partitions];
        this.fenced = new long[partitions];
        this.purged = new long[partitions];
        this.rolledBack = new long[partitions];
    }

    /** Continues with the watermarks on the disk. */
    void restore(long[] fences, long[] purges, long[] rollbacks) {
        System.arraycopy(fences, 0, fenced, 0, fenced.length);
        System.arraycopy(purges, 0, purged, 0, purged.length);
        System.arraycopy(rollbacks, 0, rolledBack, 0, rolledBack.length);
        for (int i = 0; i < fenced.length; i++) {
            raiseHighest(new Version(fenced[i]));
            raiseHighest(new Version(rolledBack[i]));
        }
    }

    private void raiseHighest(Version version) {
        if (version.compareTo(highest) > 0) {
            highest = version;
        }
    }

    private static boolean isNewer(Version version, long than) {
        return version.compareTo(new Version(than)) > 0;
    }

    private static boolean isOlder(Version version, long than) {
        return version.compareTo(new Version(than)) < 0;
    }

    /** Returns the state of a partition. */
    PartitionState state(int partition) {
        if (copying.test(partition)) {
            return PartitionState.COPYING;
        }
        if (rolledBack[partition] != 0 || diverged.test(partition)) {
            return PartitionState.ROLLED_BACK;
        }
        if (broken[partition]) {
            return PartitionState.BROKEN;
        }
        if (isNewer(new Version(sealed[partition]), fenced[partition])) {
            return PartitionState.SEALED;
        }
        if (fenced[partition] == 0) {
            return PartitionState.OPEN;
        }
        return purged[partition] == fenced[partition] ? PartitionState.PURGED : PartitionState.FENCED;
    }

    /** Begins the transaction of a newer session. Returns false, and changes nothing, for an older session. */
    boolean seal(int partition, Version seal) {
        if (isNewer(seal, sealed[partition])) {
            sealed[partition] = seal.packed();
            broken[partition] = false;
            raiseHighest(seal);
        }
        return sealed[partition] == seal.packed();
    }

    /** Records that an entry is accepted. */
    void accepted(int partition, Version version) {
        if (isOlder(version, sealed[partition])) {
            broken[partition] = true;
        }
    }

    /** Votes in the session of a seal. After a vote of yes, older entries are refused. */
    boolean prepare(int partition, Version seal) {
        boolean vote = sealed[partition] == seal.packed()
                && switch (state(partition)) {
                    case SEALED, FENCED, PURGED -> true;
                    case OPEN, BROKEN, ROLLED_BACK, COPYING -> false;
                };
        if (vote && isNewer(seal, fenced[partition])) {
            setWatermarks(partition, seal.packed(), purged[partition]);
        }
        return vote;
    }

    /** Commits the transaction of a seal, if it is the current one and this replica has voted for it. */
    boolean commit(int partition, Version seal) {
        boolean voted =
                sealed[partition] == seal.packed() && fenced[partition] == seal.packed() && !copying.test(partition);
        if (voted) {
            setWatermarks(partition, seal.packed(), seal.packed());
        }
        return voted;
    }

    /**
     * Ends the doubt about transactions of earlier sessions: those up to a version were committed, newer ones aborted.
     *
     * @param outcome the highest purge watermark of any replica
     * @param seal the seal of the session that found it; older messages of that kind have no effect
     * @return whether the purge watermark has changed
     */
    boolean resolve(int partition, Version outcome, Version seal) {
        // A replica with a lower fence watermark differed from the others then: its disk is older, or new. The
        // transaction of this session itself is not in doubt.
        if (sealed[partition] != seal.packed()
                || copying.test(partition)
                || fenced[partition] == seal.packed()
                || isOlder(outcome, purged[partition])
                || isNewer(outcome, fenced[partition])) {
            return false;
        }
        boolean rises = isNewer(outcome, purged[partition]);
        setWatermarks(partition, outcome.packed(), outcome.packed());
        return rises;
    }

    /** Returns whether a purge watermark of another replica is higher than the known ones. */
    boolean isUnknown(int partition, Version purgedElsewhere) {
        return isNewer(purgedElsewhere, fenced[partition])
                && isNewer(purgedElsewhere, rolledBack[partition])
                && !copying.test(partition);
    }

    /**
     * Records a purge watermark of another replica. A purge needs the vote of this replica. So if the watermark is
     * higher than its fence watermark, its disk has lost a vote.
     *
     * @return whether the watermark was {@linkplain #isUnknown unknown}
     */
    boolean rollBack(int partition, Version purgedElsewhere) {
        boolean unknown = isUnknown(partition, purgedElsewhere);
        if (unknown) {
            rolledBack[partition] = purgedElsewhere.packed();
            raiseHighest(purgedElsewhere);
        }
        return unknown;
    }

    /**
     * Adopts the watermark of the others, if it is the highest known one, and a replica that had voted for it confirms
     * it. The rollback ends with {@link #endRollback}. A diverged partition may have none to adopt.
     *
     * @return whether it is the highest known one
     */
    boolean catchUp(int partition, Version upTo, boolean confirmed) {
        boolean known = rolledBack[partition] == upTo.packed();
        if (known && confirmed && upTo.packed() != 0) {
            setWatermarks(partition, upTo.packed(), upTo.packed());
        }
        return known;
    }

    /** Ends a rollback, unless a higher purge watermark of the others has become known. */
    void endRollback(int partition, Version upTo) {
        if (rolledBack[partition] == upTo.packed()) {
            rolledBack[partition] = 0;
        }
    }

    /** Begins to refuse the same old entries as the owner of a partition. Earlier watermarks here are discarded. */
    void beginCopy(int partition, Version fence) {
        sealed[partition] = 0;
        broken[partition] = false;
        rolledBack[partition] = 0;
        purged[partition] = 0;
        fenced[partition] = fence.packed();
        raiseHighest(fence);
    }

    /** Adopts the watermarks of the replicas whose content a partition now has. None is lowered. */
    void adopt(int partition, Version fence, Version purge) {
        long newPurge = isNewer(purge, purged[partition]) ? purge.packed() : purged[partition];
        long newFence = isNewer(fence, fenced[partition]) ? fence.packed() : fenced[partition];
        setWatermarks(partition, isNewer(new Version(newPurge), newFence) ? newPurge : newFence, newPurge);
        raiseHighest(new Version(fenced[partition]));
    }

    private void setWatermarks(int partition, long fence, long purge) {
        if (Long.compareUnsigned(purge, fence) > 0 || Long.compareUnsigned(purge, purged[partition]) < 0) {
            throw new IllegalStateException("partition " + partition + ": the purge watermark cannot change from "
                    + purged[partition] + " to " + purge + " where the fence watermark is " + fence);
        }
        fenced[partition] = fence;
        purged[partition] = purge;
    }

    /** Returns whether an entry is old enough for a check. */
    boolean mayConcern(List<Entry> entries) {
        Version limit = highest;
        for (int i = 0; i < entries.size(); i++) {
            if (entries.get(i).version().compareTo(limit) < 0) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns whether entries of a version are refused.
     *
     * @param refills whether this node has fetched them from complete replicas
     */
    boolean refuses(int partition, Version version, boolean refills) {
        long limit;
        if (refills && copying.test(partition)) {
            // The owner decides which entries are too old.
            limit = 0;
        } else if (rolledBack[partition] == 0) {
            limit = fenced[partition];
        } else if (refills) {
            // The others may have aborted a transaction whose decision this node does not know.
            limit = purged[partition];
        } else {
            limit = Long.compareUnsigned(fenced[partition], rolledBack[partition]) > 0
                    ? fenced[partition]
                    : rolledBack[partition];
        }
        return isOlder(version, limit);
    }

    /** Returns whether a seal is newer than the current one. */
    boolean isSealedBefore(int partition, Version seal) {
        return isNewer(seal, sealed[partition]);
    }

    Version fenced(int partition) {
        return new Version(fenced[partition]);
    }

    Version purged(int partition) {
        return new Version(purged[partition]);
    }

    Version rolledBack(int partition) {
        return new Version(rolledBack[partition]);
    }

    /** Returns a copy of all seals. */
    long[] seals() {
        return sealed.clone();
    }

    /** Returns a copy of all fence watermarks. */
    long[] fences() {
        return fenced.clone();
    }

    /** Returns a copy of all purge watermarks. */
    long[] purges() {
        return purged.clone();
    }

    /** Returns a copy of the highest purge watermarks of the others for rolled-back partitions, zero for the rest. */
    long[] rollbacks() {
        return rolledBack.clone();
    }
}
