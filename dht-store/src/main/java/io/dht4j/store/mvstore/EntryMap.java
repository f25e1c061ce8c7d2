package io.dht4j.store.mvstore;

import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.Version;
import io.dht4j.spi.ContentListener;
import io.dht4j.spi.Entry;
import io.dht4j.spi.EntryCursor;
import io.dht4j.spi.StoreException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.h2.mvstore.Cursor;
import org.h2.mvstore.MVMap;
import org.jspecify.annotations.Nullable;

/**
 * The sorted map on the disk that the log is merged into. Read by any number of threads; changed by the merging thread
 * only. What is merged is durable once {@link #finishSegment} has returned.
 */
final class EntryMap implements AutoCloseable {

    /** One step of a purge looks at so many entries, or a page more, and at so many bytes. */
    private static final int PURGE_ENTRIES = 4096;

    private static final long PURGE_BYTES = 4L << 20;

    private static final int MAX_PAGE_ENTRIES = 256;
    private static final long MAX_PAGE_BYTES = 1L << 20;
    private static final Key MERGED = Key.of("merged");
    private static final Key NEWEST = Key.of("newest");

    private final Path file;
    private final Disk disk;
    private final Forcing forcing;
    private final OwnFiles files;
    private final Durability durability;
    private final long cacheBytes;
    private final Health health;
    private final EntryCache cache;

    /** Replaced under the lock of this, after a write has failed. */
    private volatile MapFile opened;

    /** The last segment that is known to be in the file on the disk. For the merging thread. */
    private volatile long finished;

    /** Raised before the tables that it speaks of are dropped; by one thread at a time. */
    private volatile Version newestEver = new Version(0);

    /**
     * Held while the map changes and the listener is told, so that whoever begins to listen misses nothing and hears
     * nothing twice.
     */
    private final Object following = new Object();

    /** Changed under that lock. */
    private @Nullable ContentListener listener;

    /**
     * Up to where the listener knows of the table that is being merged, which goes through its keys in order. Changed
     * under that lock.
     */
    private @Nullable Key toldUpTo;

    /** What was being removed when that failed: whether it is in the file is not known. Changed under that lock. */
    private List<Entry> undecided = List.of();

    /**
     * What was read of a key.
     *
     * @param entry its entry; empty if the map has none
     * @param isInFile whether it is what the file holds: after a write that failed, what is in memory need not be.
     *     Whoever has begun to read after the cache was told of that write sees that it failed
     */
    record Found(Optional<Entry> entry, boolean isInFile) {}

    /**
     * What a step of a purge has done.
     *
     * @param removed how many entries are gone
     * @param next where the next step begins; empty at the end of the map
     */
    record Purged(long removed, Optional<Key> next) {}

    private EntryMap(StoreDirectory directory, MvStoreOptions options, EntryCache cache, Health health) {
        this.cache = cache;
        this.file = directory.dataFile();
        this.disk = directory.disk();
        this.forcing = directory.forcing();
        this.files = directory.files();
        this.durability = options.durability();
        this.cacheBytes = options.cacheBytes();
        this.health = health;
        this.opened = MapFile.open(file, disk, forcing, durability, cacheBytes);
    }

    static EntryMap open(StoreDirectory directory, MvStoreOptions options, EntryCache cache, Health health)
            throws IOException {
        if (!Files.exists(directory.dataFile())) {
            MapFile.make(directory.dataFile(), directory.disk());
        }
        EntryMap map = new EntryMap(directory, options, cache, health);
        try {
            map.files.opened(map.file);
            map.finished = map.lastMergedSegment();
            map.newestEver = map.newest();
        } catch (IOException | RuntimeException | Error e) {
            map.opened.abandon();
            throw e;
        }
        return map;
    }

    private synchronized void openAgain(MapFile used) {
        if (opened != used) {
            return;
        }
        checkFiles();
        used.abandon();
        MapFile again = MapFile.open(file, disk, forcing, durability, cacheBytes);
        try {
            checkFiles();
            if (again.number(MERGED) < finished) {
                throw Health.damaged(file, "has fallen back behind segment " + finished + " of the log");
            }
        } catch (RuntimeException | Error e) {
            again.abandon();
            throw e;
        }
        opened = again;
    }

