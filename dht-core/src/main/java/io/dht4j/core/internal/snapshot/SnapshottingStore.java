package io.dht4j.core.internal.snapshot;

import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.StoreProblem;
import io.dht4j.StoreStatistics;
import io.dht4j.Version;
import io.dht4j.spi.ContentListener;
import io.dht4j.spi.Entry;
import io.dht4j.spi.EntryCursor;
import io.dht4j.spi.Store;
import io.dht4j.spi.StoreSpace;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** A store that records merges for the open snapshots. */
final class SnapshottingStore implements Store {

    private final Store store;
    private final Snapshots snapshots;

    SnapshottingStore(Store store, Snapshots snapshots) {
        this.store = store;
        this.snapshots = snapshots;
    }

    @Override
    public Optional<Entry> get(Key key) {
        return store.get(key);
    }

    @Override
    public Optional<Held> getFromMemory(Key key) {
        return store.getFromMemory(key);
    }

    @Override
    public void apply(List<Entry> entries) {
        snapshots.applyAndGetVersions(entries);
    }

    @Override
    public List<Version> applyAndGetVersions(List<Entry> entries) {
        return snapshots.applyAndGetVersions(entries);
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
    public long drop(Predicate<Key> dropped) {
        return store.drop(dropped);
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
