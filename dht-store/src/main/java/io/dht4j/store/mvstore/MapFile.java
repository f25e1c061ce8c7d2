package io.dht4j.store.mvstore;

import io.dht4j.Key;
import io.dht4j.spi.Entry;
import io.dht4j.spi.StoreException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file of a map while it is open. After a write that failed nobody knows what MVStore holds of it in memory; so
 * this is broken then, and the file is to be opened again, from what is in it as a whole. Safe for use by any number of
 * threads.
 */
final class MapFile {

    private static final Logger LOG = LoggerFactory.getLogger(MapFile.class);

    /**
     * How much a commit should write. MVStore keeps its buffer for the next one if it has up to 4 MiB, and makes one of
     * 3 MiB larger by half when that is full: a little more here, and each commit would leave a multiple of what it
     * writes to the collector.
     */
    static final int CHUNK_BYTES = (2 << 20) + (1 << 19);

    /** Changed pages that take so much memory are written, however small they are in the file. */
    private static final int MAX_UNSAVED_BYTES = 6 << 20;

    final UninterruptibleFileStore fileStore;
    final MVStore store;
    final MVMap<Key, Stored> entries;
    final Pieces pieces;
    final Compactor tidying;

    /** What the store remembers of itself: numbers, kept where an entry has its version. */
    private final MVMap<Key, Stored> state;

    private static final Key PUTTING = Key.of("putting");

    /** Up to where the table that is being merged is in it. Changed under the lock of the map's listeners. */
    @Nullable
    Key mergedUpTo;

    /** Held while something is written. */
    private final ReentrantLock writing = new ReentrantLock();

    /** Whether a write has failed, or the file was closed without one. Set under that lock by those who write. */
    private volatile boolean broken;

    /**
     * Changed pages are written when they take this much memory. Small entries take twice what they take in the file.
     * For the merging thread.
     */
    private long commitAbove = CHUNK_BYTES;

    private MapFile(UninterruptibleFileStore fileStore, MVStore store) {
        this.fileStore = fileStore;
        this.store = store;
        this.entries = openMap(store, "entries");
        this.state = openMap(store, "state");
        this.pieces = new Pieces(store);
        this.tidying = new Compactor(this);
    }

    /**
     * Opens a file, which is made if there is none. Blocks.
     *
     * @throws StoreException if it cannot be read or written, or is damaged
     */
    static MapFile open(Path file, Disk disk, Durability durability, long cacheBytes) {
        return open(file, disk, new Forcing(disk), durability, cacheBytes);
    }

