package io.dht4j.store.mvstore;

import io.dht4j.spi.Entry;
import io.dht4j.spi.StoreException;
import io.dht4j.store.log.LogFormat;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Group commit. A thread that has entries puts them into a queue; one of the threads becomes the leader, takes what is
 * in the queue, writes it to the log as one frame, forces it to the disk where that is asked for, and makes it visible
 * in the active table; the others wait. While the leader writes the next group gathers: groups grow with the load, and
 * a lone writer never waits for company. An entry is in the log before anybody can read it, and whoever is told that it
 * is applied finds nothing older in the cache.
 */
final class WriteAheadLog {

    private static final Logger LOG = LoggerFactory.getLogger(WriteAheadLog.class);

    /** Where a group ends, unless its first request is larger. */
    private static final int GROUP_BYTES = 1 << 20;

    private static final long LEADING_PAUSE_NANOS = 1_000_000;

    /** What was acknowledged so long before the files were looked at may be lost with them. */
    private static final long UNCHECKED_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final StoreDirectory directory;
    private final Durability durability;
    private final long memtableBytes;
    private final Memtables memtables;
    private final EntryCache cache;
    private final Health health;
    private final Recovery recovery;
    private final Queue<Request> pending = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean leading = new AtomicBoolean();

    // Below: only for the leader.
    private final ByteBuffer usualFrame = ByteBuffer.allocate(2 * GROUP_BYTES);
    private final List<Request> group = new ArrayList<>();
    /** Null until the disk lets one begin. */
    private @Nullable SegmentWriter segment;

    private long checkedNanos = System.nanoTime();

    /** Entries of one caller, or, without entries, the wish that the active table be frozen. */
    private static final class Request {
        final List<Entry> entries;
        final long bytes;
        final Thread thread = Thread.currentThread();
        volatile boolean done;

        @Nullable
        Throwable failure;

        Request(List<Entry> entries, long bytes) {
            this.entries = entries;
            this.bytes = bytes;
        }
    }

    WriteAheadLog(
            StoreDirectory directory,
            MvStoreOptions options,
            Memtables memtables,
            EntryCache cache,
            Health health,
            Recovery recovery) {
        this.directory = directory;
        this.durability = options.durability();
        this.memtableBytes = options.memtableBytes();
        this.memtables = memtables;
        this.cache = cache;
        this.health = health;
        this.recovery = recovery;
    }

    /** Begins to write, if the disk lets it; else {@link #prepare} does later. */
    void begin() {
        lead();
        try {
            segment = recovery.beginSegment();
        } catch (IOException e) {
            failed(e);
        } finally {
            endLeading();
        }
    }

    /** Logs entries and makes them visible. Blocks; interrupts wait until it is done. */
    void append(List<Entry> entries) {
        List<Entry> part = new ArrayList<>();
        long bytes = 0;
        for (Entry entry : entries) {
            if (entry.value().length > LogFormat.MAX_VALUE_BYTES) {
                throw new StoreException("a value of " + entry.value().length + " bytes is too large for "
                        + directory.path() + "; the limit is " + LogFormat.MAX_VALUE_BYTES);
            }
            long recordBytes = LogFormat.recordBytes(entry);
            if (bytes > 0 && bytes + recordBytes > GROUP_BYTES) {
                submit(new Request(part, bytes));
                part = new ArrayList<>();
                bytes = 0;
            }
            part.add(entry);
            bytes += recordBytes;
        }
        if (!part.isEmpty()) {
            submit(new Request(part, bytes));
        }
    }

    /** Freezes the active table, so that all that was applied before is on its way to the map. */
    void rotate() {
        submit(new Request(List.of(), 0));
    }

    /** Freezes the active table if nobody is writing and there is room for it; never waits. */
    void tryRotate() {
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
     * Does what could not be done when the store was opened. To be called while the store refuses writes, and before
     * anything is merged.
     */
    void prepare() throws IOException {
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
     * Makes the end of the log whole after a write has failed, and begins a new segment where there is something in the
     * old one. To be called while the store refuses writes for a cause that may pass; it takes them again when this
     * returns.
     */
    void mend() throws IOException {
        lead();
        try {
            segment().mend();
            if (!memtables.view().active().isEmpty() && memtables.hasRoom()) {
                startSegment();
            }
            directory.files().check();
            health.mended();
        } finally {
            endLeading();
        }
    }

    /**
     * For those who write no entries themselves. Whoever leads meanwhile soon ends, since it writes, or finds out that
     * the store has failed.
     */
    private void lead() {
        while (!leading.compareAndSet(false, true)) {
            LockSupport.parkNanos(LEADING_PAUSE_NANOS);
        }
    }

    private SegmentWriter segment() {
        return Objects.requireNonNull(segment, "nothing is written before a segment has begun");
    }

    private void submit(Request request) {
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
                    "the log of " + directory.path() + " cannot be written (" + failure + ")", failure);
        }
    }

    /** Hands the lead over to whoever waits longest. */
    private void endLeading() {
        leading.set(false);
        Request next = pending.peek();
        if (next != null) {
            LockSupport.unpark(next.thread);
        }
    }

