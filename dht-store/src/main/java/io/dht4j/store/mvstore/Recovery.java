package io.dht4j.store.mvstore;

import io.dht4j.Version;
import io.dht4j.spi.Entry;
import io.dht4j.spi.StoreException;
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
 * Reads the log when a store is opened, and makes it fit to be continued. Reading needs nothing to be written, so that
 * a store on a full disk can be read; what must be written before the log goes on can be tried again until there is
 * room. For one thread at a time.
 */
final class Recovery implements SegmentReader.Sink {

    private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);

    private final StoreDirectory directory;
    private final EntryMap map;
    private final MvStoreOptions options;
    private final List<Memtable> recovered = new ArrayList<>();

    /** What must be done, in this order, before anything is appended to the log. Each step may be repeated. */
    private final Deque<Step> toDo = new ArrayDeque<>();

    private long next;
    private Memtable current;
    /** The weight of what is in memory. */
    private long held;

    private long largest;
    private @Nullable StoreException unmerged;

    /** Something that changes files. */
    @FunctionalInterface
    private interface Step {
        void run() throws IOException;
    }

    Recovery(StoreDirectory directory, EntryMap map, MvStoreOptions options) {
        this.directory = directory;
        this.map = map;
        this.options = options;
        this.next = map.lastMergedSegment() + 1;
        this.current = new Memtable(next, directory.segmentFile(next));
    }

    /**
     * Reads the segments that the map lacks. A gap between what it has and what they hold means that something is lost.
     * What the {@linkplain MvStoreOptions options} do not allow in memory is merged into the map at once.
     *
     * @return a table for each segment, the oldest first
     */
    List<Memtable> replay() throws IOException {
        long lastMerged = map.lastMergedSegment();
        long closed = directory.notes().checkEnd(lastMerged);
        deleteMerged(directory.segments().headMap(lastMerged + 1).values());
        SortedMap<Long, Path> missing = directory.segments().tailMap(lastMerged + 1);
        if (missing.isEmpty() && lastMerged > 0) {
            throw Health.damaged(directory.segmentFile(lastMerged + 1), "this segment of the log is missing");
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
        // The process that merged them may have ended before it had forced that to the disk.
        map.sync();
        for (Path segment : merged) {
            try {
                directory.disk().delete(segment);
            } catch (IOException e) {
                LOG.warn("{}, which the map holds already, cannot be deleted before the next start ({})", segment, e);
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
            throw Health.damaged(directory.segmentFile(next), "this segment of the log is missing");
        }
        if (options.durability() == Durability.FSYNC) {
            toDo.addFirst(() -> directory.writeAgain(file));
        }
        toDo.addFirst(reader::cut);
    }

    @Override
    public void add(Entry entry) {
        long weight = Memtable.weight(entry);
        makeRoom(weight);
        current.put(entry);
        held += weight;
    }

    @Override
    public void makeRoom(long bytes) {
        largest = Math.max(largest, bytes);
        while (unmerged == null && held > 0 && held + bytes > options.tableBytes()) {
            mergeHeaviest();
        }
        // As much as the process could hold that wrote it: its tables, one more from its own start, and the active one.
        if (unmerged != null
                && held + bytes > Math.max(options.memtableBytes(), largest) * (options.maxFrozen() + 2L)) {
            throw unmerged;
        }
    }

    /**
     * Merges what is in memory of a segment. The log keeps it, and the merge of what is read of it later finishes it.
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
        held -= table.weight();
        Memtable rest = new Memtable(table.segment(), table.file(), table.newest());
        if (heaviest < recovered.size()) {
            recovered.set(heaviest, rest);
        } else {
            current = rest;
        }
    }

    /** The place of the table that takes most memory, behind the others if it is the one that is being read. */
    private int heaviest() {
        int heaviest = recovered.size();
        long weight = current.weight();
        for (int i = 0; i < recovered.size(); i++) {
            if (recovered.get(i).weight() > weight) {
                heaviest = i;
                weight = recovered.get(i).weight();
            }
        }
        return heaviest;
    }

    /** What could not be written now is no obstacle to reading; anything else is. */
    private StoreException unmerged(RuntimeException failure) {
        if (Health.errorIn(failure) instanceof OutOfMemoryError lack) {
            throw lack;
        }
        @Nullable IOException cause = Health.ioFailure(failure);
        if (cause == null || cause instanceof ForceFailedException) {
            throw failure;
        }
        map.openAfterFailedPurge();
        return new StoreException(
                directory.dataFile() + " cannot be written (" + cause + "), and the log does not fit into memory; give"
                        + " the process more memory (-Xmx), or: "
                        + directory.disk().remedy(directory.path()),
                failure);
    }

    /** The newest version that is in the map or in the log. */
    Version newest() {
        Version newest = map.newest();
        for (Memtable table : recovered) {
            newest = table.newest().compareTo(newest) > 0 ? table.newest() : newest;
        }
        return newest;
    }

    /** The table of the segment that follows what was read. */
    Memtable nextTable() {
        return new Memtable(next, directory.segmentFile(next));
    }

    /**
     * Makes the log fit to be continued, and begins its next segment. May be called again when it has failed.
     *
     * @throws IOException if the disk cannot be written; nothing is lost by that
     */
    SegmentWriter beginSegment() throws IOException {
        @Nullable Step step;
        while ((step = toDo.peek()) != null) {
            step.run();
            toDo.remove();
        }
        SegmentWriter begun = SegmentWriter.create(directory, next, options.durability());
        try {
            // Not before: until the log goes on it ends where it did.
            directory.notes().forgetEnd();
            return begun;
        } catch (IOException | RuntimeException | Error e) {
            begun.discard(directory, e);
            throw e;
        }
    }
}
