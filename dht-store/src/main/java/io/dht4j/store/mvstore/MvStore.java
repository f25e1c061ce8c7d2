package io.dht4j.store.mvstore;

import static java.util.Objects.requireNonNull;

import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.NodeGauges.Bounded;
import io.dht4j.NodeId;
import io.dht4j.StoreProblem;
import io.dht4j.StoreStatistics;
import io.dht4j.Version;
import io.dht4j.spi.ContentListener;
import io.dht4j.spi.Entry;
import io.dht4j.spi.EntryCursor;
import io.dht4j.spi.FileFailure;
import io.dht4j.spi.Store;
import io.dht4j.spi.StoreException;
import io.dht4j.spi.StoreSpace;
import io.dht4j.store.disk.Disk;
import io.dht4j.store.mvstore.internal.cache.EntryCache;
import io.dht4j.store.mvstore.internal.disk.Health;
import io.dht4j.store.mvstore.internal.disk.OutOfMemoryRetry;
import io.dht4j.store.mvstore.internal.disk.StoreDirectory;
import io.dht4j.store.mvstore.internal.log.LogReplay;
import io.dht4j.store.mvstore.internal.log.WriteAheadLog;
import io.dht4j.store.mvstore.internal.map.EntryMap;
import io.dht4j.store.mvstore.internal.memtable.Memtable;
import io.dht4j.store.mvstore.internal.memtable.Memtables;
import io.dht4j.store.mvstore.internal.merge.MemtableFlusher;
import io.dht4j.store.mvstore.internal.statistics.StoreWork;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A durable store. Writes are appended to a log in groups, and put into a sorted table in memory. Full tables are
 * merged into an {@code MVStore} map in the background, and their part of the log is deleted. A read returns the newest
 * entry from the cache of entries, or from the tables and the map. When as many tables wait for the merge as the
 * options allow, writers wait.
 *
 * <p>When {@link #apply} returns, the entries survive what the {@linkplain Durability durability} promises.
 * {@link #open} replays the log. It removes an incomplete write, which was never acknowledged, and logs a warning; any
 * other damage is a {@link StoreException}. On a full disk a store is opened for reading. A store that can no longer
 * write (full disk, damaged file) refuses writes and reports why in {@link #problems()}; reads continue as long as
 * possible. After a transient failure it accepts writes again without intervention. After a failure that leaves the
 * state of the disk unknown it must be opened again.
 *
 * <p>Safe for use by any number of threads; an interrupt of a calling thread stays set and has no other effect. Methods
 * block on the disk. One process at a time uses a directory.
 */
public final class MvStore implements Store {

    private final StoreDirectory directory;
    private final Health health;
    private final EntryMap map;
    private final Memtables memtables;
    private final EntryCache cache;
    private final EntryReader reader;
    private final WriteAheadLog log;
    private final MemtableFlusher flusher;
    private final Version newestAtOpen;

    /** Calls hold the read lock; {@link #close()} takes the write lock. */
    private final ReentrantReadWriteLock calls = new ReentrantReadWriteLock();

    /** The node that uses it; null if none does. */
    private final AtomicReference<@Nullable NodeId> user = new AtomicReference<>();

    /** Changed under the write lock. */
    private boolean closed;

    private MvStore(
            StoreDirectory directory,
            Health health,
            EntryMap map,
            Memtables memtables,
            EntryCache cache,
            WriteAheadLog log,
            MemtableFlusher flusher,
            Version newestAtOpen) {
        this.directory = directory;
        this.health = health;
        this.map = map;
        this.memtables = memtables;
        this.cache = cache;
        this.reader = new EntryReader(cache, memtables, map);
        this.log = log;
        this.flusher = flusher;
        this.newestAtOpen = newestAtOpen;
    }

    /**
     * Opens a store, or creates one in a directory that is empty or does not exist. Replays the log.
     *
     * @param directory the directory of the store's files only
     * @param options the options of the store
     * @return the store; it has all acknowledged entries, within the limits of the durability
     * @throws StoreException if the directory cannot be written, holds other files, is in use, has another format
     *     version, or is damaged; the message names the file and the remedy
     */
    public static MvStore open(Path directory, MvStoreOptions options) {
        return open(requireNonNull(directory, "directory"), requireNonNull(options, "options"), Disk.REAL);
    }

    /** With another disk. */
    static MvStore open(Path given, MvStoreOptions options, Disk disk) {
        // Messages would show nothing.
        Path directory = given.toString().isEmpty() ? Path.of(".") : given;
        StoreDirectory opened = StoreDirectory.open(directory, disk);
        boolean done = false;
        try {
            MvStore store = recover(opened, options);
            done = true;
            return store;
        } catch (IOException e) {
            throw new StoreException(
                    directory + " cannot be opened (" + FileFailure.inWords(e) + "); " + disk.remedy(directory), e);
        } catch (RuntimeException e) {
            throw unopened(opened, e);
        } catch (OutOfMemoryError e) {
            throw new StoreException(
                    opened.fsync().hasFailedForMap()
                            ? opened.untrusted().setWithRetry(e)
                            : directory + " cannot be opened (" + e
                                    + "); give the process more memory (-Xmx), then start again",
                    e);
        } finally {
            if (!done) {
                OutOfMemoryRetry.run(opened::close);
            }
        }
    }

    /** A failed write is no damage; after a failed fsync the state of the file is unknown. */
    private static RuntimeException unopened(StoreDirectory directory, RuntimeException e) {
        @Nullable IOException cause = Health.ioFailure(e);
        if (directory.fsync().hasFailedForMap()) {
            return new StoreException(directory.untrusted().setWithRetry(e), e);
        }
        return e instanceof StoreException || cause == null
                ? e
                : new StoreException(
                        directory.path() + " cannot be opened (" + FileFailure.inWords(cause) + "); "
                                + directory.disk().remedy(directory.path()),
                        e);
    }

    private static MvStore recover(StoreDirectory directory, MvStoreOptions options) throws IOException {
        directory.untrusted().requireAbsent();
        directory.checkData();
        Health health = new Health(directory.path(), directory.fsync());
        EntryCache cache = new EntryCache(options.entryCacheBytes());
        boolean isForced = options.durability() == Durability.FSYNC;
        EntryMap map = EntryMap.open(directory, isForced, options.cacheBytes(), cache, health);
        try {
            LogReplay recovery = new LogReplay(directory, map, isForced, options.memtableBytes(), options.maxFrozen());
            List<Memtable> recovered = recovery.replay();
            Memtables memtables = new Memtables(
                    health,
                    new StoreWork(StoreWork.Kind.WRITE_STALL, directory.path()),
                    options.memtableBytes(),
                    options.maxFrozen(),
                    recovered,
                    recovery.nextTable());
            WriteAheadLog log = new WriteAheadLog(directory, isForced, memtables, cache, health, recovery);
            MemtableFlusher flusher = new MemtableFlusher(directory, isForced, memtables, map, log, health);
            log.begin();
            flusher.start();
            return new MvStore(directory, health, map, memtables, cache, log, flusher, recovery.newest());
        } catch (IOException | RuntimeException | Error e) {
            // A close would write, and remove all data behind the last chunk that MVStore could read.
            map.abandon();
            throw e;
        }
    }

    @Override
    public void claim(NodeId node) {
        reading(() -> {
            NodeId before = user.compareAndExchange(null, node);
            if (before != null) {
                throw StoreException.inUse(directory.path().toString(), before);
            }
            return node;
        });
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
        return reading(() -> reader.get(key));
    }

    /**
     * {@inheritDoc}
     *
     * <p>Returns entries that were read before and are still in the entry cache.
     */
    @Override
    public Optional<Held> getFromMemory(Key key) {
        // A close holds the lock for long.
        if (!calls.readLock().tryLock()) {
            return Optional.empty();
        }
        try {
            checkOpen();
            return Optional.ofNullable(cache.getBeforeStore(key));
        } finally {
            calls.readLock().unlock();
        }
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
     * <p>Reads the map, and perhaps the disk, only for entries that are not newer than the whole map.
     */
    @Override
    public List<Version> applyAndGetVersions(List<Entry> entries) {
        return reading(() -> {
            health.checkWritable();
            log.append(entries);
            if (entries.size() == 1) {
                return List.of(reader.newestVersion(entries.get(0)));
            }
            List<Version> newest = new ArrayList<>(entries.size());
            for (Entry entry : entries) {
                newest.add(reader.newestVersion(entry));
            }
            return newest;
        });
    }

    @Override
    public EntryCursor scan(KeyRange range) {
        return reading(() -> new MergingCursor(this::reading, range, memtables.view(), map::page));
    }

    /**
     * {@inheritDoc}
     *
     * <p>First merges all applied entries into the map, then iterates over the map, in steps between which later
     * entries are merged. A disk on which the map cannot be written ends the purge, but not the writes.
     */
    @Override
    public long purge(Predicate<Entry> dispensable) {
        return reading(() -> {
            health.checkWritable();
            log.rotate();
            return flusher.purge(dispensable);
        });
    }

    /**
     * {@inheritDoc}
     *
     * <p>A change is reported when it reaches the map.
     */
    @Override
    public EntryCursor follow(ContentListener listener) {
        return reading(() -> map.follow(this::reading, listener));
    }

    /**
     * {@inheritDoc}
     *
     * <p>Takes as long as the merge of all applied entries into the map.
     */
    @Override
    public void settle() {
        reading(() -> {
            health.checkWritable();
            log.rotate();
            flusher.awaitMerged();
            return log;
        });
    }

    @Override
    public void keepNote(String name, byte[] bytes) {
        reading(() -> {
            health.checkWritable();
            directory.metadata().put(name, bytes);
            return bytes;
        });
    }

    @Override
    public Optional<byte[]> note(String name) {
        return reading(() -> directory.metadata().get(name));
    }

    /**
     * {@inheritDoc}
     *
     * <p>Exact while few writes wait for the merge, an estimate while many do; they are merged some seconds after the
     * last write.
     */
    @Override
    public long entries() {
        return reading(reader::count);
    }

    /**
     * {@inheritDoc}
     *
     * <p>Counts the live pages of the map's file, and the entries that wait for the merge.
     */
    @Override
    public Optional<StoreSpace> space() {
        return reading(() -> {
            try {
                long free = directory.disk().usableBytes(directory.path());
                return Optional.of(new StoreSpace(map.liveBytes() + memtables.weight(), Math.max(0, free)));
            } catch (IOException e) {
                throw new StoreException(
                        "the free space of " + directory.path() + " is unknown (" + FileFailure.inWords(e) + ")", e);
            }
        });
    }

    @Override
    public Optional<StoreStatistics> statistics() {
        return reading(() -> {
            try {
                return Optional.of(new StoreStatistics(
                        log.commits(),
                        directory.fsync().succeeded(),
                        flusher.merges(),
                        flusher.compactions(),
                        memtables.stalls(),
                        new Bounded(memtables.weight(), memtables.maxBytes()),
                        map.fileBytes(),
                        directory.logBytes(),
                        Optional.of(cache.statistics()),
                        Optional.of(map.pageCache())));
            } catch (IOException e) {
                throw new StoreException(directory.path() + " cannot be listed (" + FileFailure.inWords(e) + ")", e);
            }
        });
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
        // A purge would hold the lock to its end.
        flusher.endPurges();
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
                List.of(flusher::close, this::closeLog, this::closeMap, () -> OutOfMemoryRetry.run(directory::close));
        @Nullable StoreException failure = null;
        for (Runnable step : steps) {
            try {
                step.run();
            } catch (RuntimeException | Error e) {
                if (failure == null) {
                    failure = e instanceof StoreException known
                            ? known
                            : new StoreException(
                                    directory.path() + " cannot be closed (" + FileFailure.inWords(e) + ")", e);
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
            throw new StoreException(
                    directory.path() + ": the log cannot be forced to the disk (" + FileFailure.inWords(e) + ")", e);
        }
    }

    private void closeMap() {
        try {
            map.close();
        } catch (RuntimeException | Error e) {
            if (directory.fsync().hasFailedForMap()) {
                throw new StoreException(directory.untrusted().setWithRetry(e), e);
            }
            throw e;
        }
        if (directory.fsync().hasFailedForMap() && !directory.untrusted().isSet()) {
            // The merging thread had no memory to set the marker in time.
            throw new StoreException(directory.untrusted().setWithRetry(new OutOfMemoryError("while it was closed")));
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
