package io.dht4j.store.mvstore;

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
 * Walks over the map as it was when the cursor was made. Until it is closed, file space of that moment is not used
 * again.
 */
final class SnapshotCursor implements EntryCursor {

    private final MergingCursor.Guard guard;
    private final MVStore store;
    private final MVStore.TxCounter usage;
    private final Cursor<Key, Stored> source;
    private final RootReference<Pieces.PieceKey, byte[]> pieces;
    private final Function<RuntimeException, StoreException> failure;
    private boolean done;

    /**
     * A cursor at the first entry.
     *
     * @param failure names what it means that the file cannot be read
     */
    SnapshotCursor(MergingCursor.Guard guard, MapFile file, Function<RuntimeException, StoreException> failure) {
        this.guard = guard;
        this.failure = failure;
        this.store = file.store;
        this.usage = store.registerVersionUsage();
        boolean begun = false;
        try {
            this.source = file.entries.cursor(null);
            this.pieces = file.pieces.root();
            begun = true;
        } finally {
            if (!begun) {
                // Nobody closes a cursor that could not be made, and a close of the file expects that nobody reads.
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
            Stored stored = source.getValue();
            @Nullable Entry entry = stored.isInPieces() ? Pieces.entry(pieces, key, stored) : stored.toEntry(key);
            if (entry == null) {
                throw PageTypes.corrupt("pieces of the value of key " + key + " are missing");
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
            // The next commit finds out that the version is no longer in use.
            store.decrementVersionUsageCounter(usage);
        }
    }
}
