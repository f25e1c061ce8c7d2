package io.dht4j.store.mvstore;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.dht4j.Key;
import io.dht4j.spi.Entry;
import io.dht4j.spi.Store.Held;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What the store holds of keys that are read often, and which of them it does not hold. What is found here needs no
 * page, which might have to come from the disk, and so no thread that may wait.
 *
 * <p>An entry is in the store a moment before it is here. In that moment some find it in the store, and others an older
 * one here; but what one has returned, nobody who comes later contradicts:
 *
 * <ul>
 *   <li>What was read is kept only if no key of its stripe is being changed, nor has been since before the reading.
 *   <li>Whoever has read a newer entry than the one here drives that out.
 * </ul>
 *
 * <p>So once a newer one has been read, the older one is not here, and nobody can bring it back.
 *
 * <p>Safe for use by any number of threads.
 */
final class EntryCache {

    /** A power of two. Keys that share a counter only keep each other from being kept now and then. */
    private static final int COUNTERS = 1024;

    /** The bits of a counter that tell how many keys are being changed. */
    private static final long CHANGING = 0xFFFF;

    /** What a counter grows by when a key has been changed. */
    private static final long CHANGED = CHANGING + 1;

    /** What an entry takes besides its bytes, at most: the objects of key and value, and the cache's own. */
    private static final int OVERHEAD = 232;

    /**
     * Changed by {@code compute} only, which waits for whoever is at the same key. {@code computeIfPresent} and
     * {@code invalidate} may find nothing there while somebody who has looked at the counter before it changed is about
     * to keep what he read. The function is called once, while nobody else is at the key, so that it may write over the
     * value; and values are published safely, which theirs rely on.
     */
    private final Cache<Key, CachedEntry> known;

    /** For each stripe how many of its keys are being changed, in the lowest bits, and how often one has been. */
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

    private static int weight(Key key, CachedEntry held) {
        return (int) Math.min(Integer.MAX_VALUE, (long) OVERHEAD + key.length() + held.valueBytes());
    }

    /** What the store holds of a key, or null if that is not known here. */
    @Nullable
    Held get(Key key) {
        CachedEntry held = known.getIfPresent(key);
        return held == null ? null : held.held(key);
    }

    /** To be asked before the store is read, and given to {@link #keep} with what was found. */
    long stamp(Key key) {
        return changes.get(stripe(key));
    }

    /**
     * Keeps what was read, as far as that may be. To be called before anybody is told of it.
     *
     * @param isSure whether the store holds it for certain; otherwise it may only drive out something older
     */
    void keep(Key key, Optional<Entry> read, boolean isSure, long stamp) {
        boolean unchanged = isSure && (stamp & CHANGING) == 0;
        known.asMap().compute(key, (same, held) -> {
            if (held != null && !isNewer(read, held)) {
                return held;
            }
            return unchanged && stamp(same) == stamp ? new CachedEntry(read) : null;
        });
    }

    /**
     * Puts an entry into the store, and keeps it instead of an older one.
     *
     * @param store takes it, unless it has a newer one; who reads the store finds it when this has returned
     */
    void apply(Entry entry, Consumer<Entry> store) {
        int stripe = stripe(entry.key());
        changes.incrementAndGet(stripe);
        boolean done = false;
        try {
            store.accept(entry);
            done = true;
        } finally {
            changes.addAndGet(stripe, CHANGED - 1);
            if (!done) {
                forget(entry.key());
            }
        }
        known.asMap().compute(entry.key(), (key, held) -> {
            if (held == null || !held.isOlderThan(entry) || held.replaceBy(entry)) {
                return held;
            }
            return new CachedEntry(Optional.of(entry));
        });
    }

    private static boolean isNewer(Optional<Entry> entry, CachedEntry held) {
        return entry.isPresent() && held.isOlderThan(entry.get());
    }

    /**
     * Takes note that the store may hold less of a key than before. To be called when it does, and before anybody
     * relies on it.
     */
    void removed(Key key) {
        changes.addAndGet(stripe(key), CHANGED);
        forget(key);
    }

    private void forget(Key key) {
        known.asMap().compute(key, (same, held) -> null);
    }

    private static int stripe(Key key) {
        int hash = key.hashCode();
        return (hash ^ hash >>> 16) & (COUNTERS - 1);
    }
}
