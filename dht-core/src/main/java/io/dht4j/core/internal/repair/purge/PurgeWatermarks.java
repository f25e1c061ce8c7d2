package io.dht4j.core.internal.repair.purge;

import static java.util.Objects.requireNonNull;

import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.spi.Entry;
import io.dht4j.spi.Store;
import io.dht4j.spi.StoreException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.IntConsumer;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;

/**
 * Decides, for each partition, which entries are refused as too old, and which dead entries are purged.
 *
 * <p>A tombstone is purged only when every replica has had it and nothing that it deleted can arrive any more. Three
 * steps ensure that. First, a repair session <em>seals</em> the partition at a version well in the past: from then on
 * each replica records whether anything older arrives, and accepts it. Second, the session compares all replicas. If
 * they were equal up to the seal, it asks each to <em>fence</em> the partition there. A replica agrees only if nothing
 * older has arrived since the seal; it then refuses what is older, also after a restart. When all have agreed, they
 * hold the same entries up to that version, now and later. Third, each replica may <em>purge</em> what is dead and
 * older at any time. A replica that has agreed and does not learn the outcome continues to refuse until the next
 * session resolves the doubt. These are the two phases of J. Gray, <em>Notes on Data Base Operating Systems</em>, 1978;
 * any replica may coordinate them.
 *
 * <p>So each partition has two watermarks: the fence watermark, below which entries are refused, and the purge
 * watermark, below which dead entries are purged. No replica's purge watermark exceeds any replica's fence watermark. A
 * replica whose fence watermark is below another one's purge watermark has lost its agreement: its disk was rolled
 * back. It is {@linkplain #overtaken overtaken} there. It agrees to no fence, and refuses what the others refuse, until
 * it holds what they hold.
 *
 * <p>Safe for use by any number of threads. Writes share a lock that seals, fences and other changes of watermarks take
 * exclusively, for a short time.
 */
public final class PurgeWatermarks {

    private static final String NOTE = "fence";
    private static final String OVERTAKEN_NOTE = "set-back";
    private static final Version NONE = new Version(0);

    private final Store store;
    private final PurgeWatermarkFile notes;
    private final ToIntFunction<Key> partitionOf;
    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();

    // Guarded by the lock.
    private final long[] sealed;
    /** Whether something older has arrived since the seal. Set under the read lock, and only to true. */
    private final boolean[] broken;

    private final long[] fenced;
    private final long[] purged;
    /**
     * The highest purge watermark of the others, for partitions where this node's disk is rolled back behind it; zero
     * elsewhere.
     */
    private final long[] overtaken;

    /** The purge watermarks on the disk, for readers that do not wait for writes in flight. Replaced as a whole. */
    private volatile long[] purgedNow;

    /** True after a start too, since the progress of the last purge is unknown. */
    private boolean purgeIsDue = true;

    /** The highest seal or watermark of all partitions: newer entries need no check. */
    private volatile Version concerned = NONE;

    /** Serializes writes of the metadata. */
    private final Object noting = new Object();

    /**
     * Creates watermarks of zero.
     *
     * @param store stores the watermarks
     * @param partitions the number of partitions
     * @param partitionOf returns a key's partition
     */
    public PurgeWatermarks(Store store, int partitions, ToIntFunction<Key> partitionOf) {
        this.store = store;
        this.partitionOf = partitionOf;
        this.sealed = new long[partitions];
        this.broken = new boolean[partitions];
        this.fenced = new long[partitions];
        this.purged = new long[partitions];
        this.purgedNow = new long[partitions];
        this.overtaken = new long[partitions];
        this.notes = new PurgeWatermarkFile(store);
    }

    /**
     * Loads the watermarks from the store. Blocks.
     *
     * @throws StoreException if the store cannot read them
     */
    public void load() {
        lock.writeLock().lock();
        try {
            notes.load(NOTE, fenced, purged);
            notes.load(OVERTAKEN_NOTE, overtaken);
            purgedNow = purged.clone();
            for (int i = 0; i < fenced.length; i++) {
                raise(new Version(fenced[i]));
                raise(new Version(overtaken[i]));
            }
        } finally {
            lock.writeLock().unlock();
        }
    }

    private void raise(Version version) {
        if (version.compareTo(concerned) > 0) {
            concerned = version;
        }
    }

    private boolean mayConcern(List<Entry> entries) {
        Version limit = concerned;
        for (int i = 0; i < entries.size(); i++) {
            if (entries.get(i).version().compareTo(limit) < 0) {
                return true;
            }
        }
        return false;
    }