    /**
     * As above.
     *
     * @param forcing takes note of what could not be forced to the disk
     */
    static MapFile open(Path file, Disk disk, Forcing forcing, Durability durability, long cacheBytes) {
        Map<String, Object> config = new HashMap<>();
        config.put("cacheSize", (int) (cacheBytes >> 20));
        UninterruptibleFileStore fileStore =
                new UninterruptibleFileStore(file, disk, forcing, durability == Durability.FSYNC, config);
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
                    // There is no background: what fails is thrown to the caller as well.
                    .backgroundExceptionHandler((thread, e) -> LOG.debug("{}: MVStore failed", file, e))
                    .open();
            return new MapFile(fileStore, store);
        } catch (IOException e) {
            fileStore.abandon();
            throw new StoreException(file + " cannot be opened (" + e + "); make it readable and writable", e);
        } catch (StoreException e) {
            fileStore.abandon();
            throw e;
        } catch (RuntimeException | Error e) {
            fileStore.abandon();
            @Nullable Error fault = Health.errorIn(e);
            throw fault == null
                    ? Health.damaged(file, "cannot be opened (" + e.getMessage() + ")", e)
                    : new StoreException(
                            file + " cannot be opened (" + fault + "); that is no damage"
                                    + (fault instanceof OutOfMemoryError
                                            ? ": give the process more memory (-Xmx)"
                                            : ""),
                            e);
        }
    }

    /** Makes an empty file, which is there as a whole or not at all when the power fails. */
    static void make(Path file, Disk disk) throws IOException {
        Path draft = file.resolveSibling(file.getFileName() + AtomicFile.DRAFT_SUFFIX);
        disk.delete(draft);
        MapFile made = open(draft, disk, Durability.FSYNC, MvStoreOptions.MIN_CACHE_BYTES);
        try {
            made.close();
        } catch (RuntimeException | Error e) {
            made.abandon();
            throw e;
        }
        disk.rename(draft, file);
        disk.forceNames(file.toAbsolutePath().resolveSibling(""));
    }

    private static MVMap<Key, Stored> openMap(MVStore store, String name) {
        return store.openMap(
                name,
                new MVMap.Builder<Key, Stored>().keyType(new PageTypes.Keys()).valueType(new PageTypes.Values()));
    }

    /** Keeps MVStore from overwriting pages that are being read. */
    <T> T reading(Function<MapFile, T> read) {
        MVStore.TxCounter usage = store.registerVersionUsage();
        try {
            return read.apply(this);
        } finally {
            // The next commit finds out which versions are no longer in use; a read need not look for them.
            store.decrementVersionUsageCounter(usage);
        }
    }

    /** Takes note of a write that fails: only what is in the file can be trusted then. */
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

    /** Whether a write has failed, or the file was closed without one; does not wait for a write under way. */
    boolean isBroken() {
        return broken;
    }

    /**
     * Whether what went wrong with reading is no sign of damage: a write has failed, or the file was closed to be
     * opened again. MVStore closes itself before it tells the writer, so that this waits for the write under way; one
     * that this thread is in the middle of counts as going well.
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

    /** The entry of a key, or null. */
    @Nullable
    Entry entry(Key key) {
        Stored stored = entries.get(key);
        return stored == null ? null : entry(key, stored);
    }

    /** The entry of a key, from what was found of it; a newer one, or null, if it was superseded or removed since. */
    @Nullable
    Entry entry(Key key, Stored found) {
        Stored stored = found;
        while (stored.isInPieces()) {
            Entry entry = Pieces.entry(pieces.root(), key, stored);
            if (entry != null) {
                return entry;
            }
            Stored now = entries.get(key);
            if (now == null) {
                return null;
            }
            if (now.isInPieces() && now.version() == stored.version() && now.digest() == stored.digest()) {
                throw PageTypes.corrupt("pieces of the value of key " + key + " are missing");
            }
            stored = now;
        }
        return stored.toEntry(key);
    }

    /** What the store remembers of itself by a name; 0 if there is nothing. */
    long number(Key name) {
        Stored number = state.get(name);
        return number == null ? 0 : number.version();
    }

    /** Remembers a number from the next commit on. For what writes. */
    void keepNumber(Key name, long number) {
        state.put(name, new Stored(number, true, Entry.NEVER, new byte[0]));
    }

    /**
     * Notes whose pieces are put from now on, in the commit that the first of them is in. For what writes.
     *
     * <p>What comes to an end before the entry is there, and is not begun again since the disk has forgotten that part
     * of the log, nobody would find, nor remove, otherwise.
     */
    void beginPieces(Key key) {
        removeUnfinishedPieces();
        state.put(PUTTING, new Stored(0, false, Entry.NEVER, key.toByteArray()));
    }

    /** The entry that the pieces are of is there, or is superseded and the pieces are gone. For what writes. */
    void endPieces(Key key) {
        Stored putting = state.get(PUTTING);
        if (putting != null && Key.of(putting.value()).equals(key)) {
            state.remove(PUTTING);
        }
    }

    /** Removes pieces that were put, and whose entry did not come. For what writes, when none are being put. */
    void removeUnfinishedPieces() {
        Stored putting = state.get(PUTTING);
        if (putting != null) {
            Key key = Key.of(putting.value());
            pieces.removeOthers(key, entries.get(key));
            state.remove(PUTTING);
        }
    }

    /**
     * Writes what has changed if it is as much as a chunk should have, so that a merge does not need more memory the
     * larger the map is.
     */
    void commitIfLarge() {
        long unsaved = store.getUnsavedMemory();
        if (unsaved > commitAbove) {
            long before = fileStore.writtenBytes();
            store.commit();
            long written = Math.max(1, fileStore.writtenBytes() - before);
            commitAbove = Math.min(MAX_UNSAVED_BYTES, unsaved * CHUNK_BYTES / written);
        }
    }

    /** Makes everything durable, and closes the file. */
    void close() {
        // MVStore drops its retention time for the last commit of a close; so there must be nothing left to commit.
        store.commit();
        store.sync();
        // Lets go of the versions that were read until now: a close expects that nobody reads.
        store.deregisterVersionUsage(store.registerVersionUsage());
        store.close();
    }

    /**
     * Closes the file without a write. Whoever reads it meanwhile fails, and finds it {@linkplain #isOutOfUse out of
     * use}.
     */
    void abandon() {
        broken = true;
        try {
            store.closeImmediately();
        } finally {
            fileStore.abandon();
        }
    }
}
