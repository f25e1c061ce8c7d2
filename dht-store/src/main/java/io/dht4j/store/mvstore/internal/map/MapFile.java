package io.dht4j.store.mvstore.internal.map;

import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.NodeGauges.Bounded;
import io.dht4j.StoreStatistics.PageCache;
import io.dht4j.spi.Entry;
import io.dht4j.spi.FileFailure;
import io.dht4j.spi.StoreException;
import io.dht4j.store.disk.AtomicFile;
import io.dht4j.store.disk.Disk;
import io.dht4j.store.disk.Uninterruptibly;
import io.dht4j.store.mvstore.internal.disk.Fsync;
import io.dht4j.store.mvstore.internal.disk.Health;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.h2.mvstore.Cursor;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The open file of a map. A failed write leaves MVStore in memory in an unknown state: the file is then broken, and
 * must be opened again, which restores its last complete state. Safe for use by any number of threads; methods block on
 * the disk.
 */
final class MapFile {

    private static final Logger LOG = LoggerFactory.getLogger(MapFile.class);

    /**
     * The intended size of a commit. MVStore reuses its buffer if that has up to 4 MiB, and enlarges one of 3 MiB by
     * half when it is full: with a little more here, each commit would leave a multiple of its size to the collector.
     */
    static final int CHUNK_BYTES = (2 << 20) + (1 << 19);

    /** The memory of changed pages above which they are written, however small they are in the file. */
    private static final int MAX_UNSAVED_BYTES = 6 << 20;

    private static final int MIN_CACHE_BYTES = 1 << 20;

    private static final int MAX_PAGE_ENTRIES = 256;
    private static final long MAX_PAGE_BYTES = 1L << 20;

    private static final Key PUTTING = Key.of("putting");

    private final UninterruptibleFile file;
    final H2FileStore fileStore;
    final MVStore store;
    final MVMap<Key, MapValue> entries;
    final LargeValues largeValues;
    final Compactor compactor;

    /** Numbers about the map itself, each in place of an entry's version. */
    private final MVMap<Key, MapValue> state;

    /** The last key of the table that is being merged. Changed under the monitor of the map's {@link ChangeFeed}. */
    @Nullable
    Key mergedUpTo;

    /** Held during a write. */
    private final ReentrantLock writing = new ReentrantLock();

    /** Whether a write has failed, or the file was abandoned. Writers set it under that lock. */
    private volatile boolean broken;

    /**
     * The memory of changed pages at which they are written. Small entries use twice as much as in the file. For the
     * merging thread.
     */
    private long commitAbove = CHUNK_BYTES;

    private MapFile(UninterruptibleFile file, H2FileStore fileStore, MVStore store) {
        this.file = file;
        this.fileStore = fileStore;
        this.store = store;
        this.entries = openMap(store, "entries");
        this.state = openMap(store, "state");
        this.largeValues = new LargeValues(store);
        this.compactor = new Compactor(this);
    }

    /**
     * Opens a file, which is made if there is none.
     *
     * @param fsync forces the file to the disk, and records failures
     * @param isForced whether acknowledged writes survive a power failure
     * @param cacheBytes the memory for pages that were read, 1 MiB or more
     * @throws StoreException if it cannot be read or written, or is damaged
     */
    static MapFile open(Path path, Disk disk, Fsync fsync, boolean isForced, long cacheBytes) {
        UninterruptibleFile file;
        try {
            // Locking goes through a channel, which an interrupt would close.
            file = Uninterruptibly.call(() -> UninterruptibleFile.open(path, disk, fsync));
        } catch (IOException e) {
            throw unopened(path, e);
        } catch (StoreException e) {
            throw e;
        } catch (RuntimeException | Error e) {
            throw damagedOrFault(path, e);
        }
        try {
            Map<String, Object> config = new HashMap<>();
            config.put("cacheSize", (int) (cacheBytes >> 20));
            H2FileStore fileStore = new H2FileStore(file, isForced, config);
            MVStore store = new MVStore.Builder()
                    .adoptFileStore(fileStore)
                    .autoCommitDisabled()
                    .autoCommitBufferSize(0)
                    // There is no background thread: the caller gets every failure as well.
                    .backgroundExceptionHandler((thread, e) -> LOG.debug("{}: MVStore failed", path, e))
                    .open();
            return new MapFile(file, fileStore, store);
        } catch (IOException e) {
            file.abandon();
            throw unopened(path, e);
        } catch (StoreException e) {
            file.abandon();
            throw e;
        } catch (RuntimeException | Error e) {
            file.abandon();
            throw damagedOrFault(path, e);
        }
    }

