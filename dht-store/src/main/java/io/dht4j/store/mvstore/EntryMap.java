package io.dht4j.store.mvstore;

import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.Version;
import io.dht4j.spi.ContentListener;
import io.dht4j.spi.Entry;
import io.dht4j.spi.EntryCursor;
import io.dht4j.spi.StoreException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.h2.mvstore.Cursor;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.jspecify.annotations.Nullable;

/**
 * The sorted map on the disk that the log is merged into. Read by any number of threads; changed by the merging thread
 * only. What is merged is durable once {@link #finishSegment} has returned.
 */
final class EntryMap implements AutoCloseable {

    /**
     * Changed pages are written when they take this much memory, so that a merge does not need more the larger the map is.
     * They are about half as large in the file, where MVStore keeps its buffer for the next commit if it has up to 4 MiB.
     */
    private static final int COMMIT_BYTES = 6 << 20;

    /** A file up to this size is never compacted. */
    private static final long SMALL_FILE_BYTES = 8L << 20;

    private static final int COMPACT_BELOW_PERCENT = 70;
    private static final int COMPACT_BYTES = 16 << 20;
    private static final int COMPACT_WRITES_BELOW_PERCENT = 50;

    /** One byte is rewritten by compaction for so many that are written by merges. */
    private static final int COMPACT_SHARE = 4;

    private static final int MAX_PAGE_ENTRIES = 256;
    private static final long MAX_PAGE_BYTES = 1L << 20;
    private static final Key MERGED = Key.of("merged");
    private static final Key NEWEST = Key.of("newest");
    private static final Key TICK = Key.of("tick");

    private final Path file;
    private final UninterruptibleFileStore fileStore;
    private final MVStore store;
    private final MVMap<Key, Stored> entries;

    /** What the store remembers of itself: numbers, kept where an entry has its version. */
    private final MVMap<Key, Stored> state;

    /** Held while the map changes and the listener is told, so that whoever begins to listen misses nothing and hears nothing twice. */
    private final Object following = new Object();

    /** Changed under that lock. */
    private @Nullable ContentListener listener;

    /** Up to which count of written bytes compaction has been done. For the merging thread. */
    private long compactedFor;

    private EntryMap(
            Path file,
            UninterruptibleFileStore fileStore,
            MVStore store,
            MVMap<Key, Stored> entries,
            MVMap<Key, Stored> state) {
        this.file = file;
        this.fileStore = fileStore;
        this.store = store;
        this.entries = entries;
        this.state = state;
    }

    static EntryMap open(Path file, long cacheBytes, Health health) {
        Map<String, Object> config = new HashMap<>();
        config.put("cacheSize", (int) (cacheBytes >> 20));
        UninterruptibleFileStore fileStore = new UninterruptibleFileStore(file, config);
        try {
            // Locking goes through a channel, which an interrupt would close.
            Uninterruptibly.call(() -> {
                fileStore.open();
                return file;
            });
            MVStore store = new MVStore.Builder()
                    .adoptFileStore(fileStore)
                    .autoCommitDisabled()
                    .autoCommitBufferSize(0)
                    .backgroundExceptionHandler((thread, e) -> health.fail(Health.damaged(file, "MVStore failed", e)))
                    .open();
            return new EntryMap(file, fileStore, store, openMap(store, "entries"), openMap(store, "state"));
        } catch (IOException e) {
            fileStore.abandon();
            throw new StoreException(file + " cannot be opened (" + e + "); make it readable and writable", e);
        } catch (StoreException e) {
            fileStore.abandon();
            throw e;
        } catch (RuntimeException e) {
            fileStore.abandon();
            throw Health.damaged(file, "cannot be opened (" + e.getMessage() + ")", e);
        }
    }

    private static MVMap<Key, Stored> openMap(MVStore store, String name) {
        return store.openMap(
                name,
                new MVMap.Builder<Key, Stored>().keyType(new PageTypes.Keys()).valueType(new PageTypes.Values()));
    }

    Optional<Entry> get(Key key) {
        return reading(() -> Optional.ofNullable(entries.get(key)).map(stored -> stored.toEntry(key)));
    }

    boolean contains(Key key) {
        return reading(() -> entries.get(key) != null);
    }

    long size() {
        return reading(entries::sizeAsLong);
    }

    /** The first entries of a range, ascending; fewer than there are if they are many or large, none only if there is none. */
    List<Entry> page(KeyRange range) {
        return reading(() -> {
            List<Entry> page = new ArrayList<>();
            long bytes = 0;
            Cursor<Key, Stored> cursor = entries.cursor(range.start());
            while (page.size() < MAX_PAGE_ENTRIES && bytes < MAX_PAGE_BYTES && cursor.hasNext()) {
                Key key = cursor.next();
                if (!range.contains(key)) {
                    break;
                }
                Stored stored = cursor.getValue();
                page.add(stored.toEntry(key));
                bytes += stored.value().length;
            }
            return page;
        });
    }

    /** Keeps MVStore from overwriting pages that are being read, and names the file where reading fails. */
    private <T> T reading(Supplier<T> read) {
        try {
            MVStore.TxCounter usage = store.registerVersionUsage();
            try {
                return read.get();
            } finally {
                // The next commit finds out which versions are no longer in use; a read need not look for them.
                store.decrementVersionUsageCounter(usage);
            }
        } catch (StoreException e) {
            throw e;
        } catch (RuntimeException e) {
            throw Health.damaged(file, "cannot be read (" + e.getMessage() + ")", e);
        }
    }

