package io.dht4j.store.mvstore.internal.map;

import io.dht4j.Key;
import io.dht4j.spi.Entry;
import io.dht4j.spi.EntryCursor;
import io.dht4j.spi.StoreException;
import java.util.NoSuchElementException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.h2.mvstore.Cursor;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.RootReference;
import org.jspecify.annotations.Nullable;

/**
 * Iterates over the map of the moment when the cursor was made. Until it is closed it keeps that moment's file space.
 */
final class SnapshotCursor implements EntryCursor {

    private final ReadGuard guard;
    private final MVStore store;
    private final MVStore.TxCounter usage;
    private final Cursor<Key, MapValue> source;
    private final RootReference<LargeValues.FragmentKey, byte[]> fragments;
    private final Function<RuntimeException, StoreException> failure;
    private boolean done;

    /**
     * Creates a cursor at the first entry.
     *
     * @param failure returns the exception for a failed read
     */
    SnapshotCursor(ReadGuard guard, MapFile file, Function<RuntimeException, StoreException> failure) {
        this.guard = guard;
        this.failure = failure;
        this.store = file.store;
        this.usage = store.registerVersionUsage();
        boolean begun = false;
        try {
            this.source = file.entries.cursor(null);
            this.fragments = file.largeValues.root();
            begun = true;
        } finally {
            if (!begun) {
                // A cursor that could not be made is never closed, and a close of the file expects no readers.
                store.decrementVersionUsageCounter(usage);
            }
        }
    }

    @Override
    public synchronized boolean hasNext() {
        return reading(() -> !done && source.hasNext());
    }

    @Override
    public synchronized Entry next() {
        if (!hasNext()) {
            throw new NoSuchElementException("the cursor is at its end");
        }
        return reading(() -> {
            Key key = source.next();
            MapValue stored = source.getValue();
            @Nullable
            Entry entry = stored.isFragmented() ? LargeValues.entry(fragments, key, stored) : stored.toEntry(key);
            if (entry == null) {
                throw PageTypes.corrupt("fragments of the value of key " + key + " are missing");
            }
            return entry;
        });
    }

    private <T> T reading(Supplier<T> read) {
        return guard.reading(() -> {
            try {
                return read.get();
            } catch (StoreException e) {
                throw e;
            } catch (RuntimeException e) {
                throw failure.apply(e);
            }
        });
    }

    @Override
    public synchronized void close() {
        if (!done) {
            done = true;
            // The next commit frees the version.
            store.decrementVersionUsageCounter(usage);
        }
    }
}
