package io.dht4j.store.mvstore;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.dht4j.Key;
import io.dht4j.spi.Entry;
import io.dht4j.spi.Store.Held;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * What the map holds of keys that are read often, as objects, and which of them it does not hold: those are new, and in the tables alone, or in nobody's hands. What is found here needs no page, which might have to come from the disk, and so no
 * thread that may wait. Never older than the map: whoever changes that tells afterwards, and what was read before is not kept then.
 *
 * <p>Used by any number of threads; told of changes by one.
 */
final class EntryCache {

    /** A power of two. Keys that share a counter only keep each other from being kept now and then. */
    private static final int COUNTERS = 1024;

    /** What an entry takes besides its bytes: the objects of key, version and value, and the cache's own. */
    private static final int OVERHEAD = 232;

    private final Cache<Key, Held> known;

    /** How often a key of each stripe was changed. */
    private final AtomicLongArray changes = new AtomicLongArray(COUNTERS);

    /**
     * An empty cache.
     *
     * @param maxBytes what it may take, by estimate; 0 for none
     */
    EntryCache(long maxBytes) {
        this.known = Caffeine.newBuilder()
                .maximumWeight(maxBytes)
                .weigher(EntryCache::weight)
                // A few entries at a time are thrown out by whoever adds one.
                .executor(Runnable::run)
                .build();
    }

    private static int weight(Key key, Held held) {
        int value = held.entry().map(entry -> entry.value().length).orElse(0);
        return (int) Math.min(Integer.MAX_VALUE, (long) OVERHEAD + key.length() + value);
    }

    /** What the map held of a key, or null if that is not known here. */
    @Nullable
    Held get(Key key) {
        return known.getIfPresent(key);
    }

    /** To be asked before the map is read, and given to {@link #keep} with what was found. */
    long stamp(Key key) {
        return changes.get(stripe(key));
    }

    /** Keeps what was read from the map, unless that may have changed since the stamp. */
    void keep(Key key, Optional<Entry> read, long stamp) {
        Held now = new Held(read);
        known.asMap().compute(key, (same, held) -> stamp(same) == stamp ? now : held);
    }

    /** Forgets what the map held of a key. To be called when it has been changed, and before anybody relies on the change. */
    void changed(Key key) {
        changes.incrementAndGet(stripe(key));
        known.invalidate(key);
    }

    /** As {@link #changed(Key)}, and keeps what the map holds now if the key was kept. */
    void changed(Entry now) {
        changes.incrementAndGet(stripe(now.key()));
        known.asMap().computeIfPresent(now.key(), (key, held) -> new Held(Optional.of(now)));
    }

    private static int stripe(Key key) {
        int hash = key.hashCode();
        return (hash ^ hash >>> 16) & (COUNTERS - 1);
    }
}
