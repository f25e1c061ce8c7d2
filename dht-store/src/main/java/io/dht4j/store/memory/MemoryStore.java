package io.dht4j.store.memory;

import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.NodeGauges.Bounded;
import io.dht4j.NodeId;
import io.dht4j.StoreStatistics;
import io.dht4j.Version;
import io.dht4j.spi.ContentListener;
import io.dht4j.spi.Entry;
import io.dht4j.spi.EntryCursor;
import io.dht4j.spi.MemoryBudget;
import io.dht4j.spi.Store;
import io.dht4j.spi.StoreException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A store in memory, for caches, tests and measurements. It consists of a hash table of the entries and a skip list of
 * their keys for scans. Only new and purged keys change the skip list. The content is lost when the process ends;
 * {@link #close()} drops it. Reads never wait, and writes wait only for writes of keys in the same bin. Entries that do
 * not fit into its memory are refused. The store keeps the given value arrays. Safe for use by any number of threads.
 */
public final class MemoryStore implements Store {

    /** The bytes of an entry without its key and its value: five objects, and a node of each index. */
    private static final int OVERHEAD_BYTES = 240;

    private final long maxBytes;
    /** The estimated bytes of the entries. */
    private final AtomicLong bytes = new AtomicLong();

    private final ConcurrentHashMap<Key, Entry> entries = new ConcurrentHashMap<>();
    /**
     * The keys of the entries, changed while the table locks the key: where the two differ, a scan follows the table.
     */
    private final ConcurrentSkipListSet<Key> keys = new ConcurrentSkipListSet<>();

    /** The node that uses it; null if none does. */
    private final AtomicReference<@Nullable NodeId> user = new AtomicReference<>();

    private final ConcurrentHashMap<String, byte[]> notes = new ConcurrentHashMap<>();
    private volatile @Nullable ContentListener listener;
    private volatile boolean closed;

    /** Creates an empty store that may take its share of the heap: {@link MemoryBudget#memoryStoreBytes()}. */
    public MemoryStore() {
        this(MemoryBudget.ofHeap().memoryStoreBytes());
    }

    /**
     * Creates an empty store.
     *
     * @param maxBytes the bound on the estimated bytes of its entries, 1 or more; writes beyond it are refused with a
     *     {@link StoreException}
     * @throws IllegalArgumentException if it is less than 1
     */
    public MemoryStore(long maxBytes) {
        if (maxBytes < 1) {
            throw new IllegalArgumentException("maxBytes must be 1 or more, not " + maxBytes);
        }
        this.maxBytes = maxBytes;
    }

    @Override
    public Optional<Entry> get(Key key) {
        checkOpen();
        return Optional.ofNullable(entries.get(key));
    }

    @Override
    public void apply(List<Entry> newEntries) {
        checkOpen();
        mergeAll(newEntries);
    }

    @Override
    public List<Version> applyAndGetVersions(List<Entry> newEntries) {
        checkOpen();
        return mergeAll(newEntries);
    }

    /** Merges entries one after the other, and returns the version that is held after each. */
    private List<Version> mergeAll(List<Entry> newEntries) {
        Merge merge = new Merge(newEntries);
        if (newEntries.size() == 1) {
            return List.of(merge.next());
        }
        List<Version> newest = new ArrayList<>(newEntries.size());
        for (int i = 0; i < newEntries.size(); i++) {
            newest.add(merge.next());
        }
        return newest;
    }

    /** Merges a list of entries. One object for all of them, instead of a function for each. For one thread. */
    private final class Merge implements BiFunction<Key, @Nullable Entry, Entry> {

        private final List<Entry> from;
        private int next;

        Merge(List<Entry> from) {
            this.from = from;
        }

        Version next() {
            Entry entry = from.get(next);
            Entry held = entries.compute(entry.key(), this);
            next++;
            return held == null ? entry.version() : held.version();
        }

        @Override
        public Entry apply(Key key, @Nullable Entry before) {
            Entry entry = from.get(next);
            if (before != null && !entry.supersedes(before)) {
                return before;
            }
            long more = weight(entry) - (before == null ? 0 : weight(before));
            take(more);
            boolean done = false;
            try {
                if (before == null) {
                    keys.add(key);
                }
                report(before, entry);
                done = true;
            } finally {
                if (!done) {
                    bytes.addAndGet(-more);
                }
            }
            return entry;
        }
    }

    private static long weight(Entry entry) {
        return OVERHEAD_BYTES + entry.bytes();
    }

    private void take(long more) {
        if (more == 0) {
            return;
        }
        if (bytes.addAndGet(more) > maxBytes && more > 0) {
            bytes.addAndGet(-more);
            throw new StoreException("the memory store is full: its entries may take " + maxBytes
                    + " bytes, a share of the heap; delete some, or give the process more memory (-Xmx)");
        }
    }

    private void report(@Nullable Entry before, Entry after) {
        ContentListener current = listener;
        if (current == null) {
            return;
        }
        if (before == null) {
            current.added(after);
        } else {
            current.replaced(before, after);
        }
    }

    @Override
    public EntryCursor scan(KeyRange range) {
        checkOpen();
        return new Cursor(range);
    }

    @Override
    public long purge(Predicate<Entry> dispensable) {
        checkOpen();
        AtomicLong removed = new AtomicLong();
        for (Entry entry : entries.values()) {
            if (dispensable.test(entry)) {
                entries.computeIfPresent(entry.key(), (key, now) -> {
                    // A newer one that came in the meantime stays.
                    if (!dispensable.test(now)) {
                        return now;
                    }
                    keys.remove(key);
                    bytes.addAndGet(-weight(now));
                    ContentListener current = listener;
                    if (current != null) {
                        current.removed(now);
                    }
                    removed.incrementAndGet();
                    return null;
                });
            }
        }
        return removed.get();
    }

    @Override
    public EntryCursor follow(ContentListener newListener) {
        checkOpen();
        List<Entry> held = List.copyOf(entries.values());
        listener = newListener;
        return new HeldCursor(held.iterator());
    }

    /** Does nothing: every change is reported at once. */
    @Override
    public void settle() {
        checkOpen();
    }

    @Override
    public void keepNote(String name, byte[] bytes) {
        checkOpen();
        notes.put(name, bytes.clone());
    }

    @Override
    public Optional<byte[]> note(String name) {
        checkOpen();
        return Optional.ofNullable(notes.get(name)).map(byte[]::clone);
    }

    @Override
    public long entries() {
        checkOpen();
        return entries.mappingCount();
    }

    @Override
    public void claim(NodeId node) {
        checkOpen();
        NodeId before = user.compareAndExchange(null, node);
        if (before != null) {
            throw StoreException.inUse(name(), before);
        }
    }

    /** Does nothing: a store in memory begins empty, and ends with its node. */
    @Override
    public void bind(String placement) {
        checkOpen();
    }

    /** Returns zero: a store in memory begins empty. */
    @Override
    public Version newestAtOpen() {
        return new Version(0);
    }

    /**
     * {@inheritDoc}
     *
     * <p>The tables are all entries, with their overhead, and the bound on them.
     */
    @Override
    public Optional<StoreStatistics> statistics() {
        checkOpen();
        return Optional.of(StoreStatistics.inMemory(new Bounded(bytes.get(), maxBytes)));
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
        keys.clear();
        bytes.set(0);
    }

    private void checkOpen() {
        if (closed) {
            throw new StoreException("the memory store is closed; open a new one");
        }
    }

    /**
     * A cursor that ends at the first key after the range. A skip list's own subsets refuse ranges whose end is before
     * their start.
     */
    private final class Cursor implements EntryCursor {
        private final KeyRange range;
        private final Iterator<Key> source;
        private Optional<Entry> following = Optional.empty();
        private boolean done;

        Cursor(KeyRange range) {
            this.range = range;
            this.source = keys.tailSet(range.start(), true).iterator();
        }

        @Override
        public boolean hasNext() {
            checkOpen();
            while (!done && following.isEmpty()) {
                Optional<Key> key = source.hasNext() ? Optional.of(source.next()) : Optional.empty();
                done = key.filter(range::contains).isEmpty();
                following = key.map(entries::get);
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

    /** A cursor over the entries of one moment. */
    private static final class HeldCursor implements EntryCursor {
        private final Iterator<Entry> held;
        private boolean closed;

        HeldCursor(Iterator<Entry> held) {
            this.held = held;
        }

        @Override
        public boolean hasNext() {
            return !closed && held.hasNext();
        }

        @Override
        public Entry next() {
            if (!hasNext()) {
                throw new NoSuchElementException("the cursor is at its end");
            }
            return held.next();
        }

        @Override
        public void close() {
            closed = true;
        }
    }
}