    /** Throws if another file is at the path by now: it must not be opened in place of this one. */
    private void checkFiles() {
        try {
            files.check();
        } catch (LostFileException e) {
            throw new StoreException(String.valueOf(e.getMessage()), e);
        } catch (IOException e) {
            throw new StoreException(file + " cannot be looked at (" + e + ")", e);
        }
    }

    Found get(Key key) {
        return reading(map -> {
            return new Found(Optional.ofNullable(map.entry(key)), !map.isBroken());
        });
    }

    /** The version of a key's entry; empty if the map has none. */
    Optional<Version> version(Key key) {
        return reading(map -> Optional.ofNullable(map.entries.get(key)).map(stored -> new Version(stored.version())));
    }

    boolean contains(Key key) {
        return reading(map -> map.entries.get(key) != null);
    }

    long size() {
        return reading(map -> map.entries.sizeAsLong());
    }

    /**
     * The first entries of a range, ascending; fewer than there are if they are many or large, none only if there is
     * none.
     */
    List<Entry> page(KeyRange range) {
        return reading(map -> {
            List<Entry> page = new ArrayList<>();
            long bytes = 0;
            Cursor<Key, Stored> cursor = map.entries.cursor(range.start());
            while (page.size() < MAX_PAGE_ENTRIES && bytes < MAX_PAGE_BYTES && cursor.hasNext()) {
                Key key = cursor.next();
                if (!range.contains(key)) {
                    break;
                }
                Stored stored = cursor.getValue();
                @Nullable Entry entry = map.entry(key, stored);
                // One that was removed since counts for nothing: a page without entries is the end of the range.
                if (entry != null) {
                    page.add(entry);
                    bytes += entry.value().length;
                }
            }
            return page;
        });
    }

    /**
     * Reads again where a read failed because a write had, or the file was opened again; names the file where reading
     * fails otherwise.
     */
    private <T> T reading(Function<MapFile, T> read) {
        while (true) {
            MapFile used = opened;
            try {
                return used.reading(read);
            } catch (StoreException e) {
                throw e;
            } catch (RuntimeException e) {
                if (!used.isOutOfUse()) {
                    throw unreadable(e);
                }
                openAgain(used);
            }
        }
    }

    private <T> T writing(Function<MapFile, T> write) {
        return opened.writing(write);
    }

    /** Keeps an entry if it supersedes what the map holds. */
    void merge(Entry entry) {
        if (Stored.isLarge(entry)) {
            putPieces(entry);
        }
        writing(map -> {
            synchronized (following) {
                Stored before = map.entries.operate(entry.key(), Stored.of(entry), new KeepNewest(map, entry));
                map.mergedUpTo = entry.key();
                // A table whose merge failed is merged again, and what was told of it is not told again.
                if (toldUpTo == null || entry.key().compareTo(toldUpTo) > 0) {
                    if (before == null) {
                        tell(told -> told.added(entry));
                    } else {
                        tell(told -> replaced(told, map, before, entry));
                    }
                    // Only now: what a listener did not take, for lack of memory say, it is told again.
                    toldUpTo = entry.key();
                }
                if (Stored.isLarge(entry) || (before != null && before.isInPieces())) {
                    map.pieces.removeOthers(entry.key(), map.entries.get(entry.key()));
                    map.endPieces(entry.key());
                }
            }
            map.commitIfLarge();
            return entry;
        });
    }

    /** Merges a part of a segment while the store is opened, and nobody listens. */
    void mergePart(Memtable part) {
        raiseNewest(part.newest());
        try {
            part.forEach(this::merge);
        } finally {
            forgetMerge();
        }
    }

    private void raiseNewest(Version newest) {
        newestEver = newest.compareTo(newestEver) > 0 ? newest : newestEver;
    }

    /** What is merged next begins at its first key. */
    private void forgetMerge() {
        synchronized (following) {
            toldUpTo = null;
            opened.mergedUpTo = null;
        }
    }

