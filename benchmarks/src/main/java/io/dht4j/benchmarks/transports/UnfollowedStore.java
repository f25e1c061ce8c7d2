package io.dht4j.benchmarks.transports;

import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.StoreProblem;
import io.dht4j.Version;
import io.dht4j.spi.ContentListener;
import io.dht4j.spi.Entry;
import io.dht4j.spi.EntryCursor;
import io.dht4j.spi.Store;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * A store that tells nobody what changes in it, so that a node keeps no hash trees up to date: what it costs to follow a store is seen beside one. Such a node must
 * repair nothing. Everything else is the other store's.
 */
record UnfollowedStore(Store store) implements Store {

    @Override
    public EntryCursor follow(ContentListener listener) {
        return new EntryCursor() {
            @Override
            public boolean hasNext() {
                return false;
            }

            @Override
            public Entry next() {
                throw new NoSuchElementException("nothing is told");
            }

            @Override
            public void close() {}
        };
    }

    @Override
    public Optional<Entry> get(Key key) {
        return store.get(key);
    }

    @Override
    public void apply(List<Entry> entries) {
        store.apply(entries);
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
    public Optional<Held> getFromMemory(Key key) {
        return store.getFromMemory(key);
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
