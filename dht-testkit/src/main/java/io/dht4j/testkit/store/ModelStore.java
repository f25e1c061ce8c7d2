package io.dht4j.testkit.store;

import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.NodeId;
import io.dht4j.Version;
import io.dht4j.spi.ContentListener;
import io.dht4j.spi.Entry;
import io.dht4j.spi.EntryCursor;
import io.dht4j.spi.Store;
import io.dht4j.spi.StoreException;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * The reference store, the model for tests of other stores: a sorted map behind one lock, simple enough to be verified
 * by reading. Its cursors show a snapshot of the range at their opening. Safe for use by any number of threads.
 */
public final class ModelStore implements Store {

    private static final ContentListener NOBODY = new ContentListener() {
        @Override
        public void added(Entry entry) {}

        @Override
        public void removed(Entry entry) {}
    };

    private final TreeMap<Key, Entry> entries = new TreeMap<>();
    private final Map<String, byte[]> notes = new HashMap<>();
    private ContentListener listener = NOBODY;
    /** The node that uses it. */
    private Optional<NodeId> user = Optional.empty();

    private boolean closed;

    /** Creates an empty store. */
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
            Entry before = entries.get(entry.key());
            if (before == null) {
                entries.put(entry.key(), entry);
                listener.added(entry);
            } else if (entry.supersedes(before)) {
                entries.put(entry.key(), entry);
                listener.replaced(before, entry);
            }
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
    public synchronized long purge(Predicate<Entry> dispensable) {
        checkOpen();
        List<Entry> over = entries.values().stream().filter(dispensable).toList();
        over.forEach(entry -> {
            entries.remove(entry.key());
            listener.removed(entry);
        });
        return over.size();
    }

    @Override
    public synchronized EntryCursor follow(ContentListener newListener) {
        EntryCursor held = scan(KeyRange.all());
        listener = newListener;
        return held;
    }

    /** Does nothing: every change is reported immediately. */
    @Override
    public void settle() {
        checkOpen();
    }

    @Override
    public synchronized void keepNote(String name, byte[] bytes) {
        checkOpen();
        notes.put(name, bytes.clone());
    }

    @Override
    public synchronized Optional<byte[]> note(String name) {
        checkOpen();
        return Optional.ofNullable(notes.get(name)).map(byte[]::clone);
    }

    @Override
    public synchronized long entries() {
        checkOpen();
        return entries.size();
    }

    @Override
    public synchronized void claim(NodeId node) {
        checkOpen();
        if (user.isPresent()) {
            throw StoreException.inUse(name(), user.get());
        }
        user = Optional.of(node);
    }

    /** Does nothing: a store in memory begins empty and ends with its node. */
    @Override
    public void bind(String placement) {
        checkOpen();
    }

    /** Returns zero: a store in memory begins empty. */
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
