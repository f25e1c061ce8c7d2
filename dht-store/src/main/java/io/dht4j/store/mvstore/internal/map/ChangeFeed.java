package io.dht4j.store.mvstore.internal.map;

import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.spi.ContentListener;
import io.dht4j.spi.Entry;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reports the changes of the map to its listener, each exactly once.
 *
 * <p>A change of the map and its report happen under the monitor of this object, and so does the begin of a new
 * listener. All methods require that monitor.
 */
final class ChangeFeed {

    private @Nullable ContentListener listener;

    /** The last reported key of the table that is being merged, in ascending order of its keys; null at its start. */
    private @Nullable Key reportedUpTo;

    /** The entries of a removal that failed: whether the file still has them is unknown. */
    private List<Entry> undecided = List.of();

    /**
     * Replaces the listener.
     *
     * @param mergedUpTo up to which key the new listener sees the table that is being merged; null for none of it
     */
    void begin(ContentListener newListener, @Nullable Key mergedUpTo) {
        reportedUpTo = mergedUpTo;
        listener = newListener;
        undecided = List.of();
    }

    /** Reports a merged entry, unless an earlier attempt to merge its table has reported it. */
    void merged(MapFile map, @Nullable MapValue before, Entry entry) {
        if (reportedUpTo != null && entry.key().compareTo(reportedUpTo) <= 0) {
            return;
        }
        ContentListener current = listener;
        if (current != null) {
            if (before == null) {
                current.added(entry);
            } else {
                replaced(current, map, before, entry);
            }
        }
        // Last: a report that fails, for lack of memory for example, is repeated.
        reportedUpTo = entry.key();
    }

    private static void replaced(ContentListener listener, MapFile map, MapValue before, Entry entry) {
        Version version = new Version(before.version());
        if (before.isFragmented()
                && entry.version().compareTo(version) > 0
                && listener.replaced(version, before.digest(), entry)) {
            return;
        }
        @Nullable Entry replaced = map.entry(entry.key(), before);
        if (replaced != null && entry.supersedes(replaced)) {
            listener.replaced(replaced, entry);
        }
    }

    /** The next merge begins at the first key of its table. */
    void resetMerge() {
        reportedUpTo = null;
    }

    /** A removal of entries begins; {@link #removed} or {@link #resolveRemoval} ends it. */
    void removing(List<Entry> entries) {
        undecided = entries;
    }

    /** Reports the removal of the entries. */
    void removed() {
        List<Entry> gone = undecided;
        undecided = List.of();
        report(gone);
    }

    /** Reports the entries of a failed removal that a file, which was opened again, no longer has. */
    void resolveRemoval(MapFile map) {
        // All are read before the first is reported: if that fails, the removal is still undecided.
        List<Entry> gone = undecided.stream()
                .filter(entry -> map.entries.get(entry.key()) == null)
                .toList();
        undecided = List.of();
        report(gone);
    }

    private void report(List<Entry> gone) {
        ContentListener current = listener;
        if (current != null) {
            gone.forEach(current::removed);
        }
    }
}
