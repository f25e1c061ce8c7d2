package io.dht4j.store.memory;

import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.Version;
import io.dht4j.spi.Entry;
import io.dht4j.spi.EntryCursor;
import io.dht4j.spi.Store;
import io.dht4j.spi.StoreException;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * A store in memory, on a concurrent skip list: for caches, tests and measurements. Everything is lost when the process
 * ends; {@link #close()} drops it. Reads and writes never wait for one another. Keeps the value arrays that it is given.
 * Safe for use by any number of threads.
 */
public final class MemoryStore implements Store {

    private final ConcurrentSkipListMap<Key, Entry> entries = new ConcurrentSkipListMap<>();
    private volatile boolean closed;

    /** An empty store. */
    public MemoryStore() {}

    @Override
    public Optional<Entry> get(Key key) {
        checkOpen();
        return Optional.ofNullable(entries.get(key));
    }

    @Override
    public void apply(List<Entry> newEntries) {
        checkOpen();
        for (Entry entry : newEntries) {
            entries.merge(entry.key(), entry, Entry::newest);
        }
    }

    @Override
    public EntryCursor scan(KeyRange range) {
        checkOpen();
        return new Cursor(range);
    }

    @Override
    public long purge(Version before, long nowMillis) {
        checkOpen();
        long removed = 0;
        for (Entry entry : entries.values()) {
            // Removes this very entry only: a newer one that came in the meantime stays.
            if (entry.version().compareTo(before) < 0
                    && !entry.isLive(nowMillis)
                    && entries.remove(entry.key(), entry)) {
                removed++;
            }
        }
        return removed;
    }

    @Override
    public long entries() {
        checkOpen();
        return entries.size();
    }

    /** Nothing to keep: a store in memory begins empty, and ends with its node. */
    @Override
    public void bind(String placement) {
        checkOpen();
    }

    /** Zero: a store in memory begins empty. */
    @Override
    public Version newestAtOpen() {
        return new Version(0);
    }

    @Override
    public boolean isMemoryFast() {
        return true;
    }

    @Override
    public String name() {
        return "memory";
    }

    @Override
    public void close() {
        closed = true;
        entries.clear();
    }

    private void checkOpen() {
        if (closed) {
            throw new StoreException("the memory store is closed; open a new one");
        }
    }

    /** Ends at the first key past the range. A skip list's own sub-maps refuse ranges whose end is before their start. */
    private final class Cursor implements EntryCursor {
        private final KeyRange range;
        private final Iterator<Entry> source;
        private Optional<Entry> following = Optional.empty();
        private boolean done;

        Cursor(KeyRange range) {
            this.range = range;
            this.source = entries.tailMap(range.start(), true).values().iterator();
        }

        @Override
        public boolean hasNext() {
            checkOpen();
            if (done) {
                return false;
            }
            if (following.isEmpty()) {
                following = source.hasNext() ? Optional.of(source.next()) : Optional.empty();
                done = following.isEmpty() || !range.contains(following.get().key());
            }
            return !done;
        }

        @Override
        public Entry next() {
            if (!hasNext()) {
                throw new NoSuchElementException("the cursor is at the end of its range");
            }
            Entry entry = following.orElseThrow();
            following = Optional.empty();
            return entry;
        }

        @Override
        public void close() {
            done = true;
            following = Optional.empty();
        }
    }
}
