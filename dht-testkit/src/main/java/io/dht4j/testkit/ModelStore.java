package io.dht4j.testkit;

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
import java.util.TreeMap;

/**
 * The reference store, which other stores are compared with: a sorted map behind one lock, simple enough to be right by
 * reading it. Its cursors show the range as it was when they were opened. Safe for use by any number of threads.
 */
public final class ModelStore implements Store {

    private final TreeMap<Key, Entry> entries = new TreeMap<>();
    private boolean closed;

    /** An empty store. */
    public ModelStore() {}

    @Override
    public synchronized Optional<Entry> get(Key key) {
        checkOpen();
        return Optional.ofNullable(entries.get(key));
    }

    @Override
    public synchronized void apply(List<Entry> newEntries) {
        checkOpen();
        for (Entry entry : newEntries) {
            entries.merge(entry.key(), entry, Entry::newest);
        }
    }

    @Override
    public synchronized EntryCursor scan(KeyRange range) {
        checkOpen();
        List<Entry> shown = entries.tailMap(range.start(), true).values().stream()
                .takeWhile(entry -> range.contains(entry.key()))
                .toList();
        return new SnapshotCursor(shown.iterator());
    }

    @Override
    public synchronized long purge(Version before, long nowMillis) {
        checkOpen();
        int sizeBefore = entries.size();
        entries.values().removeIf(entry -> entry.version().compareTo(before) < 0 && !entry.isLive(nowMillis));
        int removed = sizeBefore - entries.size();
        return removed;
    }

    @Override
    public synchronized long entries() {
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
        return "model";
    }

    @Override
    public synchronized void close() {
        closed = true;
    }

    private synchronized void checkOpen() {
        if (closed) {
            throw new StoreException("the model store is closed; open a new one");
        }
    }

    private final class SnapshotCursor implements EntryCursor {
        private final Iterator<Entry> shown;
        private boolean done;

        SnapshotCursor(Iterator<Entry> shown) {
            this.shown = shown;
        }

        @Override
        public boolean hasNext() {
            checkOpen();
            return !done && shown.hasNext();
        }

        @Override
        public Entry next() {
            if (!hasNext()) {
                throw new NoSuchElementException("the cursor is at the end of its range");
            }
            return shown.next();
        }

        @Override
        public void close() {
            done = true;
        }
    }
}
