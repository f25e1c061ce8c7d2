package io.dht4j.store.mvstore;

import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.spi.Entry;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The entries of one segment of the log, sorted. Read by any number of threads; {@link #put} for one thread at a time.
 * Entries are never taken out: a table that has reached the map is dropped as a whole.
 */
final class Memtable implements Iterable<Entry> {

    /**
     * What an entry takes in the heap, or in the log, beside its bytes: a header, a node of the index, and what gets
     * lost between.
     */
    private static final int OVERHEAD_BYTES = 56;

    /** What is added where entries are kept as objects, or leave much of a slab empty. */
    private static final int LARGE_OVERHEAD_BYTES = 120;

    private final long segment;
    private final Path file;
    private final RecordArena records = new RecordArena();
    private final SkipIndex index;
    private final AtomicLong weight = new AtomicLong();
    private volatile Version newest;

    Memtable(long segment, Path file) {
        this(segment, file, new Version(0));
    }

    /** What is read of a segment after a part of it, whose newest version is known. */
    Memtable(long segment, Path file, Version newest) {
        this.newest = newest;
        this.segment = segment;
        this.file = file;
        this.index = new SkipIndex(records, segment);
    }

    static long weight(Entry entry) {
        long bytes = entry.bytes();
        return OVERHEAD_BYTES + bytes + (bytes >= RecordArena.LARGE_BYTES ? LARGE_OVERHEAD_BYTES : 0);
    }

    void put(Entry entry) {
        weight.addAndGet(weight(entry));
        int node = index.seek(entry.key());
        if (node == SkipIndex.NONE) {
            index.insert(entry.key(), records.add(entry));
        } else if (entry.supersedes(records.entry(index.record(node), entry.key()))) {
            index.replace(node, records.add(entry));
        }
        if (entry.version().compareTo(newest) > 0) {
            newest = entry.version();
        }
    }

    /** The entry of a key, or null. */
    @Nullable
    Entry get(Key key) {
        int node = index.find(key);
        return node == SkipIndex.NONE ? null : records.entry(index.record(node), key);
    }

    boolean contains(Key key) {
        return index.find(key) != SkipIndex.NONE;
    }

    /** All entries, ascending. */
    @Override
    public Iterator<Entry> iterator() {
        return new Ascending(index.after(SkipIndex.NONE));
    }

    /** The entries whose keys are not less than one, ascending. What is put meanwhile may or may not be seen. */
    Iterator<Entry> from(Key start) {
        return new Ascending(index.ceiling(start));
    }

    /** The newest version that was ever put, or is in the part before; zero if there is none. */
    Version newest() {
        return newest;
    }

    /** About the heap that the entries take, to a tenth, and about the segment's length. */
    long weight() {
        return weight.get();
    }

    /** The number of keys. */
    int size() {
        return index.size();
    }

    boolean isEmpty() {
        return index.size() == 0;
    }

    long segment() {
        return segment;
    }

    Path file() {
        return file;
    }

    private final class Ascending implements Iterator<Entry> {

        private int node;

        Ascending(int first) {
            node = first;
        }

        @Override
        public boolean hasNext() {
            return node != SkipIndex.NONE;
        }

        @Override
        public Entry next() {
            if (node == SkipIndex.NONE) {
                throw new NoSuchElementException("the table has no more entries");
            }
            Entry entry = records.entry(index.record(node));
            node = index.after(node);
            return entry;
        }
    }
}
