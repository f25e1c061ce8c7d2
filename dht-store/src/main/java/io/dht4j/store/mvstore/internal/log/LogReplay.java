package io.dht4j.store.mvstore.internal.log;

import io.dht4j.Version;
import io.dht4j.spi.Entry;
import io.dht4j.spi.FileFailure;
import io.dht4j.spi.StoreException;
import io.dht4j.store.disk.FsyncFailedException;
import io.dht4j.store.mvstore.internal.disk.Health;
import io.dht4j.store.mvstore.internal.disk.StoreDirectory;
import io.dht4j.store.mvstore.internal.map.EntryMap;
import io.dht4j.store.mvstore.internal.memtable.Memtable;
import io.dht4j.store.mvstore.internal.memtable.Memtables;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replays the log when a store is opened, and prepares it for more writes. The replay does not write, so that a store
 * on a full disk can be read; the preparation may be repeated until there is space. For one thread at a time; methods
 * block on the disk.
 */
public final class LogReplay implements SegmentReader.Sink {

    private static final Logger LOG = LoggerFactory.getLogger(LogReplay.class);

    private final StoreDirectory directory;
    private final EntryMap map;
    private final boolean isForced;
    private final long maxTableBytes;
    private final int maxFrozen;
    private final List<Memtable> recovered = new ArrayList<>();

    /** The preparation of the log for more writes, in this order. Each step may be repeated. */
    private final Deque<Step> preparation = new ArrayDeque<>();

    private long next;
    private Memtable current;
    /** The memory of all tables. */
    private long weight;

    private long largest;
    private @Nullable StoreException unmerged;

    /** A change of files. */
    @FunctionalInterface
    private interface Step {
        void run() throws IOException;
    }

    /**
     * Creates the recovery of a store.
     *
     * @param directory the store's
     * @param map the store's
     * @param isForced whether acknowledged writes survive a power failure
     * @param maxTableBytes the memory of a table
     * @param maxFrozen how many tables may be frozen
     */
    public LogReplay(StoreDirectory directory, EntryMap map, boolean isForced, long maxTableBytes, int maxFrozen) {
        this.directory = directory;
        this.map = map;
        this.isForced = isForced;
        this.maxTableBytes = maxTableBytes;
        this.maxFrozen = maxFrozen;
        this.next = map.lastMergedSegment() + 1;
        this.current = new Memtable(next, directory.segmentFile(next));
    }

    /**
     * Replays the segments that the map lacks. Entries that exceed the memory of the tables are merged into the map at
     * once.
     *
     * @return a table for each segment, the oldest first
     * @throws StoreException if there is a gap between the map and the segments, or one of them is damaged
     * @throws IOException if a file cannot be read
     */
    public List<Memtable> replay() throws IOException {
        long lastMerged = map.lastMergedSegment();
        long closed = directory.shutdown().check(lastMerged);
        deleteMerged(directory.segments().headMap(lastMerged + 1).values());
        SortedMap<Long, Path> missing = directory.segments().tailMap(lastMerged + 1);
        if (missing.isEmpty() && lastMerged > 0) {
            throw Health.damaged(directory.segmentFile(lastMerged + 1), "is missing, a segment of the log");
        }
        for (Map.Entry<Long, Path> segment : missing.entrySet()) {
            if (segment.getKey() != next) {
                throw Health.damaged(
                        directory.dataFile(),
                        "holds the log up to segment " + (next - 1) + ", but the next one that exists is "
                                + segment.getValue() + ": the map has fallen back, or segments are missing");
            }
            replay(segment.getValue(), next == missing.lastKey(), next != closed);
        }
        return List.copyOf(recovered);
    }

    private void deleteMerged(Collection<Path> merged) {
        if (merged.isEmpty()) {
            return;
        }
        // The process that merged them may have ended before its fsync.
        map.sync();
        for (Path segment : merged) {
            try {
                directory.disk().delete(segment);
            } catch (IOException e) {
                LOG.warn("{}, which is merged, cannot be deleted before the next start ({})", segment, e);
            }
        }
    }

