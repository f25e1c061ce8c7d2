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
 * Decides, for each partition, which entries are too old to come any more, and which of those that are dead may go.
 *
 * <p>A tombstone may only go when every replica has had it, and nothing that it deleted can come any more, however
 * late. Three steps make sure of that. A repair <em>seals</em> the partition at a version that lies well in the past:
 * from then on the replica takes note if anything older comes, and lets it in. Then it compares all replicas. If they
 * were equal up to the seal, each is asked to <em>fence</em> the partition there: it agrees only if nothing older has
 * come since it was sealed, and refuses what is older from then on, also after a restart. When all have agreed they
 * hold the same, and will hold the same, up to that version; so what is dead and older may be <em>purged</em> by each
 * whenever it likes. A replica that has agreed and does not learn whether the others did goes on to refuse, until the
 * next round finds out: the two phases of J. Gray, <em>Notes on Data Base Operating Systems</em>, 1978, whose
 * coordinator may be any replica.
 *
 * <p>So nobody has ever purged further than every replica's fence reaches. A replica whose fence reaches less far than
 * another one has purged has lost what it had agreed to: its disk was set back. It is {@linkplain #overtaken overtaken}
 * there, agrees to no fence, and takes nothing that the others refuse, until it holds what they hold.
 *
 * <p>Safe for use by any number of threads. Writes take a lock that only the moment of a seal or fence holds against
 * them.
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
    /** Whether something older has come since the seal. Set while reading, which is one way only. */
    private final boolean[] broken;

    private final long[] fenced;
    private final long[] purged;
    /** How far others have purged where this node's disk was set back behind that; zero elsewhere. */
    private final long[] overtaken;

    /**
     * What is purged, for those who must not wait for a write that is under way. Replaced as a whole when that changes.
     */
    private volatile long[] purgedNow;

    /** Also after a start: nobody knows how far the last purge came. */
    private boolean purgeIsDue = true;

    /** Nothing newer than this concerns any partition. */
    private volatile Version concerned = NONE;

    /** One at a time writes the note. */
    private final Object noting = new Object();

    /**
     * No fences.
     *
     * @param store remembers them
     * @param partitions how many partitions there are
     * @param partitionOf finds a key's partition
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
     * Goes on with the fences that the store remembers. Blocks.
     *
     * @throws StoreException if it cannot tell
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
     * Lets entries into the store, all or none. What is older than its partition's fence may only come if it changes
     * nothing: the store has it, or something newer, or has had it and purged it. Blocks as the store does.
     *
     * @param entries which are about to come
     * @return what has become of them
     * @throws StoreException if the store fails
     */
    public Entered enter(List<Entry> entries) {
        return enter(entries, false);
    }

    /**
     * What has become of entries.
     *
     * @param refused the first one that may not come; empty if all are in the store
     * @param newest if they are, for each in the same order the newest version that the store held of its key then
     */
    public record Entered(Optional<Entry> refused, List<Version> newest) {}

    /**
     * Lets entries into the store that this node has fetched from replicas which hold what it should: the same, but
     * where its disk was set back only what it has purged itself counts. Blocks as the store does.
     *
     * @param entries as others hold them
     * @return what has become of them
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
            // Those that may not come, and need not.
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

    /** Of the key of an entry that the store has, or had until it purged it with all that was older. */
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
            // What it had agreed to without knowing the outcome, the others may have gone back on since.
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
     * Whether an entry was dead at the time of a fence, and older. By that time and not by this node's clock, which may
     * be wrong.
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
     * Takes note of everything older that comes from now on. What was let in before is in the store when this returns.
     * Nobody who goes by an earlier seal is obeyed any more.
     *
     * @return false if one of them is sealed at a newer version
     */
    public boolean seal(BitSet partitions, Version before) {
        lock.writeLock().lock();
        try {
            boolean all = true;
            for (int i = partitions.nextSetBit(0); i >= 0; i = partitions.nextSetBit(i + 1)) {
                // A seal that is there already has been watched since, which must not be forgotten; and a newer one
                // belongs to another round.
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
     * Refuses what is older from now on, where nothing older has come since the seal. Blocks until that is remembered.
     *
     * @return the partitions where this is so
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
     * Lets go what is dead and older, where this is the fence that was agreed on last. Blocks until that is remembered.
     *
     * @return the partitions where it is
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
     * Ends the doubt whether the others have agreed on a fence too: this is as far as any replica was told that they
     * had. Those who could still tell otherwise go by an older seal, and are not obeyed by any of them. Blocks until
     * that is remembered.
     */
    public void resolve(BitSet partitions, Version before, Version seal) {
        change(partitions, partition -> {
            // One that has not fenced it as far was not equal to the others then: its disk is older, or new.
            // Nor is a fence of this very round in doubt.
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
            // What others are told must outlive this process.
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
     * Up to where each partition was sealed last, by its number: another value with each round that its replicas take
     * part in.
     */
    public long[] seals() {
        return copy(sealed);
    }

    /** What is older than this is refused in a partition. */
    public Version fenced(int partition) {
        lock.readLock().lock();
        try {
            return new Version(fenced[partition]);
        } finally {
            lock.readLock().unlock();
        }
    }

    /** Up to which version what was dead in a partition may have been purged here. Does not block. */
    public Version purged(int partition) {
        return new Version(purgedNow[partition]);
    }

    /** How far a replica has purged a partition, and what it refuses there. */
    public record Reach(Version purged, Version fenced) {}

    /**
     * What others may conclude of a partition from what this node says. Nothing where this node's disk was set back:
     * what it lacks was not deleted for that, and it has not agreed to what they have purged.
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

    /** Whether more may go than when this was last asked. */
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

    /** What may go has not gone yet. */
    public void purgeAgain() {
        lock.writeLock().lock();
        try {
            purgeIsDue = true;
        } finally {
            lock.writeLock().unlock();
        }
    }

    /** What may go now. */
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
     * Compares this node's fences with what others have purged; quick. Where they have purged further, this node's disk
     * was set back, and it stays overtaken until it has {@linkplain #caughtUp caught up}.
     *
     * @param purgedElsewhere of some partitions, how far somebody was told that all replicas had agreed
     * @return where that is news
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

    /** Those of some partitions that somebody has purged further than this node knows of. */
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
     * Those of some partitions of which no newer round has been heard: where it is no old message that says how far
     * they were fenced.
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

    /** Blocks until it is remembered where this node was overtaken, so that it knows after a restart too. */
    public void rememberOvertaken() {
        synchronized (noting) {
            notes.keep(OVERTAKEN_NOTE, copy(overtaken));
        }
    }

    /** Where this node's disk was set back, and how far others have purged there. */
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
     * This node holds what the others hold: it refuses what they refuse, and is overtaken no more unless they were
     * found to have purged further since. Blocks until that is remembered.
     *
     * @param upTo of some partitions, how far the others had purged when this was found out
     * @param fences those of them where that is known from a replica that had agreed; nothing is refused in others
     */
    public void caughtUp(Map<Integer, Version> upTo, BitSet fences) {
        // A fence that outlives what it stands for would have the others take that for deleted.
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
        // Only now, and first on the disk: after a restart, or a failure, it must be one or the other.
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