    private void writeGroup() {
        @Nullable Throwable failure = null;
        try {
            long bytes = gather();
            health.checkWritable();
            log(bytes);
        } catch (StoreException e) {
            failure = e;
        } catch (IOException | RuntimeException e) {
            failure = e;
            failed(e);
        } catch (Error e) {
            // For lack of memory mostly. Nobody is told that it was written, and the next write cuts off what is in the
            // file of it.
            failure = e;
            if (directory.forcing().hasFailed()) {
                failed(e);
            }
        } finally {
            endGroup(failure);
        }
        if (failure == null) {
            freezeIfFull();
        }
    }

    /**
     * A table that one large value has filled is merged at once, so that its memory is free for the next one. To be
     * called when those who wrote know: a failure here is none of theirs.
     */
    private void freezeIfFull() {
        if (memtables.view().active().weight() <= memtableBytes || !memtables.hasRoom() || health.isFailed()) {
            return;
        }
        try {
            startSegment();
        } catch (IOException | RuntimeException e) {
            failed(e);
        } catch (Error e) {
            // The next write freezes the table, or meets this.
            LOG.debug(
                    "{} could not be followed by another segment",
                    memtables.view().active().file(),
                    e);
            if (directory.forcing().hasFailed()) {
                failed(e);
            }
        }
    }

    /** Takes what waits, up to the size of a group, and returns its size. */
    private long gather() {
        long bytes = 0;
        Request next;
        while ((next = pending.peek()) != null && (group.isEmpty() || bytes + next.bytes <= GROUP_BYTES)) {
            // First added: where there is no memory for that it waits on.
            group.add(next);
            pending.remove();
            bytes += next.bytes;
        }
        return bytes;
    }

    /** Those who wait learn how it ended. Makes no objects, for which there may be no memory. */
    private void endGroup(@Nullable Throwable failure) {
        for (int i = 0; i < group.size(); i++) {
            Request request = group.get(i);
            request.failure = failure;
            request.done = true;
            if (request.thread != Thread.currentThread()) {
                LockSupport.unpark(request.thread);
            }
        }
        group.clear();
    }

    private void log(long bytes) throws IOException {
        boolean rotate = false;
        long weight = 0;
        for (Request request : group) {
            rotate |= request.entries.isEmpty();
            for (Entry entry : request.entries) {
                weight += Memtable.weight(entry);
            }
        }
        Memtable active = memtables.view().active();
        if (!active.isEmpty() && (rotate || active.weight() + weight > memtableBytes)) {
            memtables.awaitRoom();
            startSegment();
            active = memtables.view().active();
        }
        if (bytes == 0) {
            return;
        }
        memtables.awaitBytes(active.weight() + weight);
        writeFrame(bytes);
        if (System.nanoTime() - checkedNanos > UNCHECKED_NANOS) {
            directory.files().check();
            checkedNanos = System.nanoTime();
        }
        Consumer<Entry> table = active::put;
        for (Request request : group) {
            for (Entry entry : request.entries) {
                cache.apply(entry, table);
            }
        }
    }

    private void writeFrame(long bytes) throws IOException {
        boolean forced = durability == Durability.FSYNC;
        int frameBytes = Math.toIntExact(LogFormat.FRAME_HEADER_BYTES + bytes + LogFormat.FRAME_TRAILER_BYTES);
        if (frameBytes > usualFrame.capacity()) {
            List<Entry> entries = new ArrayList<>();
            group.forEach(request -> entries.addAll(request.entries));
            segment().append(LogFormat.frame(entries, (int) bytes), forced);
            return;
        }
        usualFrame.clear().position(LogFormat.FRAME_HEADER_BYTES);
        for (Request request : group) {
            for (Entry entry : request.entries) {
                LogFormat.putRecord(usualFrame, entry);
            }
        }
        LogFormat.finishFrame(usualFrame);
        segment().append(usualFrame.array(), usualFrame.position(), forced);
    }

    private void startSegment() throws IOException {
        directory.files().check();
        SegmentWriter full = segment();
        SegmentWriter next = SegmentWriter.create(directory, full.id() + 1, durability);
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

    /**
     * A full disk may have room again; what was not forced to the disk, is gone, or was never foreseen, needs a look at
     * what is there.
     */
    private void failed(Throwable thrown) {
        Throwable cause =
                thrown instanceof IOException failure ? directory.files().reason(failure) : thrown;
        String what = memtables.view().active().file() + " cannot be written (" + cause + ")";
        if (cause instanceof LostFileException) {
            health.fail(new StoreException(String.valueOf(cause.getMessage()), cause));
        } else if (cause instanceof Error) {
            health.fail(new StoreException(
                    Health.UNFORCED + " (" + cause + "); see that the disk is in order, then start again", cause));
        } else if (cause instanceof ForceFailedException || !(cause instanceof IOException)) {
            health.fail(new StoreException(what + "; see that the disk is in order, then start again", cause));
        } else {
            health.failForNow(new StoreException(what + "; " + directory.disk().remedy(directory.path()), cause));
        }
        memtables.wake();
    }

    /** Forces the log to the disk and closes it, and notes where it ends. Nobody appends any more. */
    void close() throws IOException {
        if (segment == null) {
            // The next start finds what this one found.
            return;
        }
        try (SegmentWriter last = segment) {
            last.mend();
            last.force();
            directory.notes().keepEnd(last.id(), last.length());
        }
    }
}