    /**
     * Applies entries to the store, all or none. An entry below its partition's fence watermark is accepted only if it
     * changes nothing: the store holds it, or a newer one, or has purged it. Blocks as the store does.
     *
     * @param entries the entries
     * @return the outcome
     * @throws StoreException if the store fails
     */
    public Entered enter(List<Entry> entries) {
        return enter(entries, false);
    }

    /**
     * The outcome of applying entries.
     *
     * @param refused the first entry that is refused; empty if all are in the store
     * @param newest if none is refused: for each entry, in order, the newest version of its key in the store at that
     *     time
     */
    public record Entered(Optional<Entry> refused, List<Version> newest) {}

    /**
     * Applies entries that this node has fetched from complete replicas. Differs from {@link #enter(List)} only where
     * this node's disk was rolled back: there, only this node's own purge watermark counts. Blocks as the store does.
     *
     * @param entries the entries, as others hold them
     * @return the outcome
     * @throws StoreException if the store fails
     */
    public Entered refill(List<Entry> entries) {
        return enter(entries, true);
    }

    private Entered enter(List<Entry> entries, boolean refills) {
        lock.readLock().lock();
        try {
            if (!mayConcern(entries)) {
                return new Entered(Optional.empty(), store.applyAndGetVersions(entries));
            }
            List<Entry> coming = new ArrayList<>(entries.size());
            // The positions of entries that are too old to be applied, and change nothing.
            BitSet there = new BitSet();
            for (int i = 0; i < entries.size(); i++) {
                Entry entry = entries.get(i);
                if (!isBehind(entry, refills)) {
                    coming.add(entry);
                } else if (wouldChange(entry)) {
                    return new Entered(Optional.of(entry), List.of());
                } else {
                    there.set(i);
                }
            }
            noteOld(coming);
            Iterator<Version> newestOfComing = store.applyAndGetVersions(coming).iterator();
            List<Version> newest = new ArrayList<>(entries.size());
            for (int i = 0; i < entries.size(); i++) {
                newest.add(there.get(i) ? newestOf(entries.get(i)) : newestOfComing.next());
            }
            return new Entered(Optional.empty(), newest);
        } finally {
            lock.readLock().unlock();
        }
    }

    /** Returns the newest version of the key of an entry that the store holds, or held until it purged it. */
    private Version newestOf(Entry entry) {
        return store.get(entry.key())
                .map(Entry::version)
                .filter(held -> held.compareTo(entry.version()) > 0)
                .orElse(entry.version());
    }

    private boolean isBehind(Entry entry, boolean refills) {
        int partition = partitionOf.applyAsInt(entry.key());
        long limit;
        if (overtaken[partition] == 0) {
            limit = fenced[partition];
        } else {
            // The others may have revoked a fence whose outcome this node does not know.
            limit = refills ? purged[partition] : Math.max(fenced[partition], overtaken[partition]);
        }
        return entry.version().compareTo(new Version(limit)) < 0;
    }

    private boolean wouldChange(Entry entry) {
        Optional<Entry> held = store.get(entry.key());
        return held.map(entry::supersedes)
                .orElseGet(() -> !isOver(entry, new Version(purged[partitionOf.applyAsInt(entry.key())])));
    }

    /**
     * Returns whether an entry is older than a watermark and was dead at the watermark's time. This node's clock, which
     * may be wrong, does not count.
     */
    private static boolean isOver(Entry entry, Version limit) {
        return entry.version().compareTo(limit) < 0 && !entry.isLive(limit.millis());
    }

    private void noteOld(List<Entry> entries) {
        for (Entry entry : entries) {
            int partition = partitionOf.applyAsInt(entry.key());
            if (entry.version().compareTo(new Version(sealed[partition])) < 0) {
                broken[partition] = true;
            }
        }
    }

    /**
     * Seals partitions: records everything older that arrives from now on. On return, all entries accepted before are
     * in the store. Requests that name an earlier seal are refused from now on.
     *
     * @return false if one of the partitions is sealed at a newer version
     */
    public boolean seal(BitSet partitions, Version before) {
        lock.writeLock().lock();
        try {
            boolean all = true;
            for (int i = partitions.nextSetBit(0); i >= 0; i = partitions.nextSetBit(i + 1)) {
                // An equal seal keeps what it has recorded; a newer one belongs to another session.
                int order = before.compareTo(new Version(sealed[i]));
                all &= order >= 0;
                if (order > 0) {
                    sealed[i] = before.packed();
                    broken[i] = false;
                }
            }
            raise(before);
            return all;
        } finally {
            lock.writeLock().unlock();
        }
    }

