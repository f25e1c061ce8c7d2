package io.dht4j.testkit.store;

import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.NodeId;
import io.dht4j.StoreProblem;
import io.dht4j.StoreStatistics;
import io.dht4j.Version;
import io.dht4j.spi.ContentListener;
import io.dht4j.spi.Entry;
import io.dht4j.spi.EntryCursor;
import io.dht4j.spi.Store;
import io.dht4j.spi.StoreException;
import io.dht4j.spi.StoreSpace;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A store that forwards every call to another one. Subclasses override methods, usually including {@link #name}. As
 * safe for several threads as the other store. Every read goes through {@link #get} or {@link #scan}:
 * {@link #getFromMemory} is not forwarded, so reads of a durable store never take the fast path.
 */
public abstract class ForwardingStore implements Store {

    private final Store store;
    /** The node that uses it; null if none does. */
    private final AtomicReference<@Nullable NodeId> user = new AtomicReference<>();

    /**
     * Creates a store that forwards to another one.
     *
     * @param store the other store, which is closed with this one
     */
    protected ForwardingStore(Store store) {
        this.store = store;
    }

    @Override
    public Optional<Entry> get(Key key) {
        return store.get(key);
    }

    @Override
    public void apply(List<Entry> entries) {
        store.apply(entries);
    }

    /** Applies the entries by {@link #apply}, then reads their versions from the other store. */
    @Override
    public List<Version> applyAndGetVersions(List<Entry> entries) {
        apply(entries);
        return entries.stream()
                .map(entry -> store.get(entry.key())
                        .map(Entry::version)
                        .filter(held -> held.compareTo(entry.version()) > 0)
                        .orElse(entry.version()))
                .toList();
    }

    @Override
    public EntryCursor scan(KeyRange range) {
        return store.scan(range);
    }

    @Override
    public long purge(Predicate<Entry> dispensable) {
        return store.purge(dispensable);
    }

    @Override
    public EntryCursor follow(ContentListener listener) {
        return store.follow(listener);
    }

    @Override
    public void settle() {
        store.settle();
    }

    @Override
    public void keepNote(String name, byte[] bytes) {
        store.keepNote(name, bytes);
    }

    @Override
    public Optional<byte[]> note(String name) {
        return store.note(name);
    }

    @Override
    public long entries() {
        return store.entries();
    }

    @Override
    public Optional<StoreSpace> space() {
        return store.space();
    }

    @Override
    public Optional<StoreStatistics> statistics() {
        return store.statistics();
    }

    /** Claims this store, not the other one, whose content may outlive it. */
    @Override
    public void claim(NodeId node) {
        NodeId before = user.compareAndExchange(null, node);
        if (before != null) {
            throw StoreException.inUse(name(), before);
        }
    }

    @Override
    public void bind(String placement) {
        store.bind(placement);
    }

    @Override
    public Version newestAtOpen() {
        return store.newestAtOpen();
    }

    @Override
    public boolean isMemoryFast() {
        return store.isMemoryFast();
    }

    @Override
    public List<StoreProblem> problems() {
        return store.problems();
    }

    @Override
    public String name() {
        return store.name();
    }

    @Override
    public void close() {
        store.close();
    }
}
