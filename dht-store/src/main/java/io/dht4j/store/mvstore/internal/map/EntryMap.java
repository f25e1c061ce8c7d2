package io.dht4j.store.mvstore.internal.map;

import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.StoreStatistics.PageCache;
import io.dht4j.Version;
import io.dht4j.spi.ContentListener;
import io.dht4j.spi.Entry;
import io.dht4j.spi.EntryCursor;
import io.dht4j.spi.StoreException;
import io.dht4j.store.mvstore.internal.cache.EntryCache;
import io.dht4j.store.mvstore.internal.disk.Health;
import io.dht4j.store.mvstore.internal.disk.StoreDirectory;
import io.dht4j.store.mvstore.internal.memtable.Memtable;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The sorted map on the disk that memtables are merged into. Any number of threads read it; only the merging thread
 * changes it. Merged entries are durable once {@link #finishSegment} has returned. Methods block on the disk.
 */
public final class EntryMap implements AutoCloseable {

    private static final Key NEWEST = Key.of("newest");

    private final ReopenableMapFile file;
    private final ChangeFeed feed = new ChangeFeed();
    private final MapPurge purge;

    /** Raised before the tables with that version are dropped; by one thread at a time. */
    private volatile Version newestEver = new Version(0);

    /**
     * The result of a read.
     *
     * @param entry the key's entry; empty if the map has none
     * @param isInFile whether the file holds that: after a failed write the map in memory may differ. A read that began
     *     after the cache learned of that write sees that it failed
     */
    public record Found(Optional<Entry> entry, boolean isInFile) {}

    /**
     * The result of a step of a purge.
     *
     * @param removed how many entries were removed
     * @param next where the next step begins; empty at the end of the map
     */
    public record Purged(long removed, Optional<Key> next) {}

    private EntryMap(ReopenableMapFile file, EntryCache cache) {
        this.file = file;
        this.purge = new MapPurge(this, cache, feed);
    }

    /**
     * Opens the map of a directory, which is made if there is none.
     *
     * @param directory the store's
     * @param isForced whether acknowledged writes survive a power failure
     * @param cacheBytes the memory for pages that were read
     * @param cache learns of removed entries
     * @param health learns of damage
     * @return the map
     * @throws StoreException if it is damaged
     * @throws IOException if it cannot be made or opened
     */
    public static EntryMap open(
            StoreDirectory directory, boolean isForced, long cacheBytes, EntryCache cache, Health health)
            throws IOException {
        if (!Files.exists(directory.dataFile())) {
            MapFile.make(directory.dataFile(), directory.disk());
        }
        ReopenableMapFile file = ReopenableMapFile.open(directory, isForced, cacheBytes, health);
        EntryMap map = new EntryMap(file, cache);
        try {
            map.newestEver = map.newest();
        } catch (RuntimeException | Error e) {
            file.abandon();
            throw e;
        }
        return map;
    }

    /** Reads the entry of a key. */
    public Found get(Key key) {
        return file.reading(map -> new Found(Optional.ofNullable(map.entry(key)), !map.isBroken()));
    }

    /** Reads the version of a key's entry; empty if the map has none. */
    public Optional<Version> version(Key key) {
        return file.reading(
                map -> Optional.ofNullable(map.entries.get(key)).map(stored -> new Version(stored.version())));
    }

    /** Returns whether the map has an entry of a key. */
    public boolean contains(Key key) {
        return file.reading(map -> map.entries.get(key) != null);
    }

    /** Returns the bytes of live pages in the file, to a few percent. */
    public long liveBytes() {
        return file.reading(map -> map.compactor.liveBytes());
    }

    /** Returns the size of the file. */
    public long fileBytes() {
        return file.reading(map -> map.fileStore.size());
    }

    /** Returns how many bytes have been written since the file was opened, the last time. */
    public long writtenBytes() {
        return file.current().fileStore.writtenBytes();
    }

    /** Returns the statistics of the page cache since the file was last opened. */
    public PageCache pageCache() {
        return file.reading(MapFile::pageCache);
    }

    /** Returns the number of keys. */
    public long size() {
        return file.reading(map -> map.entries.sizeAsLong());
    }

    /**
     * Reads a page of a range, ascending from its start.
     *
     * @param range the range
     * @return its first entries; none only if the range has none
     */
    public List<Entry> page(KeyRange range) {
        return file.reading(map -> map.page(range));
    }

    <T> T writing(Function<MapFile, T> write) {
        return file.writing(write);
    }

    /**
     * Puts an entry, if it supersedes the map's.
     *
     * @param entry of a table whose entries are merged in ascending order
     */
    public void merge(Entry entry) {
        if (MapValue.isLarge(entry)) {
            putFragments(entry);
        }
        writing(map -> {
            synchronized (feed) {
                MapValue before = map.entries.operate(entry.key(), MapValue.of(entry), new KeepNewest(map, entry));
                map.mergedUpTo = entry.key();
                feed.merged(map, before, entry);
                if (MapValue.isLarge(entry) || (before != null && before.isFragmented())) {
                    map.largeValues.removeOthers(entry.key(), map.entries.get(entry.key()));
                    map.endFragments(entry.key());
                }
            }
            map.commitIfLarge();
            return entry;
        });
    }

    /** Merges a part of a segment while the store is opened, without a listener. */
    public void mergePart(Memtable part) {
        raiseNewest(part.newest());
        try {
            part.forEach(this::merge);
        } finally {
            resetMerge();
        }
    }

    private void raiseNewest(Version newest) {
        newestEver = newest.compareTo(newestEver) > 0 ? newest : newestEver;
    }

    private void resetMerge() {
        synchronized (feed) {
            feed.resetMerge();
            file.current().mergedUpTo = null;
        }
    }

    /** Puts the fragments of a large value before its entry, so that a reader of the entry finds them. */
    private void putFragments(Entry entry) {
        writing(map -> {
            MapValue before = map.entries.get(entry.key());
            if (before == null || KeepNewest.supersedes(map, entry, before)) {
                map.beginFragments(entry.key());
                map.largeValues.put(entry, map::commitIfLarge);
            }
            return entry;
        });
    }

    /**
     * Reports every later change to a listener, in place of the one before.
     *
     * @param guard keeps the store open while the cursor reads
     * @param listener the listener
     * @return a cursor over the map as it is now
     */
    public EntryCursor follow(ReadGuard guard, ContentListener listener) {
        try {
            return followNow(guard, listener);
        } catch (StoreException e) {
            throw e;
        } catch (RuntimeException e) {
            throw new StoreException(
                    file.path() + " cannot be read (" + Health.reason(e) + "): begin to read again", e);
        }
    }

    private EntryCursor followNow(ReadGuard guard, ContentListener listener) {
        MapFile used;
        RuntimeException unread;
        synchronized (feed) {
            if (file.current().isBroken()) {
                file.reopen(file.current());
            }
            MapFile current = file.current();
            used = current;
            // Entries of the table that is being merged are not reported; after a failure they are.
            feed.begin(listener, current.mergedUpTo);
            try {
                // Reads the first page.
                return new SnapshotCursor(guard, current, e -> file.failure(current, e));
            } catch (RuntimeException e) {
                unread = e;
            }
        }
        // Without the monitor, which a merge waits for while it holds the lock that this waits for.
        throw file.failure(used, unread);
    }

    /**
     * Makes all merged entries durable, and records that the log's segments up to this one are no longer needed.
     *
     * @param segment whose table was merged as a whole
     * @param newestInSegment the newest version in it
     */
    public void finishSegment(long segment, Version newestInSegment) {
        Version newest = newest();
        writing(map -> {
            map.removeUnfinishedFragments();
            map.putNumber(ReopenableMapFile.MERGED, segment);
            if (newestInSegment.compareTo(newest) > 0) {
                map.putNumber(NEWEST, newestInSegment.packed());
            }
            map.store.commit();
            map.store.sync();
            return segment;
        });
        file.segmentFinished(segment);
        raiseNewest(newestInSegment);
        resetMerge();
    }

    /** Makes purges durable, and writes of a process that ended before it had made them durable. */
    public void sync() {
        writing(map -> {
            map.store.sync();
            return map;
        });
    }

    /** Returns the last segment of the log that is in the map as a whole; 0 before the first. */
    public long lastMergedSegment() {
        return file.number(ReopenableMapFile.MERGED);
    }

    /** Returns the newest version in any segment that is in the map as a whole; zero before the first. */
    public Version newest() {
        return new Version(file.number(NEWEST));
    }

    /** Returns the same as {@link #newest}, or newer, from memory. */
    public Version newestEver() {
        return newestEver;
    }

    /**
     * Removes dispensable entries from a part of the map, of some thousand entries.
     *
     * @param dispensable which entries to remove
     * @param start where the part begins
     * @return the result
     * @throws RuntimeException if the file cannot be written; {@link #reopenAfterFailure} determines which entries were
     *     still removed
     */
    public Purged purge(Predicate<Entry> dispensable, Key start) {
        return purge.step(dispensable, start);
    }

    /**
     * Opens the file again if a write has failed, or if it was opened for reading only. After a failed purge the file
     * contains either all removals of its last step or none.
     */
    public void reopenAfterFailure() {
        synchronized (feed) {
            MapFile broken = file.current();
            if (broken.isBroken() || broken.isReadOnly()) {
                file.reopen(broken);
            }
            feed.resolveRemoval(file.current());
        }
    }

    /** Returns the compactor of the file, until the file is opened again. */
    public Compactor compactor() {
        return file.current().compactor;
    }

    /** Closes the file without a write. */
    public void abandon() {
        file.abandon();
    }

    /** Closes the file. It holds any part of a segment that was not finished; the log still has all of it. */
    @Override
    public void close() {
        file.close();
    }
}