    /**
     * Raises the fence watermark of partitions in which nothing older has arrived since the seal. Blocks until that is
     * on the disk.
     *
     * @return the partitions in which this node agrees
     */
    public BitSet fence(BitSet partitions, Version before) {
        BitSet agreed = new BitSet();
        lock.writeLock().lock();
        try {
            partitions.stream()
                    .filter(partition -> isUnbroken(partition, before))
                    .forEach(agreed::set);
            if (agreed.isEmpty()) {
                return agreed;
            }
            agreed.stream()
                    .filter(partition -> before.compareTo(new Version(fenced[partition])) > 0)
                    .forEach(partition -> fenced[partition] = before.packed());
        } finally {
            lock.writeLock().unlock();
        }
        remember();
        return agreed;
    }

    private boolean isUnbroken(int partition, Version before) {
        return sealed[partition] == before.packed() && !broken[partition] && overtaken[partition] == 0;
    }

    /**
     * Raises the purge watermark of partitions whose last seal and fence watermark are this version. Blocks until that
     * is on the disk.
     *
     * @return the partitions that may be purged up to it
     */
    public BitSet allowPurge(BitSet partitions, Version before) {
        BitSet allowed = new BitSet();
        change(partitions, partition -> {
            if (sealed[partition] == before.packed() && fenced[partition] == before.packed()) {
                purged[partition] = before.packed();
                purgeIsDue = true;
                allowed.set(partition);
            }
        });
        return allowed;
    }

    /**
     * Ends the doubt whether the others have agreed on a fence: sets both watermarks to the highest purge watermark of
     * any replica. Sessions that could order otherwise name an older seal, which every replica refuses. Blocks until
     * that is on the disk.
     */
    public void resolve(BitSet partitions, Version before, Version seal) {
        change(partitions, partition -> {
            // A replica with a lower fence watermark was not equal to the others then: its disk is older, or new. A
            // fence of this session itself is not in doubt.
            if (sealed[partition] == seal.packed()
                    && fenced[partition] != seal.packed()
                    && before.compareTo(new Version(purged[partition])) >= 0
                    && before.compareTo(new Version(fenced[partition])) <= 0) {
                purgeIsDue |= purged[partition] != before.packed();
                purged[partition] = before.packed();
                fenced[partition] = before.packed();
            }
        });
    }

    private void change(BitSet partitions, IntConsumer change) {
        if (partitions.isEmpty()) {
            return;
        }
        lock.writeLock().lock();
        try {
            partitions.stream().forEach(change);
        } finally {
            lock.writeLock().unlock();
        }
        remember();
    }

    private void remember() {
        synchronized (noting) {
            long[] known = copy(purged);
            notes.keep(NOTE, copy(fenced), known);
            // Only watermarks on the disk are reported to others.
            purgedNow = known;
        }
    }

    private long[] copy(long[] numbers) {
        lock.readLock().lock();
        try {
            return numbers.clone();
        } finally {
            lock.readLock().unlock();
        }
    }

    /**
     * Returns the seal of each partition, by its number. It changes with each session in which the partition's replicas
     * take part.
     */
    public long[] seals() {
        return copy(sealed);
    }

    /** Returns a partition's fence watermark: older entries are refused. */
    public Version fenced(int partition) {
        lock.readLock().lock();
        try {
            return new Version(fenced[partition]);
        } finally {
            lock.readLock().unlock();
        }
    }

    /** Returns a partition's purge watermark, as it is on the disk. Does not block. */
    public Version purged(int partition) {
        return new Version(purgedNow[partition]);
    }

    /** A replica's purge and fence watermarks of a partition. */
    public record Reach(Version purged, Version fenced) {}

    /**
     * Returns the watermarks of a partition from which others may draw conclusions. They are zero where this node's
     * disk is rolled back. An entry that is missing there was not necessarily deleted, and this node has not agreed to
     * what the others have purged.
     */
    public Reach reach(int partition) {
        lock.readLock().lock();
        try {
            return overtaken[partition] == 0
                    ? new Reach(new Version(purged[partition]), new Version(fenced[partition]))
                    : new Reach(NONE, NONE);
        } finally {
            lock.readLock().unlock();
        }
    }

    /** Returns whether more can be purged than at the last call. */
    public boolean takePurgeDue() {
        lock.writeLock().lock();
        try {
            boolean due = purgeIsDue;
            purgeIsDue = false;
            return due;
        } finally {
            lock.writeLock().unlock();
        }
    }

    /** Records that a purge is incomplete. */
    public void purgeAgain() {
        lock.writeLock().lock();
        try {
            purgeIsDue = true;
        } finally {
            lock.writeLock().unlock();
        }
    }