    /** Keeps an entry if it supersedes what the map holds. */
    void merge(Entry entry) {
        synchronized (following) {
            Stored before = entries.operate(entry.key(), Stored.of(entry), new KeepNewest(entry));
            if (listener != null) {
                @Nullable Entry replaced = before == null ? null : before.toEntry(entry.key());
                if (replaced == null || entry.supersedes(replaced)) {
                    tell(replaced, entry);
                }
            }
        }
        commitIfLarge();
    }

    private void tell(@Nullable Entry removed, @Nullable Entry added) {
        ContentListener told = listener;
        if (told != null) {
            if (removed != null) {
                told.removed(removed);
            }
            if (added != null) {
                told.added(added);
            }
        }
    }

    /** Tells a listener of every change from now on; the cursor shows the map as it is now. */
    EntryCursor follow(MergingCursor.Guard guard, ContentListener newListener) {
        synchronized (following) {
            listener = newListener;
            return new SnapshotCursor(guard, file, store, entries);
        }
    }

    /** Makes everything merged durable, and remembers that the log's segments up to this one are no longer needed. */
    void finishSegment(long segment, Version newestInSegment) {
        state.put(MERGED, number(segment));
        if (newestInSegment.compareTo(newest()) > 0) {
            state.put(NEWEST, number(newestInSegment.packed()));
        }
        store.commit();
        store.sync();
    }

    /** The last segment of the log that is in the map as a whole; 0 before the first. */
    long lastMergedSegment() {
        return number(MERGED);
    }

    /** The newest version in any segment that is in the map as a whole; zero before the first. */
    Version newest() {
        return new Version(number(NEWEST));
    }

    private long number(Key name) {
        return reading(() -> {
            Stored number = state.get(name);
            return number == null ? 0 : number.version();
        });
    }

    /** Removes what may go, and makes it durable. */
    long purge(Predicate<Entry> dispensable) {
        long removed = 0;
        Optional<Key> start = Optional.of(KeyRange.all().start());
        while (start.isPresent()) {
            List<Entry> page = page(KeyRange.from(start.get()));
            for (Entry entry : page) {
                if (dispensable.test(entry)) {
                    synchronized (following) {
                        entries.remove(entry.key());
                        tell(entry, null);
                    }
                    removed++;
                }
            }
            commitIfLarge();
            start = page.isEmpty()
                    ? Optional.empty()
                    : page.get(page.size() - 1).key().successor();
        }
        store.commit();
        store.sync();
        return removed;
    }

    /**
     * Rewrites live pages out of chunks that are mostly unused, for a share of what has been written since the last call:
     * under lasting writes to a map much larger than a merge the file would otherwise grow to a multiple of what lives.
     */
    void compactForWhatWasWritten() {
        long written = fileStore.writtenBytes();
        for (long paid = compactedFor + COMPACT_SHARE * COMPACT_BYTES;
                paid <= written;
                paid += COMPACT_SHARE * COMPACT_BYTES) {
            compactedFor = paid;
            if (fileStore.getChunksFillRate() >= COMPACT_WRITES_BELOW_PERCENT
                    || !fileStore.compact(COMPACT_WRITES_BELOW_PERCENT, COMPACT_BYTES)) {
                compactedFor = written;
                return;
            }
            store.commit();
        }
    }

    /**
     * Takes one step towards a file without waste: drops chunks of which nothing is used any more, rewrites pages out of
     * chunks of which little is used, moves chunks into gaps. MVStore leaves chunks alone that are younger than its
     * retention time.
     *
     * @return whether there may be more to do
     */
    boolean settle() {
        long used = fileStore.size() / 100 * fileStore.getFillRate();
        long live = used / 100 * fileStore.getChunksFillRate();
        if (fileStore.size() <= SMALL_FILE_BYTES || fileStore.size() < live + live / 2) {
            return false;
        }
        // Chunks are dropped by commits, and a commit without a change does nothing.
        state.put(TICK, number(number(TICK) + 1));
        fileStore.compact(COMPACT_BELOW_PERCENT, COMPACT_BYTES);
        store.commit();
        if (fileStore.getFillRate() < COMPACT_BELOW_PERCENT) {
            fileStore.compactMoveChunks(COMPACT_BELOW_PERCENT, 2L * COMPACT_BYTES, store);
        }
        return true;
    }

    private void commitIfLarge() {
        if (store.getUnsavedMemory() > COMMIT_BYTES) {
            store.commit();
        }
    }

    private static Stored number(long number) {
        return new Stored(number, true, Entry.NEVER, new byte[0]);
    }

    /** Closes the file. What was merged of an unfinished segment may or may not be in it; the log still has it. */
    @Override
    public void close() {
        try {
            // MVStore drops its retention time for the last commit of a close; so there must be nothing left to commit.
            store.commit();
            store.sync();
            // Lets go of the versions that were read until now: a close expects that nobody reads.
            store.deregisterVersionUsage(store.registerVersionUsage());
            store.close();
        } catch (RuntimeException | AssertionError e) {
            fileStore.abandon();
            throw Health.damaged(file, "cannot be closed (" + e.getMessage() + ")", e);
        }
    }

    private static final class KeepNewest extends MVMap.DecisionMaker<Stored> {
        private final Entry entry;

        KeepNewest(Entry entry) {
            this.entry = entry;
        }

        @Override
        public MVMap.Decision decide(@Nullable Stored existing, Stored provided) {
            return existing == null || entry.supersedes(existing.toEntry(entry.key()))
                    ? MVMap.Decision.PUT
                    : MVMap.Decision.ABORT;
        }
    }
}
