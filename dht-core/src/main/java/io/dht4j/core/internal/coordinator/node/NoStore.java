package io.dht4j.core.internal.coordinator.node;

import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.Version;
import io.dht4j.spi.ContentListener;
import io.dht4j.spi.Entry;
import io.dht4j.spi.EntryCursor;
import io.dht4j.spi.Store;
import io.dht4j.spi.StoreException;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** The store of a member that stores nothing: it is empty, and refuses entries. */
public final class NoStore implements Store {

    /** Creates the store. */
    public NoStore() {}

    private static StoreException nothingHere() {
        return new StoreException("this member of the cluster stores nothing");
    }

    @Override
    public Optional<Entry> get(Key key) {
        throw nothingHere();
    }

    @Override
    public void apply(List<Entry> entries) {
        throw nothingHere();
    }

    @Override
    public EntryCursor scan(KeyRange range) {
        throw nothingHere();
    }

    @Override
    public long purge(Predicate<Entry> dispensable) {
        return 0;
    }

    @Override
    public EntryCursor follow(ContentListener listener) {
        throw nothingHere();
    }

    @Override
    public void settle() {
        // nothing changes
    }

    @Override
    public void keepNote(String name, byte[] bytes) {
        throw nothingHere();
    }

    @Override
    public Optional<byte[]> note(String name) {
        return Optional.empty();
    }

    @Override
    public long entries() {
        return 0;
    }

    @Override
    public void bind(String placement) {
        // no entry can be misplaced
    }

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
        return "none";
    }

    @Override
    public void close() {
        // nothing is open
    }
}