    private void replay(Path file, boolean last, boolean unfinished) throws IOException {
        SegmentReader reader = new SegmentReader(directory.disk(), file, next, last, unfinished);
        current = new Memtable(next, file);
        reader.replay(this);
        recovered.add(current);
        directory.files().closed(file, Math.min(reader.end(), Files.size(file)));
        next++;
        if (!last) {
            return;
        }
        if (reader.isSealed()) {
            throw Health.damaged(directory.segmentFile(next), "is missing, a segment of the log");
        }
        if (isForced) {
            preparation.addFirst(() -> directory.rewriteSegment(file));
        }
        preparation.addFirst(reader::truncateTorn);
    }

    @Override
    public void add(Entry entry) {
        long added = Memtable.weight(entry);
        makeRoom(added);
        current.put(entry);
        weight += added;
    }

    @Override
    public void makeRoom(long bytes) {
        largest = Math.max(largest, bytes);
        while (unmerged == null && weight > 0 && weight + bytes > Memtables.maxBytes(maxTableBytes, maxFrozen)) {
            mergeHeaviest();
        }
        // The memory of the process that wrote the log: its tables, one more from its own start, and the active one.
        if (unmerged != null && weight + bytes > Math.max(maxTableBytes, largest) * (maxFrozen + 2L)) {
            throw unmerged;
        }
    }

    /**
     * Merges the part of a segment that is in memory. The log keeps it until the merge of the rest finishes the
     * segment.
     */
    private void mergeHeaviest() {
        int heaviest = heaviest();
        Memtable table = heaviest < recovered.size() ? recovered.get(heaviest) : current;
        try {
            map.mergePart(table);
        } catch (RuntimeException e) {
            unmerged = unmerged(e);
            return;
        }
        weight -= table.weight();
        Memtable rest = new Memtable(table.segment(), table.file(), table.newest());
        if (heaviest < recovered.size()) {
            recovered.set(heaviest, rest);
        } else {
            current = rest;
        }
    }

    /** Returns the index of the table with the most memory; that of the current one is behind the others. */
    private int heaviest() {
        int heaviest = recovered.size();
        long most = current.weight();
        for (int i = 0; i < recovered.size(); i++) {
            if (recovered.get(i).weight() > most) {
                heaviest = i;
                most = recovered.get(i).weight();
            }
        }
        return heaviest;
    }

    /** A failed write of the map does not prevent reads; any other failure does. */
    private StoreException unmerged(RuntimeException failure) {
        if (Health.errorIn(failure) instanceof OutOfMemoryError lack) {
            throw lack;
        }
        @Nullable IOException cause = Health.ioFailure(failure);
        if (cause == null || cause instanceof FsyncFailedException) {
            throw failure;
        }
        map.reopenAfterFailure();
        return new StoreException(
                directory.dataFile() + " cannot be written (" + FileFailure.inWords(cause)
                        + "), and the log does not fit into memory; give"
                        + " the process more memory (-Xmx), or: "
                        + directory.disk().remedy(directory.path()),
                failure);
    }

    /** Returns the newest version in the map or in the log. */
    public Version newest() {
        Version newest = map.newest();
        for (Memtable table : recovered) {
            newest = table.newest().compareTo(newest) > 0 ? table.newest() : newest;
        }
        return newest;
    }

    /** Returns the table of the next segment. */
    public Memtable nextTable() {
        return new Memtable(next, directory.segmentFile(next));
    }

    /**
     * Prepares the log for more writes, and begins its next segment. May be repeated after a failure.
     *
     * @throws IOException if the disk cannot be written; no data is lost then
     */
    SegmentWriter beginSegment() throws IOException {
        @Nullable Step step;
        while ((step = preparation.peek()) != null) {
            step.run();
            preparation.remove();
        }
        SegmentWriter begun = SegmentWriter.create(directory, next, isForced);
        try {
            // Not before: until then the log ends where it did at the shutdown.
            directory.shutdown().delete();
            return begun;
        } catch (IOException | RuntimeException | Error e) {
            begun.discard(directory, e);
            throw e;
        }
    }
}
