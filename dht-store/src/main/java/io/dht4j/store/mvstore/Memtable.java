package io.dht4j.store.mvstore;

import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.spi.Entry;
import java.nio.file.Path;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The entries of one segment of the log, sorted. Read by any number of threads; {@link #put} for one thread at a time.
 * Entries are never taken out: a table that has reached the map is dropped as a whole.
 */
final class Memtable {

    /** What an entry takes in the heap beside its bytes: a node of the list, key, entry, version, array headers. */
    private static final int OVERHEAD_BYTES = 176;

    private final long segment;
    private final Path file;
    private final ConcurrentSkipListMap<Key, Entry> entries = new ConcurrentSkipListMap<>();
    private final AtomicLong weight = new AtomicLong();
    private volatile Version newest = new Version(0);

    Memtable(long segment, Path file) {
        this.segment = segment;
        this.file = file;
    }

    static long weight(Entry entry) {
        return (long) OVERHEAD_BYTES + entry.key().length() + entry.value().length;
    }

    void put(Entry entry) {
        weight.addAndGet(weight(entry));
        entries.merge(entry.key(), entry, Entry::newest);
        if (entry.version().compareTo(newest) > 0) {
            newest = entry.version();
        }
    }

    /** The newest version that was ever put; zero if none was. */
    Version newest() {
        return newest;
    }

    /**
     * An upper bound of the heap that the entries take, and of the segment's length.
     */
    long weight() {
        return weight.get();
    }

    ConcurrentSkipListMap<Key, Entry> entries() {
        return entries;
    }

    boolean isEmpty() {
        return entries.isEmpty();
    }

    long segment() {
        return segment;
    }

    Path file() {
        return file;
    }
}
