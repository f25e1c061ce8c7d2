package io.dht4j.store.mvstore.internal.memtable;

import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.spi.Entry;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The entries of one segment of the log, sorted. Any number of threads read; {@link #put} is for one thread at a time.
 * Entries are never removed: a merged table is dropped as a whole.
 */
public final class Memtable implements Iterable<Entry> {

    /** The memory of an entry, or its size in the log, beside its bytes: a header, a node of the index, and gaps. */
    private static final int OVERHEAD_BYTES = 56;

    /** The additional memory of entries that are kept as objects, or leave much of a slab empty. */
    private static final int LARGE_OVERHEAD_BYTES = 120;

    private final long segment;
    private final Path file;
    private final RecordArena records = new RecordArena();
    private final SkipIndex index;
    private final AtomicLong weight = new AtomicLong();
    private volatile Version newest;

    /** Creates an empty table for a segment of the log. */
    public Memtable(long segment, Path file) {
        this(segment, file, new Version(0));
    }

    /** Creates an empty table for the rest of a segment, whose merged part has this newest version. */
    public Memtable(long segment, Path file, Version newest) {
        this.newest = newest;
        this.segment = segment;
        this.file = file;
        this.index = new SkipIndex(records, segment);
    }

    /** Returns the memory that an entry takes, by estimate. */
    public static long weight(Entry entry) {
        long bytes = entry.bytes();
        return OVERHEAD_BYTES + bytes + (bytes >= RecordArena.LARGE_BYTES ? LARGE_OVERHEAD_BYTES : 0);
    }

    /** Puts an entry, if it supersedes the one of its key. */
    public void put(Entry entry) {
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

    /** Returns the entry of a key, or null. */
    @Nullable
    public Entry get(Key key) {
        int node = index.find(key);
        return node == SkipIndex.NONE ? null : records.entry(index.record(node), key);
    }

    /** Returns whether there is an entry of a key. */
    public boolean contains(Key key) {
        return index.find(key) != SkipIndex.NONE;
    }

    /** Iterates over all entries, ascending. */
    @Override
    public Iterator<Entry> iterator() {
        return new Ascending(index.after(SkipIndex.NONE));
    }

    /** Iterates from a key on, ascending. Concurrent puts may or may not be seen. */
    public Iterator<Entry> from(Key start) {
        return new Ascending(index.ceiling(start));
    }

    /** Returns the newest version that was ever put, or is in the merged part; zero if there is none. */
    public Version newest() {
        return newest;
    }

    /** Returns the memory of the entries, to a tenth, which is also about the segment's length. */
    public long weight() {
        return weight.get();
    }

    /** Returns the number of keys. */
    public int size() {
        return index.size();
    }

    /** Returns whether there is no entry. */
    public boolean isEmpty() {
        return index.size() == 0;
    }

    /** Returns the number of the segment. */
    public long segment() {
        return segment;
    }

    /** Returns the segment's file. */
    public Path file() {
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
