package io.dht4j.store.mvstore.internal.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.dht4j.Key;
import io.dht4j.NodeGauges.Bounded;
import io.dht4j.StoreStatistics;
import io.dht4j.spi.Entry;
import io.dht4j.spi.Store.Held;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The newest entries, or the absence, of keys that are read often. A hit needs no page of the map, which may be on the
 * disk, and so no thread that may block.
 *
 * <p>A written entry is in the store a moment before it is here. In that moment one reader finds it in the store, and
 * another one an older entry here. No later read contradicts a result that was returned:
 *
 * <ul>
 *   <li>A result is cached only if no key of its stripe has been changed since before the read.
 *   <li>A read that finds a newer entry than the cached one removes the cached one.
 * </ul>
 *
 * <p>So once a newer entry has been read, the older one is not here, and cannot return.
 *
 * <p>Safe for use by any number of threads.
 */
public final class EntryCache {

    /** A power of two. Keys that share a counter occasionally prevent each other from being cached. */
    private static final int COUNTERS = 1024;

    /** The bits of a counter with the number of keys that are being changed. */
    private static final long CHANGING = 0xFFFF;

    /** The increment of a counter for a change that has ended. */
    private static final long CHANGED = CHANGING + 1;

    /** The maximum memory of an entry without its bytes: the objects of key and value, and the cache's own. */
    private static final int OVERHEAD = 232;

    /**
     * Changed by {@code compute} only, which waits for other threads at the same key. {@code computeIfPresent} and
     * {@code invalidate} may find no entry while a thread that read the counter before its change is about to cache its
     * result. The function is called once, alone at its key, so that it may overwrite the value; and values are
     * published safely, which {@link CachedEntry} relies on.
     */
    private final Cache<Key, CachedEntry> known;

    private final long maxBytes;

    // The cache's own counters would also take the time of each change.
    private final LongAdder hits = new LongAdder();
    private final LongAdder misses = new LongAdder();

    /** For each stripe the number of running changes, in the lowest bits, and the number of ended changes. */
    private final AtomicLongArray changes = new AtomicLongArray(COUNTERS);

    /**
     * An empty cache.
     *
     * @param maxBytes its memory, by estimate; 0 for no entries
     */
    public EntryCache(long maxBytes) {
        this.maxBytes = maxBytes;
        this.known = Caffeine.newBuilder()
                .maximumWeight(maxBytes)
                .weigher(EntryCache::weight)
                // The thread that adds an entry evicts a few.
                .executor(Runnable::run)
                .build();
    }

    private static int weight(Key key, CachedEntry held) {
        return (int) Math.min(Integer.MAX_VALUE, (long) OVERHEAD + key.length() + held.valueBytes());
    }

    /** Returns the newest entry of a key, or its absence; null if the key is not cached. Counts a hit or a miss. */
    @Nullable
    public Held get(Key key) {
        Held held = getBeforeStore(key);
        if (held == null) {
            misses.increment();
        }
        return held;
    }

    /** Returns the same, and counts a hit, but no miss: the caller asks again where it may read the store. */
    @Nullable
    public Held getBeforeStore(Key key) {
        CachedEntry held = known.getIfPresent(key);
        if (held == null) {
            return null;
        }
        hits.increment();
        return held.held(key);
    }

    /** Returns hits, misses and memory. Waits for a running eviction. */
    public StoreStatistics.EntryCache statistics() {
        long used = known.policy()
                .eviction()
                .map(eviction -> eviction.weightedSize().orElse(0))
                .orElse(0L);
        return new StoreStatistics.EntryCache(hits.sum(), misses.sum(), new Bounded(used, maxBytes));
    }

    /** Returns a stamp, to be taken before the store is read, and passed to {@link #keep} with the result. */
    public long stamp(Key key) {
        return changes.get(stripe(key));
    }

    /**
     * Caches a result, if no change prevents that. To be called before the result is returned.
     *
     * @param key the key
     * @param read the result
     * @param isSure whether the store certainly holds it; otherwise it only removes an older one
     * @param stamp the stamp of the read
     */
    public void keep(Key key, Optional<Entry> read, boolean isSure, long stamp) {
        boolean unchanged = isSure && (stamp & CHANGING) == 0;
        known.asMap().compute(key, (same, held) -> {
            if (held != null && !isNewer(read, held)) {
                return held;
            }
            return unchanged && stamp(same) == stamp ? new CachedEntry(read) : null;
        });
    }

    /**
     * Puts an entry into the store, and replaces an older cached one.
     *
     * @param entry the entry
     * @param store takes it, unless it has a newer one; reads of the store find it when this has returned
     */
    public void apply(Entry entry, Consumer<Entry> store) {
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
     * Removes a key whose entry was removed from the store. Called after the removal, and before any code relies on it.
     */
    public void removed(Key key) {
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