    private static StoreException unopened(Path path, IOException e) {
        return new StoreException(
                path + " cannot be opened (" + FileFailure.inWords(e) + "); make it readable and writable", e);
    }

    private static StoreException damagedOrFault(Path path, Throwable e) {
        @Nullable Error fault = Health.errorIn(e);
        return fault == null
                ? Health.damaged(path, "cannot be opened (" + Health.reason(e) + ")", e)
                : new StoreException(
                        path + " cannot be opened (" + FileFailure.inWords(fault) + "); that is no damage"
                                + (fault instanceof OutOfMemoryError ? ": give the process more memory (-Xmx)" : ""),
                        e);
    }

    /** Makes an empty file, which exists as a whole or not at all after a power failure. */
    static void make(Path file, Disk disk) throws IOException {
        Path draft = file.resolveSibling(file.getFileName() + AtomicFile.DRAFT_SUFFIX);
        disk.delete(draft);
        MapFile made = open(draft, disk, new Fsync(disk), true, MIN_CACHE_BYTES);
        try {
            made.close();
        } catch (RuntimeException | Error e) {
            made.abandon();
            throw e;
        }
        disk.rename(draft, file);
        disk.forceNames(file.toAbsolutePath().resolveSibling(""));
    }

    private static MVMap<Key, MapValue> openMap(MVStore store, String name) {
        return store.openMap(
                name,
                new MVMap.Builder<Key, MapValue>().keyType(new PageTypes.Keys()).valueType(new PageTypes.Values()));
    }

    /** Runs a read, during which MVStore does not overwrite the pages of that moment. */
    <T> T reading(Function<MapFile, T> read) {
        MVStore.TxCounter usage = store.registerVersionUsage();
        try {
            return read.apply(this);
        } finally {
            // The next commit frees the versions that are no longer read; a read need not.
            store.decrementVersionUsageCounter(usage);
        }
    }

    /** Runs a write. If it fails, the file is broken. */
    <T> T writing(Function<MapFile, T> write) {
        boolean done = false;
        writing.lock();
        try {
            T result = write.apply(this);
            done = true;
            return result;
        } finally {
            if (!done) {
                broken = true;
            }
            writing.unlock();
        }
    }

    /** Returns whether a write has failed, or the file was abandoned. Does not wait for a running write. */
    boolean isBroken() {
        return broken;
    }

    /** Returns whether the file system was mounted read-only when the file was opened. */
    boolean isReadOnly() {
        return file.isReadOnly();
    }

    /**
     * Returns whether a failed read does not indicate damage, because a write has failed or the file was abandoned.
     * MVStore closes itself before the writer gets the failure, so this waits for a running write; one of this thread
     * counts as successful.
     */
    boolean isOutOfUse() {
        if (broken) {
            return true;
        }
        writing.lock();
        try {
            return broken;
        } finally {
            writing.unlock();
        }
    }

    /** Returns the entry of a key, or null. */
    @Nullable
    Entry entry(Key key) {
        MapValue stored = entries.get(key);
        return stored == null ? null : entry(key, stored);
    }

