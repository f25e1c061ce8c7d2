package io.dht4j.core.internal.repair.purge;

import static java.util.Objects.requireNonNull;

import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.core.internal.membership.Views;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.spi.Entry;
import io.dht4j.spi.Store;
import io.dht4j.spi.StoreException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.BooleanSupplier;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Decides, for each partition, which entries are refused as too old, and which dead entries are purged.
 *
 * <p>A tombstone is purged only when every replica has had it and nothing that it deleted can arrive any more. A
 * two-phase commit ensures that, after J. Gray, <em>Notes on Data Base Operating Systems</em>, 1978. A repair session
 * is the coordinator, which may be any replica; all replicas of the partition are the participants. This is the
 * participant.
 *
 * <ol>
 *   <li><em>Work.</em> The session {@linkplain #seal seals} the partition at a version well in the past. From then on
 *       each participant records whether anything older arrives, and accepts it. The session reconciles all replicas.
 *   <li><em>Prepare.</em> If the replicas were equal up to the seal, the session requests each participant's
 *       {@linkplain #prepare vote}. A participant votes yes only if nothing older has arrived since the seal. It then
 *       refuses what is older, also after a restart: it is prepared.
 *   <li><em>Decide.</em> If all vote yes, they hold the same entries up to the seal, now and later. The coordinator
 *       {@linkplain #commit commits} at itself first, so that the decision is on its disk, and then orders the others
 *       to commit. Each may purge what is dead and older at any time from then on. Without all votes the transaction is
 *       aborted: the coordinator sends nothing.
 *   <li><em>Resolve.</em> A prepared participant that does not learn the decision is in doubt and continues to refuse.
 *       The next session {@linkplain #resolve resolves} the doubt: the transaction was committed if any replica has
 *       committed it, else aborted.
 * </ol>
 *
 * <p>So each partition has two watermarks: the fence watermark, below which entries are refused, is the last vote; the
 * purge watermark, below which dead entries are purged, is the last commit. No replica's purge watermark exceeds any
 * replica's fence watermark. A replica whose fence watermark is below another one's purge watermark has lost its vote:
 * its disk was rolled back. It votes no there, and refuses what the others refuse, until it holds what they hold.
 * {@link PartitionStates} has the table of states.
 *
 * <p>Safe for use by any number of threads. Writes share a lock that changes of watermarks take exclusively, for a
 * short time.
 */
public final class PurgeWatermarks {

    private static final Version NONE = new Version(0);

    private final Store store;
    private final PurgeWatermarkFile file;
    private final ToIntFunction<Key> partitionOf;
    /** Whether a slot of a partition moves: then its watermarks stay. Asked under the lock. */
    private final IntPredicate moves;
    /** Whether this node is a replica of a partition. Asked under the lock. */
    private final IntPredicate owns;

    private final ReentrantReadWriteLock lock;
    /** Guarded by the lock. */
    private final PartitionStates states;

    private final WatermarkFilter filter;

    /** The purge watermarks on the disk, for readers that do not wait for writes in flight. Replaced as a whole. */
    private volatile long[] purgedOnDisk;

    /** Guarded by the lock. True after a start too, since the progress of the last purge is unknown. */
    private boolean purgeIsDue = true;

    /** Serializes writes of the metadata. */
    private final Object writing = new Object();

    /**
     * Creates watermarks of zero.
     *
     * @param store stores the watermarks
     * @param partitions the number of partitions
     * @param partitionOf returns a key's partition
     */
    public PurgeWatermarks(Store store, int partitions, ToIntFunction<Key> partitionOf) {
        this(
                store,
                partitions,
                partitionOf,
                partition -> false,
                partition -> true,
                partition -> false,
                new ReentrantReadWriteLock());
    }

    /**
     * Creates watermarks of zero, which share the lock of the views. So no watermark of a partition changes after a
     * view is installed in which a slot of it moves.
     *
     * @param store stores the watermarks
     * @param views the replicas of each partition
     * @param copying returns whether a partition is being copied from its owner; quick
     */
    public PurgeWatermarks(Store store, Views views, IntPredicate copying) {
        this(
                store,
                views.current().partitions(),
                key -> views.current().partitionOf(key),
                partition -> views.current().isMoving(partition),
                partition -> views.current().owns(partition),
                copying,
                views.applying());
    }

    private PurgeWatermarks(
            Store store,
            int partitions,
            ToIntFunction<Key> partitionOf,
            IntPredicate moves,
            IntPredicate owns,
            IntPredicate copying,
            ReentrantReadWriteLock lock) {
        this.lock = lock;
        this.store = store;
        this.partitionOf = partitionOf;
        this.moves = moves;
        this.owns = owns;
        this.states = new PartitionStates(partitions, copying);
        this.filter = new WatermarkFilter(store, states, partitionOf, lock.readLock());
        this.purgedOnDisk = new long[partitions];
        this.file = new PurgeWatermarkFile(store);
    }

    /**
     * Loads the watermarks from the store. Blocks.
     *
     * @throws StoreException if the store cannot read them
     */
    public void load() {
        long[] fenced = new long[purgedOnDisk.length];
        long[] purged = new long[purgedOnDisk.length];
        long[] rolledBack = new long[purgedOnDisk.length];
        file.load(fenced, purged, rolledBack);
        purgedOnDisk = changing(() -> {
            for (int i = 0; i < rolledBack.length; i++) {
                rolledBack[i] = owns.test(i) ? rolledBack[i] : 0;
            }
            states.restore(fenced, purged, rolledBack);
            return purged;
        });
    }

    private <T> T changing(Supplier<T> change) {
        lock.writeLock().lock();
        try {
            return change.get();
        } finally {
            lock.writeLock().unlock();
        }
    }

    private <T> T reading(Supplier<T> query) {
        lock.readLock().lock();
        try {
            return query.get();
        } finally {
            lock.readLock().unlock();
        }
    }

    /**
     * The outcome of applying entries.
     *
     * @param refused the first entry that is refused; empty if all are in the store
     * @param newest if none is refused: for each entry, in order, the newest version of its key in the store at that
     *     time
     */
    public record Applied(Optional<Entry> refused, List<Version> newest) {}

    /**
     * Applies entries to the store, all or none. An entry below its partition's fence watermark is accepted only if it
     * changes nothing: the store holds it, or a newer one, or has purged it. Blocks as the store does.
     *
     * @param entries the entries
     * @param condition is tested with the lock held, so that it holds until the store has the entries
     * @return the outcome; null if the condition does not hold, so that nothing was done
     * @throws StoreException if the store fails
     */
    public @Nullable Applied apply(List<Entry> entries, BooleanSupplier condition) {
        return filter.apply(entries, false, condition);
    }

    /**
     * Applies entries that this node has fetched from complete replicas. Differs from {@link #apply} only where this
     * node's disk was rolled back: there, only this node's own purge watermark counts. Blocks as the store does.
     *
     * @param entries the entries, as others hold them
     * @param condition is tested with the lock held
     * @return the outcome; null if the condition does not hold
     * @throws StoreException if the store fails
     */
    public @Nullable Applied refill(List<Entry> entries, BooleanSupplier condition) {
        return filter.apply(entries, true, condition);
    }

    /**
     * Seals partitions: records everything older that arrives from now on. On return, all entries accepted before are
     * in the store. Requests that name an earlier seal are refused from now on. A partition that moves is not sealed.
     *
     * @return false if one of the partitions is sealed at a newer version, or moves
     */
    public boolean seal(PartitionSet partitions, Version seal) {
        return changing(() -> partitions
                .filter(partition -> moves.test(partition) || !states.seal(partition, seal))
                .isEmpty());
    }

    /** Returns those of some partitions of which no slot moves. Called with the lock held. */
    private PartitionSet settled(PartitionSet partitions) {
        return partitions.filter(moves.negate());
    }

    /**
     * Prepares this participant to commit: raises the fence watermark of partitions in which nothing older has arrived
     * since the seal. Blocks until that is on the disk.
     *
     * @return the partitions in which this participant votes yes, none of which moves
     */
    public PartitionSet prepare(PartitionSet partitions, Version seal) {
        PartitionSet votes = changing(() -> settled(partitions).filter(partition -> states.prepare(partition, seal)));
        if (!votes.isEmpty()) {
            writeWatermarks();
        }
        return votes;
    }

    /**
     * Commits: raises the purge watermark of partitions in which this participant has voted yes in the session of the
     * last seal. Blocks until that is on the disk. A partition that moves stays in doubt.
     *
     * @return the partitions that are committed
     */
    public PartitionSet commit(PartitionSet partitions, Version seal) {
        if (partitions.isEmpty()) {
            return partitions;
        }
        PartitionSet committed = changing(() -> {
            PartitionSet done = settled(partitions).filter(partition -> states.commit(partition, seal));
            purgeIsDue |= !done.isEmpty();
            return done;
        });
        writeWatermarks();
        return committed;
    }

    /**
     * Ends the doubt whether earlier transactions were committed: sets both watermarks to the highest purge watermark
     * of any replica. Sessions that could decide otherwise name an older seal, which every participant refuses. A
     * partition that moves stays in doubt. Blocks until that is on the disk.
     *
     * @param partitions the partitions
     * @param outcome the highest purge watermark of any replica
     * @param seal the seal of the session that found it
     */
    public void resolve(PartitionSet partitions, Version outcome, Version seal) {
        if (partitions.isEmpty()) {
            return;
        }
        changing(() -> purgeIsDue |= !settled(partitions)
                .filter(partition -> states.resolve(partition, outcome, seal))
                .isEmpty());
        writeWatermarks();
    }

    private void writeWatermarks() {
        synchronized (writing) {
            // Together, so that the purge watermarks on the disk do not exceed the fence watermarks either.
            long[][] both = reading(() -> new long[][] {states.fences(), states.purges()});
            file.writeWatermarks(both[0], both[1]);
            // Only watermarks on the disk are reported to others.
            purgedOnDisk = both[1];
        }
    }

    /**
     * Returns the seal of each partition, by its number. It changes with each session in which the partition's replicas
     * take part.
     */
    public long[] seals() {
        return reading(states::seals);
    }

    /** Returns a partition's fence watermark: older entries are refused. */
    public Version fenced(int partition) {
        return reading(() -> states.fenced(partition));
    }

    /** Returns a partition's purge watermark, as it is on the disk. Does not block. */
    public Version purged(int partition) {
        return new Version(purgedOnDisk[partition]);
    }

    /** A replica's purge and fence watermarks of a partition. */
    public record Pair(Version purged, Version fenced) {

        /** The watermarks of a replica that has purged nothing and voted for nothing. */
        public static final Pair ZERO = new Pair(NONE, NONE);
    }

    /**
     * Returns the watermarks of a partition from which others may draw conclusions. They are zero where this node's
     * disk is rolled back or the partition is being copied. An entry that is missing there was not necessarily deleted,
     * and this node has not voted for what the others have purged.
     */
    public Pair reported(int partition) {
        return reading(() -> switch (states.state(partition)) {
            case ROLLED_BACK, COPYING -> Pair.ZERO;
            case OPEN, SEALED, BROKEN, FENCED, PURGED -> new Pair(states.purged(partition), states.fenced(partition));
        });
    }

    /**
     * Begins to refuse what the owners of partitions refuse, which this node copies. Blocks until that is on the disk.
     *
     * @param fences the fence watermark of each partition's owner
     */
    public void beginCopy(Map<Integer, Version> fences) {
        changing(() -> {
            fences.forEach(states::beginCopy);
            return fences;
        });
        writeRollbacks();
        writeWatermarks();
    }

    /**
     * Adopts watermarks in partitions that hold what their owners hold. Blocks until the entries and the watermarks are
     * on the disk.
     *
     * @param owners the highest watermarks of each partition's owners
     */
    public void adopt(Map<Integer, Pair> owners) {
        // The entries must be on the disk before the watermark: others take what is missing below it for deleted.
        store.settle();
        changing(() -> {
            owners.forEach((partition, pair) -> states.adopt(partition, pair.fenced(), pair.purged()));
            purgeIsDue = true;
            return owners;
        });
        writeWatermarks();
    }

    /** Returns whether more can be purged than at the last call. */
    public boolean takePurgeDue() {
        return changing(() -> {
            boolean due = purgeIsDue;
            purgeIsDue = false;
            return due;
        });
    }

    /** Records that a purge is incomplete. */
    public void purgeAgain() {
        changing(() -> purgeIsDue = true);
    }

    /** Returns a predicate for the entries that can be purged now. */
    public Predicate<Entry> purgeable() {
        long[] limits = reading(states::purges);
        return entry -> WatermarkFilter.isPurgeable(entry, new Version(limits[partitionOf.applyAsInt(entry.key())]));
    }

    /**
     * Compares the fence watermarks with the purge watermarks of another node; quick. Where that one is higher, this
     * node's disk was rolled back, and it stays so until it has {@linkplain #caughtUp caught up}.
     *
     * @param purgedElsewhere another node's purge watermarks of some partitions
     * @return the partitions where a rollback, or a higher watermark, is new
     */
    public PartitionSet rollBack(Map<Integer, Version> purgedElsewhere) {
        return changing(() -> PartitionSet.of(purgedElsewhere.keySet())
                .filter(owns)
                .filter(partition -> states.rollBack(partition, requireNonNull(purgedElsewhere.get(partition)))));
    }

    /** Returns the partitions whose purge watermark on another node is higher than this node knows of. */
    public PartitionSet unknown(Map<Integer, Version> purgedElsewhere) {
        return reading(() -> PartitionSet.of(purgedElsewhere.keySet())
                .filter(owns)
                .filter(partition -> states.isUnknown(partition, requireNonNull(purgedElsewhere.get(partition)))));
    }

    /**
     * Returns those of some partitions whose seal is older than a version. For the others, a message with that version
     * is outdated.
     */
    public PartitionSet sealedBefore(PartitionSet partitions, Version seal) {
        return reading(() -> partitions.filter(partition -> states.isSealedBefore(partition, seal)));
    }

    /** Ends all rollbacks of partitions that this node is no replica of any more. Returns whether there were some. */
    public boolean forgetForeign() {
        return changing(() -> {
            PartitionSet foreign = PartitionSet.matching(purgedOnDisk.length, owns.negate())
                    .filter(partition -> states.rolledBack(partition).packed() != 0);
            foreign.forEach(partition -> states.endRollback(partition, states.rolledBack(partition)));
            return !foreign.isEmpty();
        });
    }

    /** Writes to the store where this node is rolled back, so that it survives a restart. Blocks. */
    public void writeRollbacks() {
        synchronized (writing) {
            file.writeRollbacks(reading(states::rollbacks));
        }
    }

    /** Returns the partitions where this node's disk is rolled back, with the highest purge watermark of the others. */
    public Map<Integer, Version> rolledBack() {
        Map<Integer, Version> some = new HashMap<>();
        long[] limits = reading(states::rollbacks);
        for (int i = 0; i < limits.length; i++) {
            if (limits[i] != 0) {
                some.put(i, new Version(limits[i]));
            }
        }
        return some;
    }

    /**
     * Records that this node holds what the others hold in some partitions. It refuses what they refuse there, and is
     * no longer rolled back, unless a higher purge watermark has been found since. Blocks until that is on the disk.
     *
     * @param upTo some partitions, with the purge watermark of the others when the comparison began
     * @param confirmed those of them whose watermark is confirmed by a replica that had voted for it; nothing is
     *     refused in others
     */
    public void caughtUp(Map<Integer, Version> upTo, PartitionSet confirmed) {
        // The entries must be on the disk before the watermark: others take what is missing below it for deleted.
        store.settle();
        IntPredicate catchUp = partition ->
                states.catchUp(partition, requireNonNull(upTo.get(partition)), confirmed.contains(partition));
        PartitionSet done = changing(() -> {
            PartitionSet known = PartitionSet.of(upTo.keySet()).filter(catchUp);
            purgeIsDue |= known.intersects(confirmed);
            return known;
        });
        if (done.isEmpty()) {
            return;
        }
        writeWatermarks();
        // Last, and first on the disk: after a crash or a failure, the partition has its watermark or is still rolled
        // back.
        synchronized (writing) {
            long[] left = reading(states::rollbacks);
            // What was found out since stays.
            done.filter(partition -> left[partition]
                            == requireNonNull(upTo.get(partition)).packed())
                    .forEach(partition -> left[partition] = 0);
            file.writeRollbacks(left);
            changing(() -> {
                done.forEach(partition -> states.endRollback(partition, requireNonNull(upTo.get(partition))));
                return done;
            });
        }
    }
}
