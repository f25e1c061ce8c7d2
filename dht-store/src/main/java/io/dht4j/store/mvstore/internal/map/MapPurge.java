package io.dht4j.store.mvstore.internal.map;

import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.spi.Entry;
import io.dht4j.store.mvstore.internal.cache.EntryCache;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Removes dispensable entries from the map, in steps. For the merging thread. */
final class MapPurge {

    /** A step reads so many entries, or a page more, and so many bytes. */
    private static final int STEP_ENTRIES = 4096;

    private static final long STEP_BYTES = 4L << 20;

    private final EntryMap map;
    private final EntryCache cache;
    private final ChangeFeed feed;

    MapPurge(EntryMap map, EntryCache cache, ChangeFeed feed) {
        this.map = map;
        this.cache = cache;
        this.feed = feed;
    }

    EntryMap.Purged step(Predicate<Entry> dispensable, Key start) {
        List<Entry> dead = new ArrayList<>();
        Optional<Key> next = Optional.of(start);
        int entries = 0;
        long bytes = 0;
        while (next.isPresent() && entries < STEP_ENTRIES && bytes < STEP_BYTES) {
            List<Entry> page = map.page(KeyRange.from(next.get()));
            for (Entry entry : page) {
                bytes += entry.value().length;
                if (dispensable.test(entry)) {
                    dead.add(entry);
                }
            }
            entries += page.size();
            next = page.isEmpty()
                    ? Optional.empty()
                    : page.get(page.size() - 1).key().successor();
        }
        if (!dead.isEmpty()) {
            remove(dead);
        }
        return new EntryMap.Purged(dead.size(), next);
    }

    /** Removes entries. The file has lost them before the listener learns of it; until then no listener begins. */
    private void remove(List<Entry> dead) {
        synchronized (feed) {
            feed.removing(dead);
            try {
                map.writing(file -> {
                    for (Entry entry : dead) {
                        @Nullable MapValue removed = file.entries.remove(entry.key());
                        if (removed != null && removed.isFragmented()) {
                            file.largeValues.removeOthers(entry.key(), null);
                        }
                    }
                    return file.store.commit();
                });
            } finally {
                dead.forEach(entry -> cache.removed(entry.key()));
            }
            feed.removed();
        }
    }
}
