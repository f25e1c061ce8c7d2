package io.dht4j.store.mvstore;

import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.StoreProblem;
import io.dht4j.Version;
import io.dht4j.spi.ContentListener;
import io.dht4j.spi.Entry;
import io.dht4j.spi.EntryCursor;
import io.dht4j.spi.Store;
import io.dht4j.spi.StoreException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A durable store. Writes are appended to a log in groups and kept in a sorted table in memory; full tables are merged
 * into an {@code MVStore} map in the background, and their part of the log is deleted. A read looks into the cache of
 * entries, or into the tables and the map, and takes the newest entry. When as many tables wait for the merge as the
 * options allow, writers wait.
 *
 * <p>When {@link #apply} returns, the entries survive what the {@linkplain Durability durability} promises.
 * {@link #open} replays the log; a write that was cut off, and so never acknowledged, is removed and reported as a
 * warning; any other damage is a {@link StoreException}. On a disk that is full a store is opened to be read. A store
 * that can no longer write (full disk, damaged file) refuses writes and says why, see {@link #problems()}; reads go on
 * as long as they can. It tries by itself whether the cause has passed, and then takes writes again, unless what is on
 * the disk is in doubt: then it must be opened again.
 *
 * <p>Safe for use by any number of threads; an interrupt of a calling thread has no effect but to stay set. Methods
 * block on the disk. One process at a time uses a directory.
 */
public final class MvStore implements Store {

    /** Beyond so many entries in memory, {@link #entries()} looks at a part of them only. */
    private static final int COUNTED_ENTRIES = 4096;

    private static final int COUNTING_ATTEMPTS = 20;

    private final StoreDirectory directory;
    private final Health health;
    private final EntryMap map;
    private final Memtables memtables;
    private final EntryCache cache;
    private final WriteAheadLog log;
    private final Merger merger;
    private final Version newestAtOpen;

    /** Calls hold the read lock; {@link #close()} takes the write lock. */
    private final ReentrantReadWriteLock calls = new ReentrantReadWriteLock();

    /** Changed under the write lock. */
    private boolean closed;

    private MvStore(
            StoreDirectory directory,
            Health health,
            EntryMap map,
            Memtables memtables,
            EntryCache cache,
            WriteAheadLog log,
            Merger merger,
            Version newestAtOpen) {
        this.directory = directory;
        this.health = health;
        this.map = map;
        this.memtables = memtables;
        this.cache = cache;
        this.log = log;
        this.merger = merger;
        this.newestAtOpen = newestAtOpen;
    }

    /**
     * Opens a store, or makes one in a directory that is empty or does not exist. Replays the log.
     *
     * @param directory holds the store's files and nothing else
     * @param options how the store works
     * @return the store; everything is there that was ever acknowledged, within what the durability promises
     * @throws StoreException if the directory cannot be written, holds something else, is in use, has another format
     *     version, or is damaged; the message names the file and the way out
     */
    public static MvStore open(Path directory, MvStoreOptions options) {
        return open(directory, options, Disk.REAL);
    }

    /** With a disk of one's own. */
    static MvStore open(Path directory, MvStoreOptions options, Disk disk) {
        StoreDirectory opened = StoreDirectory.open(directory, disk);
        boolean done = false;
        try {
            MvStore store = recover(opened, options);
            done = true;
            return store;
        } catch (IOException e) {
            throw new StoreException(directory + " cannot be opened (" + e + "); " + disk.remedy(directory), e);
        } catch (RuntimeException e) {
            throw unopened(opened, e);
        } catch (OutOfMemoryError e) {
            throw new StoreException(
                    opened.forcing().hasFailedForMap()
                            ? opened.notes().distrustForSure(e)
                            : directory + " cannot be opened (" + e
                                    + "); give the process more memory (-Xmx), then start again",
                    e);
        } finally {
            if (!done) {
                MemoryWait.run(opened::close);
            }
        }
    }

    /** A file that could not be written is no damage; one that could not be forced to the disk is in doubt. */
    private static RuntimeException unopened(StoreDirectory directory, RuntimeException e) {
        @Nullable IOException cause = Health.ioFailure(e);
        if (directory.forcing().hasFailedForMap()) {
            return new StoreException(directory.notes().distrustForSure(e), e);
        }
        return e instanceof StoreException || cause == null
                ? e
                : new StoreException(
                        directory.path() + " cannot be opened (" + cause + "); "
                                + directory.disk().remedy(directory.path()),
                        e);
    }

    private static MvStore recover(StoreDirectory directory, MvStoreOptions options) throws IOException {
        directory.notes().checkTrusted();
        directory.checkData();
        Health health = new Health(directory.path(), directory.forcing());
        EntryCache cache = new EntryCache(options.entryCacheBytes());
        EntryMap map = EntryMap.open(directory, options, cache, health);
        try {
            Recovery recovery = new Recovery(directory, map, options);
            List<Memtable> recovered = recovery.replay();
            Memtables memtables = new Memtables(health, options, recovered, recovery.nextTable());
            WriteAheadLog log = new WriteAheadLog(directory, options, memtables, cache, health, recovery);
            Merger merger = new Merger(directory, options, memtables, map, log, health);
            log.begin();
            merger.start();
            return new MvStore(directory, health, map, memtables, cache, log, merger, recovery.newest());
        } catch (IOException | RuntimeException | Error e) {
            // Not closed, which writes, and cuts off what is behind the last chunk that MVStore could read.
            map.abandon();
            throw e;
        }
    }

    @Override
    public void bind(String placement) {
        reading(() -> {
            directory.bind(placement, newestAtOpen.packed() == 0, health::checkWritable);
            return placement;
        });
    }

    @Override
    public Optional<Entry> get(Key key) {
        return reading(() -> {
            Held known = cache.get(key);
            return known == null ? read(key) : known.entry();
        });
    }

    private Optional<Entry> read(Key key) {
        long stamp = cache.stamp(key);
        // The tables come first: what leaves them meanwhile is in the map before it is gone from them.
        Optional<Entry> inTables = newestIn(memtables.view(), key);
        EntryMap.Found inMap = map.get(key);
        Optional<Entry> newest = newest(inTables, inMap.entry());
        cache.keep(key, newest, inMap.isInFile(), stamp);
        return newest;
    }

    /**
     * {@inheritDoc}
     *
     * <p>Tells of what was read before and is still in the entry cache.
     */
    @Override
    public Optional<Held> getFromMemory(Key key) {
        // Whoever closes holds the lock, and for long.
        if (!calls.readLock().tryLock()) {
            return Optional.empty();
        }
        try {
            checkOpen();
            return Optional.ofNullable(cache.get(key));
        } finally {
            calls.readLock().unlock();
        }
    }

    private static Optional<Entry> newestIn(Memtables.View view, Key key) {
        Optional<Entry> newest = Optional.ofNullable(view.active().get(key));
        for (Memtable table : view.frozen()) {
            newest = newest(newest, Optional.ofNullable(table.get(key)));
        }
        return newest;
    }

    private static Optional<Entry> newest(Optional<Entry> one, Optional<Entry> other) {
        if (one.isEmpty() || other.isEmpty()) {
            return one.isEmpty() ? other : one;
        }
        return Optional.of(Entry.newest(one.get(), other.get()));
    }

    @Override
    public void apply(List<Entry> entries) {
        reading(() -> {
            health.checkWritable();
            log.append(entries);
            return entries;
        });
    }

    /**
     * {@inheritDoc}
     *
     * <p>Looks at the map, and perhaps the disk, only for entries that are not newer than all that is in it.
     */
    @Override
    public List<Version> applyAndGetVersions(List<Entry> entries) {
        return reading(() -> {
            health.checkWritable();
            log.append(entries);
            if (entries.size() == 1) {
                return List.of(newestVersion(entries.get(0)));
            }
            List<Version> newest = new ArrayList<>(entries.size());
            for (Entry entry : entries) {
                newest.add(newestVersion(entry));
            }
            return newest;
        });
    }

    /** The newest version held of the key of an entry that is in the tables, or was until a moment ago. */
    private Version newestVersion(Entry entry) {
        Version version = entry.version();
        // The tables come first: what leaves them meanwhile is in the map before it is gone from them.
        Memtables.View view = memtables.view();
        Version newest = newest(version, view.active(), entry.key());
        for (Memtable table : view.frozen()) {
            newest = newest(newest, table, entry.key());
        }
        if (newest.compareTo(version) > 0 || version.compareTo(map.newestEver()) > 0) {
            return newest;
        }
        // Of the version alone, for which a large value need not be read.
        Held known = cache.get(entry.key());
        Optional<Version> inMap =
                known == null ? map.version(entry.key()) : known.entry().map(Entry::version);
        return inMap.filter(held -> held.compareTo(version) > 0).orElse(version);
    }

    private static Version newest(Version known, Memtable table, Key key) {
        if (table.newest().compareTo(known) <= 0) {
            return known;
        }
        Entry held = table.get(key);
        return held == null || held.version().compareTo(known) <= 0 ? known : held.version();
    }

    @Override
    public EntryCursor scan(KeyRange range) {
        return reading(() -> new MergingCursor(this::reading, range, memtables.view(), map::page));
    }

    /**
     * {@inheritDoc}
     *
     * <p>First brings everything that has been applied into the map; takes as long as that and a walk over the map, in
     * steps between which what is written meanwhile is merged. A disk on which the map cannot be written ends the purge
     * and not the writes.
     */
    @Override
    public long purge(Predicate<Entry> dispensable) {
        return reading(() -> {
            health.checkWritable();
            log.rotate();
            return merger.purge(dispensable);
        });
    }

    /**
     * {@inheritDoc}
     *
     * <p>A change is told when it reaches the map.
     */
    @Override
    public EntryCursor follow(ContentListener listener) {
        return reading(() -> map.follow(this::reading, listener));
    }

    /**
     * {@inheritDoc}
     *
     * <p>Takes as long as bringing everything that has been applied into the map.
     */
    @Override
    public void settle() {
        reading(() -> {
            health.checkWritable();
            log.rotate();
            merger.awaitMerged();
            return log;
        });
    }

    @Override
    public void keepNote(String name, byte[] bytes) {
        reading(() -> {
            health.checkWritable();
            directory.nodeNotes().keep(name, bytes);
            return bytes;
        });
    }

    @Override
    public Optional<byte[]> note(String name) {
        return reading(() -> directory.nodeNotes().read(name));
    }

    /**
     * {@inheritDoc}
     *
     * <p>Exact while few writes wait for the merge, an estimate while many do; they are merged some seconds after the
     * last write.
     */
    @Override
    public long entries() {
        return reading(() -> {
            long inMap = map.size();
            long waiting = waitingEntries();
            for (int i = 0; i < COUNTING_ATTEMPTS && inMap != map.size(); i++) {
                // A key went from a table to the map while it was counted.
                inMap = map.size();
                waiting = waitingEntries();
            }
            return inMap + waiting;
        });
    }

    /** How many keys are in the tables and not in the map. */
    private long waitingEntries() {
        Memtables.View view = memtables.view();
        List<Memtable> oldestFirst = new ArrayList<>(view.frozen());
        oldestFirst.add(view.active());
        long count = 0;
        for (int i = 0; i < oldestFirst.size(); i++) {
            count += added(oldestFirst.get(i), oldestFirst.subList(0, i));
        }
        return count;
    }

    /** How many keys of a table are neither in older tables nor in the map. */
    private long added(Memtable table, List<Memtable> older) {
        long looked = 0;
        long added = 0;
        for (Entry entry : table) {
            Key key = entry.key();
            if (looked == COUNTED_ENTRIES) {
                return added * table.size() / looked;
            }
            looked++;
            if (older.stream().noneMatch(other -> other.contains(key)) && !map.contains(key)) {
                added++;
            }
        }
        return added;
    }

    @Override
    public Version newestAtOpen() {
        return newestAtOpen;
    }

    @Override
    public boolean isMemoryFast() {
        return false;
    }

    @Override
    public List<StoreProblem> problems() {
        return health.problems();
    }

    @Override
    public String name() {
        return "mvstore";
    }

    @Override
    public void close() {
        // It would hold the lock to its end.
        merger.endPurges();
        calls.writeLock().lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            closeAll();
        } finally {
            calls.writeLock().unlock();
        }
    }

    private void closeAll() {
        List<Runnable> steps =
                List.of(merger::close, this::closeLog, this::closeMap, () -> MemoryWait.run(directory::close));
        @Nullable StoreException failure = null;
        for (Runnable step : steps) {
            try {
                step.run();
            } catch (RuntimeException | Error e) {
                if (failure == null) {
                    failure = e instanceof StoreException known
                            ? known
                            : new StoreException(directory.path() + " cannot be closed (" + e + ")", e);
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    private void closeLog() {
        try {
            log.close();
        } catch (IOException e) {
            throw new StoreException(directory.path() + ": the log cannot be forced to the disk (" + e + ")", e);
        }
    }

    private void closeMap() {
        try {
            map.close();
        } catch (RuntimeException | Error e) {
            if (directory.forcing().hasFailedForMap()) {
                throw new StoreException(directory.notes().distrustForSure(e), e);
            }
            throw e;
        }
        if (directory.forcing().hasFailedForMap() && !directory.notes().isDistrusted()) {
            // The merger had no memory to note that before its time was up.
            throw new StoreException(directory.notes().distrustForSure(new OutOfMemoryError("while it was closed")));
        }
    }

    private <T> T reading(Supplier<T> call) {
        calls.readLock().lock();
        try {
            checkOpen();
            return call.get();
        } finally {
            calls.readLock().unlock();
        }
    }

    private void checkOpen() {
        if (closed) {
            throw new StoreException("the store " + directory.path() + " is closed; open it again");
        }
    }
}