    /**
     * Returns the entry of a key whose value was read; if that was superseded or removed since, a newer one or null.
     */
    @Nullable
    Entry entry(Key key, MapValue found) {
        MapValue stored = found;
        while (stored.isFragmented()) {
            Entry entry = LargeValues.entry(largeValues.root(), key, stored);
            if (entry != null) {
                return entry;
            }
            MapValue now = entries.get(key);
            if (now == null) {
                return null;
            }
            if (now.isFragmented() && now.version() == stored.version() && now.digest() == stored.digest()) {
                throw PageTypes.corrupt("fragments of the value of key " + key + " are missing");
            }
            stored = now;
        }
        return stored.toEntry(key);
    }

    /** Reads the first entries of a range, ascending; none only if the range has none. */
    List<Entry> page(KeyRange range) {
        List<Entry> page = new ArrayList<>();
        long bytes = 0;
        Cursor<Key, MapValue> cursor = entries.cursor(range.start());
        while (page.size() < MAX_PAGE_ENTRIES && bytes < MAX_PAGE_BYTES && cursor.hasNext()) {
            Key key = cursor.next();
            if (!range.contains(key)) {
                break;
            }
            @Nullable Entry entry = entry(key, cursor.getValue());
            // One that was removed in between is skipped: a page without entries is the end of the range.
            if (entry != null) {
                page.add(entry);
                bytes += entry.value().length;
            }
        }
        return page;
    }

    /** Returns a number about the map; 0 if there is none of that name. */
    long number(Key name) {
        MapValue number = state.get(name);
        return number == null ? 0 : number.version();
    }

    /** Puts a number about the map, durable with the next commit. For writes. */
    void putNumber(Key name, long number) {
        state.put(name, new MapValue(number, true, Entry.NEVER, new byte[0]));
    }

    /**
     * Records the key whose fragments are put from now on, in the commit of the first one. For writes.
     *
     * <p>Without the record, the fragments of a merge would stay forever if it ended before it had put the entry, and
     * is not repeated because the disk has lost that part of the log.
     */
    void beginFragments(Key key) {
        removeUnfinishedFragments();
        state.put(PUTTING, new MapValue(0, false, Entry.NEVER, key.toByteArray()));
    }

    /** Removes the record: the entry is put, or is superseded and its fragments are removed. For writes. */
    void endFragments(Key key) {
        MapValue putting = state.get(PUTTING);
        if (putting != null && Key.of(putting.value()).equals(key)) {
            state.remove(PUTTING);
        }
    }

    /** Removes fragments whose entry was never put. For writes, while no fragments are being put. */
    void removeUnfinishedFragments() {
        MapValue putting = state.get(PUTTING);
        if (putting != null) {
            Key key = Key.of(putting.value());
            largeValues.removeOthers(key, entries.get(key));
            state.remove(PUTTING);
        }
    }

    /** Returns the statistics of the page cache since the file was opened. */
    PageCache pageCache() {
        return new PageCache(
                fileStore.getReadCount(),
                fileStore.getReadBytes(),
                fileStore.getCacheHitRatio() / 100.0,
                new Bounded((long) fileStore.getCacheSizeUsed() << 20, (long) fileStore.getCacheSize() << 20));
    }

    /** Commits changes of the size of a chunk, so that the memory of a merge does not grow with the map. */
    void commitIfLarge() {
        long unsaved = store.getUnsavedMemory();
        if (unsaved > commitAbove) {
            long before = fileStore.writtenBytes();
            store.commit();
            long written = Math.max(1, fileStore.writtenBytes() - before);
            commitAbove = Math.min(MAX_UNSAVED_BYTES, unsaved * CHUNK_BYTES / written);
        }
    }

    /** Makes all changes durable, and closes the file. */
    void close() {
        // MVStore drops its retention time for the last commit of a close, so no change may be left to commit.
        store.commit();
        store.sync();
        // Releases the versions that were read until now: a close expects that there are no readers.
        store.deregisterVersionUsage(store.registerVersionUsage());
        store.close();
    }

    /**
     * Closes the file without a write. Concurrent reads fail, and find the file {@linkplain #isOutOfUse out of use}.
     */
    void abandon() {
        broken = true;
        try {
            store.closeImmediately();
        } finally {
            file.abandon();
        }
    }
}
