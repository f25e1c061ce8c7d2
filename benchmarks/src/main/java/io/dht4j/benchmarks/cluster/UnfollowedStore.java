package io.dht4j.benchmarks.cluster;

import io.dht4j.Key;
import io.dht4j.spi.ContentListener;
import io.dht4j.spi.Entry;
import io.dht4j.spi.EntryCursor;
import io.dht4j.spi.Store;
import io.dht4j.testkit.store.ForwardingStore;
import java.util.NoSuchElementException;
import java.util.Optional;

/**
 * A store that reports no changes, so that a node keeps no hash trees up to date. A comparison with it shows the cost
 * of following a store. Such a node must repair nothing. Everything else delegates to another store.
 */
final class UnfollowedStore extends ForwardingStore {

    private final Store store;

    UnfollowedStore(Store store) {
        super(store);
        this.store = store;
    }

    @Override
    public Optional<Held> getFromMemory(Key key) {
        return store.getFromMemory(key);
    }

    @Override
    public EntryCursor follow(ContentListener listener) {
        return new EntryCursor() {
            @Override
            public boolean hasNext() {
                return false;
            }

            @Override
            public Entry next() {
                throw new NoSuchElementException("nothing is reported");
            }

            @Override
            public void close() {}
        };
    }
}
