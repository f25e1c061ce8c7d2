package io.dht4j.core.internal.repair.purge;

import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.core.internal.placement.PartitionSet;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.view.DivergedPartitions;
import io.dht4j.core.internal.view.Views;
import io.dht4j.spi.Entry;
import io.dht4j.spi.Store;
import io.dht4j.spi.StoreException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;

/**
 * Decides, for each partition, which entries are refused as too old, and which dead entries are purged.
 *
 * <p>A tombstone is purged only when every replica has had it and no entry that it deleted can arrive again. A
 * two-phase commit ensures that, after J. Gray, <em>Notes on Data Base Operating Systems</em>, 1978. A repair session
 * is the coordinator, which may be any replica; all replicas of the partition are the participants. This is the
 * participant.
 *
 * <ol>
 *   <li><em>Work.</em> The session {@linkplain #seal seals} the partition at a version well in the past. From then on
 *       each participant records whether older entries arrive, and accepts them. The session reconciles all replicas.
 *   <li><em>Prepare.</em> If the replicas were equal up to the seal, the session requests each participant's
 *       {@linkplain #prepare vote}. A participant votes yes only if nothing older has arrived since the seal. It then
 *       refuses older entries, also after a restart: it is prepared.
 *   <li><em>Decide.</em> If all vote yes, they hold the same entries up to the seal, now and later. The coordinator
 *       {@linkplain #commit commits} at itself first, so that the decision is on its disk, and then orders the others
 *       to commit. Each may purge older dead entries at any time from then on. Without all votes the transaction is
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
    private final ToIntFunction<Key> partitionOf;
    /** Whether a slot of a partition moves: then its watermarks stay. Called under the lock. */
    private final IntPredicate moves;
    /** Whether this node is a replica of a partition. Called under the lock. */
    private final IntPredicate owns;
    /** The partitions in which this node has diverged. */
    private final DivergedPartitions diverged;

    private final PartitionStates all;
    private final DurableStates states;
    private final Lock applying;
    private final RolledBackPartitions rolledBack;

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
                DivergedPartitions.none(),
                new ReentrantReadWriteLock());
    }

    /**
     * Creates watermarks of zero, which share the lock of the views. So after the installation of a view that moves a
     * slot of a partition, its watermarks stay.
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
                partition -> owns(views, partition),
                copying,
                views.diverged(),
                views.applying());
    }

    /**
     * Returns whether this node owns a partition. False while the view of a recovery in which it has diverged is about
     * to be installed: until then, other nodes of the lost side prove nothing about a rollback.
     */
    private static boolean owns(Views views, int partition) {
        ClusterView view = views.current();
        return view.owns(partition) && !views.diverged().isPending(partition, view);
    }

    private PurgeWatermarks(
            Store store,
            int partitions,
            ToIntFunction<Key> partitionOf,
            IntPredicate moves,
            IntPredicate owns,
            IntPredicate copying,
            DivergedPartitions diverged,
            ReentrantReadWriteLock lock) {
        this.store = store;
        this.partitionOf = partitionOf;
        this.moves = moves;
        this.owns = owns;
        this.diverged = diverged;
        this.all = new PartitionStates(partitions, copying, diverged::contains);
        this.states = new DurableStates(store, partitions, all, lock);
        this.applying = lock.readLock();
        this.rolledBack = new RolledBackPartitions(store, states, owns, diverged);
    }

    /**
     * Loads the watermarks from the store. Blocks.
     *
     * @throws StoreException if the store cannot read them
     */
    public void load() {
        states.load(owns);
    }

    /** Returns the partitions in which this node's disk was rolled back. */
    public RolledBackPartitions rolledBack() {
        return rolledBack;
    }

    /** Returns the lock that a writer holds from the check until the store has the entries: no watermark changes. */
    public Lock applying() {
        return applying;
    }

    /**
     * Returns the first of some entries that is refused: it is below its partition's fence watermark, and would change
     * the store. An entry has no effect if the store holds it, or a newer one, or has purged it. Called with
     * {@link #applying} held.
     *
     * @param entries the entries of one write
     * @param refills whether this node has fetched them from complete replicas. Where its disk was rolled back, only
     *     its own purge watermark counts then
     * @param held reads the store; called for entries below the watermark
     */
    public Optional<Entry> refused(List<Entry> entries, boolean refills, Function<Key, Optional<Entry>> held) {
        if (!all.mayConcern(entries)) {
            return Optional.empty();
        }
        return entries.stream()
                .filter(entry -> isTooOld(entry, refills))
                .filter(entry -> held.apply(entry.key())
                        .map(entry::supersedes)
                        .orElseGet(() -> !isPurgeable(entry, all.purged(partitionOf(entry)))))
                .findFirst();
    }

    /**
     * Accepts a write without {@linkplain #refused refused} entries. Called with {@link #applying} held. Costs no
     * allocation for entries that need no check.
     *
     * @param entries the entries
     * @param refills whether this node has fetched them from complete replicas
     * @return the entries to merge, in the same order: without those below their partition's watermark
     */
    public List<Entry> accept(List<Entry> entries, boolean refills) {
        if (!all.mayConcern(entries)) {
            return entries;
        }
        List<Entry> accepted =
                entries.stream().filter(entry -> !isTooOld(entry, refills)).toList();
        accepted.forEach(entry -> all.accepted(partitionOf(entry), entry.version()));
        return accepted;
    }

    private boolean isTooOld(Entry entry, boolean refills) {
        return all.refuses(partitionOf(entry), entry.version(), refills);
    }

    private int partitionOf(Entry entry) {
        return partitionOf.applyAsInt(entry.key());
    }

    /**
     * Returns whether an entry is older than a purge watermark and was dead at the watermark's time. Does not use this
     * node's clock, which may be wrong.
     */
    private static boolean isPurgeable(Entry entry, Version purged) {
        return entry.version().compareTo(purged) < 0 && !entry.isLive(purged.millis());
    }

    /**
     * Seals partitions: records older entries that arrive from now on. On return, all entries accepted before are in
     * the store. Requests that name an earlier seal are refused from now on. A partition that moves is not sealed.
     *
     * @return false if one of the partitions is sealed at a newer version, or moves
     */
    public boolean seal(PartitionSet partitions, Version seal) {
        return states.change(all -> partitions
                .filter(partition -> moves.test(partition) || !all.seal(partition, seal))
                .isEmpty());
    }

    /** Returns the partitions without a moving slot. Called with the lock held. */
    private PartitionSet settled(PartitionSet partitions) {
        return partitions.filter(moves.negate());
    }

    /**
     * Prepares this participant to commit: raises the fence watermark of partitions without older arrivals since the
     * seal. Blocks until that is on the disk.
     *
     * @return the partitions in which this participant votes yes, none of which moves
     */
    public PartitionSet prepare(PartitionSet partitions, Version seal) {
        PartitionSet votes =
                states.change(all -> settled(partitions).filter(partition -> all.prepare(partition, seal)));
        if (!votes.isEmpty()) {
            states.writeWatermarks();
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
        PartitionSet committed =
                states.change(all -> settled(partitions).filter(partition -> all.commit(partition, seal)));
        if (!committed.isEmpty()) {
            states.purgeIsDue();
        }
        states.writeWatermarks();
        return committed;
    }

    /**
     * Resolves the outcome of earlier transactions: sets both watermarks to the highest purge watermark of any replica.
     * Sessions that could decide otherwise name an older seal, which every participant refuses. A partition that moves
     * stays in doubt. Blocks until that is on the disk.
     *
     * @param partitions the partitions
     * @param outcome the highest purge watermark of any replica
     * @param seal the seal of the session that found it
     */
    public void resolve(PartitionSet partitions, Version outcome, Version seal) {
        if (partitions.isEmpty()) {
            return;
        }
        PartitionSet resolved =
                states.change(all -> settled(partitions).filter(partition -> all.resolve(partition, outcome, seal)));
        if (!resolved.isEmpty()) {
            states.purgeIsDue();
        }
        states.writeWatermarks();
    }

    /**
     * Returns the seal of each partition, by its number. It changes with each session in which the partition's replicas
     * take part.
     */
    public long[] seals() {
        return states.read(PartitionStates::seals);
    }

    /** Returns a partition's fence watermark: older entries are refused. Does not block. */
    public Version fenced(int partition) {
        return states.fenced(partition);
    }

    /** Returns a partition's purge watermark, as it is on the disk; zero if this node has diverged. Does not block. */
    public Version purged(int partition) {
        return diverged.contains(partition) ? NONE : states.purged(partition);
    }

    /** A replica's purge and fence watermarks of a partition. */
    public record Pair(Version purged, Version fenced) {

        /** The watermarks of a replica without purges and votes. */
        public static final Pair ZERO = new Pair(NONE, NONE);
    }

    /**
     * Returns the watermarks of a partition for other nodes. They are zero where this node's disk is rolled back or the
     * partition is being copied: an entry that is missing there was not necessarily deleted, and this node has not
     * voted for the purges of the others.
     */
    public Pair reported(int partition) {
        return states.read(all -> switch (all.state(partition)) {
            case ROLLED_BACK, COPYING -> Pair.ZERO;
            case OPEN, SEALED, BROKEN, FENCED, PURGED -> new Pair(all.purged(partition), all.fenced(partition));
        });
    }

    /**
     * Begins to refuse the same old entries as the owners of partitions that this node copies. Blocks until that is on
     * the disk.
     *
     * @param fences the fence watermark of each partition's owner
     */
    public void beginCopy(Map<Integer, Version> fences) {
        states.change(all -> {
            fences.forEach(all::beginCopy);
            return fences;
        });
        states.writeRollbacks();
        states.writeWatermarks();
    }

    /** Returns the partitions in which this node has diverged. */
    public DivergedPartitions diverged() {
        return diverged;
    }

    /**
     * Forgets the watermarks of partitions in which this node has diverged: not all their replicas have voted for them.
     * Blocks until that is on the disk.
     */
    public void forget(PartitionSet partitions) {
        Map<Integer, Version> none = new HashMap<>();
        partitions.forEach(partition -> none.put(partition, NONE));
        beginCopy(none);
    }

    /**
     * Adopts watermarks in partitions whose copy is complete. Blocks until the entries and the watermarks are on the
     * disk.
     *
     * @param owners for each partition the highest purge watermark of its sources, and the fence watermark of its owner
     */
    public void adopt(Map<Integer, Pair> owners) {
        // The entries must be on the disk before the watermark: others consider an entry that is missing below it
        // deleted.
        store.settle();
        states.change(all -> {
            owners.forEach((partition, pair) -> all.adopt(partition, pair.fenced(), pair.purged()));
            return owners;
        });
        states.purgeIsDue();
        states.writeWatermarks();
    }

    /** Returns whether more can be purged than at the last call. */
    public boolean takePurgeDue() {
        return states.takePurgeDue();
    }

    /** Records that a purge is incomplete. */
    public void purgeAgain() {
        states.purgeIsDue();
    }

    /** Returns a predicate for the entries that can be purged now. */
    public Predicate<Entry> purgeable() {
        long[] limits = states.read(PartitionStates::purges);
        return entry -> {
            int partition = partitionOf(entry);
            return isPurgeable(entry, new Version(limits[partition])) && !diverged.contains(partition);
        };
    }

    /**
     * Returns the partitions whose seal is older than a version. For the others, a message with that version is
     * outdated.
     */
    public PartitionSet sealedBefore(PartitionSet partitions, Version seal) {
        return states.read(all -> partitions.filter(partition -> all.isSealedBefore(partition, seal)));
    }
}