    /** Returns a predicate for the entries that can be purged now. */
    public Predicate<Entry> dispensable() {
        lock.readLock().lock();
        try {
            long[] limits = purged.clone();
            return entry -> isOver(entry, new Version(limits[partitionOf.applyAsInt(entry.key())]));
        } finally {
            lock.readLock().unlock();
        }
    }

    /**
     * Compares the fence watermarks with the purge watermarks of other nodes; quick. Where another one is higher, this
     * node's disk was rolled back, and it stays overtaken until it has {@linkplain #caughtUp caught up}.
     *
     * @param purgedElsewhere another node's purge watermarks of some partitions
     * @return the partitions where a rollback, or a higher watermark, is new
     */
    public BitSet overtake(Map<Integer, Version> purgedElsewhere) {
        BitSet news = new BitSet();
        lock.writeLock().lock();
        try {
            purgedElsewhere.forEach((partition, version) -> {
                if (version.compareTo(new Version(fenced[partition])) > 0
                        && version.compareTo(new Version(overtaken[partition])) > 0) {
                    overtaken[partition] = version.packed();
                    raise(version);
                    news.set(partition);
                }
            });
        } finally {
            lock.writeLock().unlock();
        }
        return news;
    }

    /** Returns the partitions whose purge watermark on another node is higher than this node knows of. */
    public BitSet beyond(Map<Integer, Version> purgedElsewhere) {
        BitSet some = new BitSet();
        lock.readLock().lock();
        try {
            purgedElsewhere.forEach((partition, version) -> some.set(
                    partition,
                    version.compareTo(new Version(fenced[partition])) > 0
                            && version.compareTo(new Version(overtaken[partition])) > 0));
        } finally {
            lock.readLock().unlock();
        }
        return some;
    }

    /**
     * Returns those of some partitions whose seal is older than a version. For the others, a message with that version
     * is outdated.
     */
    public BitSet notSealedSince(BitSet partitions, Version before) {
        BitSet some = new BitSet();
        lock.readLock().lock();
        try {
            partitions.stream()
                    .filter(partition -> before.compareTo(new Version(sealed[partition])) > 0)
                    .forEach(some::set);
        } finally {
            lock.readLock().unlock();
        }
        return some;
    }

    /** Writes to the store where this node is overtaken, so that it survives a restart. Blocks. */
    public void rememberOvertaken() {
        synchronized (noting) {
            notes.keep(OVERTAKEN_NOTE, copy(overtaken));
        }
    }

    /** Returns the partitions where this node's disk is rolled back, with the highest purge watermark of the others. */
    public Map<Integer, Version> overtaken() {
        Map<Integer, Version> some = new HashMap<>();
        long[] limits = copy(overtaken);
        for (int i = 0; i < limits.length; i++) {
            if (limits[i] != 0) {
                some.put(i, new Version(limits[i]));
            }
        }
        return some;
    }

    /**
     * Records that this node holds what the others hold in some partitions. It refuses what they refuse there, and is
     * no longer overtaken, unless a higher purge watermark has been found since. Blocks until that is on the disk.
     *
     * @param upTo some partitions, with the purge watermark of the others when the comparison began
     * @param fences those of them whose watermark is confirmed by a replica that had agreed; nothing is refused in
     *     others
     */
    public void caughtUp(Map<Integer, Version> upTo, BitSet fences) {
        // The entries must be on the disk before the watermark: others take what is missing below it for deleted.
        store.settle();
        BitSet done = new BitSet();
        lock.writeLock().lock();
        try {
            upTo.forEach((partition, version) -> {
                if (overtaken[partition] == version.packed()) {
                    done.set(partition);
                    if (fences.get(partition)) {
                        fenced[partition] = version.packed();
                        purged[partition] = version.packed();
                        purgeIsDue = true;
                    }
                }
            });
        } finally {
            lock.writeLock().unlock();
        }
        if (done.isEmpty()) {
            return;
        }
        remember();
        // Last, and first on the disk: after a crash or a failure, the partition has its watermark or is still
        // overtaken.
        synchronized (noting) {
            long[] left = copy(overtaken);
            // What was found out since stays.
            done.stream()
                    .filter(partition -> left[partition]
                            == requireNonNull(upTo.get(partition)).packed())
                    .forEach(partition -> left[partition] = 0);
            notes.keep(OVERTAKEN_NOTE, left);
            lock.writeLock().lock();
            try {
                done.stream()
                        .filter(partition -> overtaken[partition]
                                == requireNonNull(upTo.get(partition)).packed())
                        .forEach(partition -> overtaken[partition] = 0);
            } finally {
                lock.writeLock().unlock();
            }
        }
    }
}
