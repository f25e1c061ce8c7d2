package io.dht4j.store.mvstore.internal.log;

import io.dht4j.StoreStatistics.Work;
import io.dht4j.spi.Entry;
import io.dht4j.spi.FileFailure;
import io.dht4j.spi.StoreException;
import io.dht4j.store.disk.FsyncFailedException;
import io.dht4j.store.log.LogFormat;
import io.dht4j.store.mvstore.internal.cache.EntryCache;
import io.dht4j.store.mvstore.internal.disk.Health;
import io.dht4j.store.mvstore.internal.disk.LostFileException;
import io.dht4j.store.mvstore.internal.disk.StoreDirectory;
import io.dht4j.store.mvstore.internal.memtable.Memtable;
import io.dht4j.store.mvstore.internal.memtable.Memtables;
import io.dht4j.store.mvstore.internal.statistics.WorkMeter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Appends groups of writes to the log (group commit). Each writing thread puts its entries into a queue. One of the
 * threads becomes the leader: it takes a group from the queue, writes it to the log as one frame, forces it to the disk
 * if the durability demands that, and puts it into the active table; the others wait. The next group gathers during
 * that time, so groups grow with the load, and a single writer never waits for others. An entry is in the log before it
 * is readable. Before its write is acknowledged, the cache has no older entry.
 *
 * <p>Safe for use by any number of threads.
 */
public final class WriteAheadLog {

    private static final Logger LOG = LoggerFactory.getLogger(WriteAheadLog.class);

    private static final long LEADING_PAUSE_NANOS = 1_000_000;

    /** The least interval between checks of the files; writes since the last one may be lost with a removed file. */
    private static final long UNCHECKED_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final StoreDirectory directory;
    private final boolean isForced;
    private final Memtables memtables;
    private final EntryCache cache;
    private final Health health;
    private final LogReplay recovery;
    private final Queue<WriteRequest> pending = new ConcurrentLinkedQueue<>();
    private final WorkMeter commits = new WorkMeter();
    private final AtomicBoolean leading = new AtomicBoolean();

    // Below: only for the leader.
    private final CommitGroup group = new CommitGroup();
    /** Null until the disk can be written. */
    private @Nullable SegmentWriter segment;

    private long checkedNanos = System.nanoTime();

    /**
     * Creates the log of a store; {@link #begin} opens it.
     *
     * @param directory the store's
     * @param isForced whether acknowledged writes survive a power failure
     * @param memtables receive the entries
     * @param cache whose older entries are replaced
     * @param health learns of failures
     * @param recovery has replayed the log
     */
    public WriteAheadLog(
            StoreDirectory directory,
            boolean isForced,
            Memtables memtables,
            EntryCache cache,
            Health health,
            LogReplay recovery) {
        this.directory = directory;
        this.isForced = isForced;
        this.memtables = memtables;
        this.cache = cache;
        this.health = health;
        this.recovery = recovery;
    }

    /** Begins a segment, if the disk can be written; else {@link #prepare} does later. */
    public void begin() {
        lead();
        try {
            segment = recovery.beginSegment();
        } catch (IOException e) {
            failed(e);
        } finally {
            endLeading();
        }
    }

    /**
     * Logs entries and makes them visible. Blocks until that is done; ignores interrupts.
     *
     * @param entries the entries
     * @throws StoreException if they cannot be written
     */
    public void append(List<Entry> entries) {
        List<Entry> part = new ArrayList<>();
        long bytes = 0;
        for (Entry entry : entries) {
            if (entry.value().length > LogFormat.MAX_VALUE_BYTES) {
                throw new StoreException("a value of " + entry.value().length + " bytes is too large for "
                        + directory.path() + "; the limit is " + LogFormat.MAX_VALUE_BYTES);
            }
            long recordBytes = LogFormat.recordBytes(entry);
            if (bytes > 0 && bytes + recordBytes > CommitGroup.MAX_BYTES) {
                submit(new WriteRequest(part, bytes));
                part = new ArrayList<>();
                bytes = 0;
            }
            part.add(entry);
            bytes += recordBytes;
        }
        if (!part.isEmpty()) {
            submit(new WriteRequest(part, bytes));
        }
    }

    /** Freezes the active table, so that all entries that were appended before will be merged. Blocks. */
    public void rotate() {
        submit(new WriteRequest(List.of(), 0));
    }

    /** Freezes the active table if no thread is writing and a table may be frozen; never waits. */
    public void tryRotate() {
        if (leading.compareAndSet(false, true)) {
            try {
                if (!memtables.view().active().isEmpty() && memtables.hasRoom() && !health.isFailed()) {
                    startSegment();
                }
            } catch (IOException e) {
                failed(e);
            } finally {
                endLeading();
            }
        }
    }

    /**
     * Begins the first segment, if that failed when the store was opened. Called while the store refuses writes, and
     * before the first merge.
     *
     * @throws IOException if the disk still cannot be written
     */
    public void prepare() throws IOException {
        lead();
        try {
            if (segment == null) {
                segment = recovery.beginSegment();
            }
        } finally {
            endLeading();
        }
    }

    /**
     * Removes the rest of a failed write from the log, and begins a new segment if the old one has entries. To be
     * called while the store refuses writes because of a transient failure; on return it takes them again.
     *
     * @throws IOException if the disk still cannot be written
     */
    public void recover() throws IOException {
        lead();
        try {
            segment().truncateTorn();
            if (!memtables.view().active().isEmpty() && memtables.hasRoom()) {
                startSegment();
            }
            directory.files().check();
            health.recovered();
        } finally {
            endLeading();
        }
    }

