package io.dht4j.core.internal.snapshot;

import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.Version;
import io.dht4j.spi.Entry;
import io.dht4j.spi.EntryCursor;
import java.util.NoSuchElementException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A cursor over a store as of a snapshot's version. For each key it returns the newest entry that is not newer than the
 * version, from the store or from the snapshot's kept entries. It reads the store first: an entry is kept before it is
 * replaced in the store.
 */
final class SnapshotCursor implements EntryCursor {

    private final EntryCursor stored;
    private final Snapshot snapshot;
    private final Version at;
    private final KeyRange range;
    private @Nullable Key shown;
    private @Nullable Entry head;
    private @Nullable Entry next;

    SnapshotCursor(EntryCursor stored, Snapshot snapshot, Version at, KeyRange range) {
        this.stored = stored;
        this.snapshot = snapshot;
        this.at = at;
        this.range = range;
    }

    @Override
    public boolean hasNext() {
        while (next == null) {
            if (head == null && stored.hasNext()) {
                head = stored.next();
            }
            Entry store = head;
            Key last = shown;
            Optional<Entry> kept = (last == null ? snapshot.keptFrom(range.start()) : snapshot.keptBehind(last))
                    .filter(entry -> range.contains(entry.key()));
            if (store == null && kept.isEmpty()) {
                return false;
            }
            if (store == null
                    || kept.filter(entry -> entry.key().compareTo(store.key()) < 0)
                            .isPresent()) {
                // Not in the store: a tombstone or an expired value was purged.
                next = kept.orElseThrow();
                shown = next.key();
            } else {
                head = null;
                shown = store.key();
                next = newestAtVersion(store, snapshot.kept(store.key()));
            }
        }
        return true;
    }

    private @Nullable Entry newestAtVersion(Entry store, Optional<Entry> kept) {
        if (store.version().compareTo(at) > 0) {
            return kept.orElse(null);
        }
        return kept.filter(entry -> entry.supersedes(store)).orElse(store);
    }

    @Override
    public Entry next() {
        if (!hasNext()) {
            throw new NoSuchElementException("the range has ended");
        }
        Entry result = next;
        next = null;
        if (result == null) {
            throw new IllegalStateException("no entry where one was found");
        }
        return result;
    }

    @Override
    public void close() {
        stored.close();
    }
}