    /** Before the entry is there, so that whoever finds it finds them. */
    private void putPieces(Entry entry) {
        writing(map -> {
            Stored before = map.entries.get(entry.key());
            if (before == null || KeepNewest.supersedes(map, entry, before)) {
                map.beginPieces(entry.key());
                map.pieces.put(entry, map::commitIfLarge);
            }
            return entry;
        });
    }

    private static void replaced(ContentListener told, MapFile map, Stored before, Entry entry) {
        Version version = new Version(before.version());
        if (before.isInPieces()
                && entry.version().compareTo(version) > 0
                && told.replaced(version, before.digest(), entry)) {
            return;
        }
        @Nullable Entry replaced = map.entry(entry.key(), before);
        if (replaced != null && entry.supersedes(replaced)) {
            told.replaced(replaced, entry);
        }
    }

    private void tell(Consumer<ContentListener> change) {
        ContentListener told = listener;
        if (told != null) {
            change.accept(told);
        }
    }

    /**
     * Tells a listener of every change from now on, and the one before it of none; the cursor shows the map as it is
     * now.
     */
    EntryCursor follow(MergingCursor.Guard guard, ContentListener newListener) {
        try {
            return followNow(guard, newListener);
        } catch (StoreException e) {
            throw e;
        } catch (RuntimeException e) {
            throw new StoreException(file + " cannot be read (" + e.getMessage() + "): begin to read again", e);
        }
    }

    private EntryCursor followNow(MergingCursor.Guard guard, ContentListener newListener) {
        MapFile used;
        RuntimeException unread;
        synchronized (following) {
            if (opened.isBroken()) {
                openAgain(opened);
            }
            MapFile current = opened;
            used = current;
            // What the map shows of a table that is being merged is not told; what is merged again since a failure is.
            toldUpTo = current.mergedUpTo;
            listener = newListener;
            undecided = List.of();
            try {
                // Reads the first page.
                return new SnapshotCursor(guard, current, e -> failure(current, e));
            } catch (RuntimeException e) {
                unread = e;
            }
        }
        // Only now: whoever merges holds what this waits for, and waits for what was held until here.
        throw failure(used, unread);
    }

    private StoreException failure(MapFile used, RuntimeException cause) {
        return used.isOutOfUse()
                ? new StoreException(file + " was opened again, to be written: begin to read again", cause)
                : unreadable(cause);
    }

    /** Takes note that the file is not as it was written, unless the process was at fault. */
    private StoreException unreadable(RuntimeException cause) {
        @Nullable Error fault = Health.errorIn(cause);
        if (fault != null) {
            return new StoreException(file + " cannot be read (" + fault + "); that is no damage: try again", cause);
        }
        StoreException damage = Health.damaged(file, "cannot be read (" + cause.getMessage() + ")", cause);
        health.damageFound(damage);
        return damage;
    }

    /** Makes everything merged durable, and remembers that the log's segments up to this one are no longer needed. */
    void finishSegment(long segment, Version newestInSegment) {
        Version newest = newest();
        writing(map -> {
            map.removeUnfinishedPieces();
            map.keepNumber(MERGED, segment);
            if (newestInSegment.compareTo(newest) > 0) {
                map.keepNumber(NEWEST, newestInSegment.packed());
            }
            map.store.commit();
            map.store.sync();
            return segment;
        });
        finished = segment;
        raiseNewest(newestInSegment);
        forgetMerge();
    }

    /** Makes durable what was purged, or was written by a process that ended before it had done so. */
    void sync() {
        writing(map -> {
            map.store.sync();
            return file;
        });
    }

    /** The last segment of the log that is in the map as a whole; 0 before the first. */
    long lastMergedSegment() {
        return number(MERGED);
    }

    /** The newest version in any segment that is in the map as a whole; zero before the first. */
    Version newest() {
        return new Version(number(NEWEST));
    }

    /** As {@link #newest}, and quick. */
    Version newestEver() {
        return newestEver;
    }

    private long number(Key name) {
        return reading(map -> map.number(name));
    }