    /**
     * Becomes the leader without entries. Another leader soon ends, because it writes, or finds out that the store has
     * failed.
     */
    private void lead() {
        while (!leading.compareAndSet(false, true)) {
            LockSupport.parkNanos(LEADING_PAUSE_NANOS);
        }
    }

    private SegmentWriter segment() {
        return Objects.requireNonNull(segment, "nothing is written before a segment has begun");
    }

    private void submit(WriteRequest request) {
        pending.add(request);
        boolean interrupted = false;
        while (!request.done) {
            if (leading.compareAndSet(false, true)) {
                try {
                    if (!request.done) {
                        writeGroup();
                    }
                } finally {
                    endLeading();
                }
            } else if (!request.done) {
                LockSupport.park(this);
                // An interrupt would make every later park return at once.
                interrupted |= Thread.interrupted();
            }
        }
        if (interrupted) {
            request.thread.interrupt();
        }
        Throwable failure = request.failure;
        if (failure != null) {
            health.checkWritable();
            throw new StoreException(
                    "the log of " + directory.path() + " cannot be written (" + FileFailure.inWords(failure) + ")",
                    failure);
        }
    }

    /** Passes the lead to the thread that has waited longest. */
    private void endLeading() {
        leading.set(false);
        WriteRequest next = pending.peek();
        if (next != null) {
            LockSupport.unpark(next.thread);
        }
    }

    private void writeGroup() {
        @Nullable Throwable failure = null;
        try {
            group.takeFrom(pending);
            health.checkWritable();
            write();
        } catch (StoreException e) {
            failure = e;
        } catch (IOException | RuntimeException e) {
            failure = e;
            failed(e);
        } catch (Error e) {
            // For lack of memory mostly. The group is not acknowledged, and the next write removes its part from the
            // file.
            failure = e;
            if (directory.fsync().hasFailed()) {
                failed(e);
            }
        } finally {
            group.complete(failure);
        }
        if (failure == null) {
            freezeIfFull();
        }
    }

    /**
     * Freezes a table that one large value has filled, so that its memory is soon free for the next one. To be called
     * after the group is complete, because its writers are not affected by a failure here.
     */
    private void freezeIfFull() {
        if (memtables.view().active().weight() <= memtables.maxTableBytes()
                || !memtables.hasRoom()
                || health.isFailed()) {
            return;
        }
        try {
            startSegment();
        } catch (IOException | RuntimeException e) {
            failed(e);
        } catch (Error e) {
            // The next write freezes the table, or fails likewise.
            LOG.debug(
                    "{} could not be followed by another segment",
                    memtables.view().active().file(),
                    e);
            if (directory.fsync().hasFailed()) {
                failed(e);
            }
        }
    }

    private void write() throws IOException {
        long weight = group.weight();
        Memtable active = memtables.view().active();
        if (!active.isEmpty() && (group.rotates() || active.weight() + weight > memtables.maxTableBytes())) {
            memtables.awaitRoom();
            startSegment();
            active = memtables.view().active();
        }
        if (group.isEmpty()) {
            return;
        }
        memtables.awaitBytes(active.weight() + weight);
        long began = System.nanoTime();
        group.appendTo(segment(), isForced);
        commits.ended(began, group.bytes());
        if (System.nanoTime() - checkedNanos > UNCHECKED_NANOS) {
            directory.files().check();
            checkedNanos = System.nanoTime();
        }
        group.applyTo(active::put, cache);
    }

    private void startSegment() throws IOException {
        directory.files().check();
        SegmentWriter full = segment();
        SegmentWriter next = SegmentWriter.create(directory, full.id() + 1, isForced);
        try {
            Memtable table = new Memtable(next.id(), next.file());
            // Once the table is frozen, its segment may be merged and deleted at any moment.
            directory.files().closed(full.file(), full.length());
            memtables.freeze(table);
        } catch (RuntimeException | Error e) {
            // The active table is still that of the old segment.
            next.discard(directory, e);
            try {
                directory.files().opened(full.file());
            } catch (IOException unseen) {
                e.addSuppressed(unseen);
            }
            throw e;
        }
        segment = next;
        try (full) {
            full.seal();
        }
    }

    /** Returns the groups that were appended to the log and, if the durability demands that, forced to the disk. */
    public Work commits() {
        return commits.sum();
    }

    /** Reports a failure. A full disk is transient; after any other failure the store must be opened again. */
    private void failed(Throwable thrown) {
        Throwable cause =
                thrown instanceof IOException failure ? directory.files().reason(failure) : thrown;
        String what = memtables.view().active().file() + " cannot be written (" + FileFailure.inWords(cause) + ")";
        if (cause instanceof LostFileException) {
            health.fail(new StoreException(String.valueOf(cause.getMessage()), cause));
        } else if (cause instanceof Error) {
            health.fail(new StoreException(
                    Health.UNFORCED + " (" + FileFailure.inWords(cause)
                            + "); see that the disk is in order, then start again",
                    cause));
        } else if (cause instanceof FsyncFailedException || !(cause instanceof IOException)) {
            health.fail(new StoreException(what + "; see that the disk is in order, then start again", cause));
        } else {
            health.failTransiently(
                    new StoreException(what + "; " + directory.disk().remedy(directory.path()), cause));
        }
        memtables.wake();
    }

    /**
     * Forces the log to the disk, closes it, and records its end. Appending threads have ended.
     *
     * @throws IOException if that fails
     */
    public void close() throws IOException {
        if (segment == null) {
            // The next start finds the same log as this one.
            return;
        }
        try (SegmentWriter last = segment) {
            last.truncateTorn();
            last.force();
            directory.shutdown().record(last.id(), last.length());
        }
    }
}