    /**
     * Removes what may go from a part of the map: some thousand entries, looked at from a key on.
     *
     * @throws RuntimeException if the file cannot be written; {@link #openAfterFailedPurge} finds out what is gone all
     *     the same
     */
    Purged purge(Predicate<Entry> dispensable, Key start) {
        List<Entry> over = new ArrayList<>();
        Optional<Key> next = Optional.of(start);
        int looked = 0;
        long bytes = 0;
        while (next.isPresent() && looked < PURGE_ENTRIES && bytes < PURGE_BYTES) {
            List<Entry> page = page(KeyRange.from(next.get()));
            for (Entry entry : page) {
                bytes += entry.value().length;
                if (dispensable.test(entry)) {
                    over.add(entry);
                }
            }
            looked += page.size();
            next = page.isEmpty()
                    ? Optional.empty()
                    : page.get(page.size() - 1).key().successor();
        }
        if (!over.isEmpty()) {
            remove(over);
        }
        return new Purged(over.size(), next);
    }

    /**
     * Removes entries; they are in the file no more when the listener learns of it, and until then nobody begins to
     * listen.
     */
    private void remove(List<Entry> over) {
        synchronized (following) {
            undecided = over;
            try {
                writing(map -> {
                    for (Entry entry : over) {
                        @Nullable Stored removed = map.entries.remove(entry.key());
                        if (removed != null && removed.isInPieces()) {
                            map.pieces.removeOthers(entry.key(), null);
                        }
                    }
                    return map.store.commit();
                });
            } finally {
                over.forEach(entry -> cache.removed(entry.key()));
            }
            undecided = List.of();
            over.forEach(entry -> tell(told -> told.removed(entry)));
        }
    }

    /**
     * Goes on with what is in the file after a purge could not be written: all that its last step removed, or nothing
     * of it. A file that was opened to be read only is opened to be written.
     */
    void openAfterFailedPurge() {
        synchronized (following) {
            MapFile broken = opened;
            if (broken.isBroken() || broken.fileStore.isOpenedToRead()) {
                openAgain(broken);
            }
            MapFile used = opened;
            // All of it is looked up before anything is told: if that fails it is not decided yet.
            List<Entry> gone = undecided.stream()
                    .filter(entry -> used.entries.get(entry.key()) == null)
                    .toList();
            undecided = List.of();
            gone.forEach(entry -> tell(told -> told.removed(entry)));
        }
    }

    /** What keeps the file small, until it is opened again. */
    Compactor tidying() {
        return opened.tidying;
    }

    /** Closes the file without a write. */
    void abandon() {
        opened.abandon();
    }

    /** Closes the file. What was merged of an unfinished segment may or may not be in it; the log still has it. */
    @Override
    public void close() {
        MapFile map = opened;
        if (map.isBroken() || health.isFailed()) {
            // The log has what did not reach the file.
            map.abandon();
            return;
        }
        boolean done = false;
        try {
            map.close();
            done = true;
        } catch (RuntimeException | AssertionError e) {
            String what = "cannot be closed (" + e.getMessage() + ")";
            throw Health.ioFailure(e) == null
                    ? Health.damaged(file, what, e)
                    : new StoreException(file + " " + what + "; the log has what it lacks", e);
        } finally {
            if (!done) {
                map.abandon();
            }
        }
    }

    private static final class KeepNewest extends MVMap.DecisionMaker<Stored> {
        private final MapFile map;
        private final Entry entry;

        KeepNewest(MapFile map, Entry entry) {
            this.map = map;
            this.entry = entry;
        }

        @Override
        public MVMap.Decision decide(@Nullable Stored existing, Stored provided) {
            return existing == null || supersedes(map, entry, existing) ? MVMap.Decision.PUT : MVMap.Decision.ABORT;
        }

        static boolean supersedes(MapFile map, Entry entry, Stored existing) {
            int byVersion = Long.compareUnsigned(entry.version().packed(), existing.version());
            if (byVersion != 0) {
                return byVersion > 0;
            }
            @Nullable Entry held = map.entry(entry.key(), existing);
            return held == null || entry.supersedes(held);
        }
    }
}
