package io.dht4j.store.mvstore;

import static java.util.Objects.requireNonNull;

import io.dht4j.Ranges;
import io.dht4j.spi.MemoryBudget;

/**
 * The options of an {@link MvStore}. Immutable.
 *
 * @param durability what an acknowledged write survives
 * @param cacheBytes the maximum memory of cached pages of the map, 1 MiB to 64 GiB. More makes reads faster: a page
 *     that is not cached is read and decoded again
 * @param entryCacheBytes the maximum estimated memory of cached keys with their newest entries, or their absence, 0
 *     (none) to 64 GiB. Reads of cached keys are answered on the calling thread, without a switch to one that may wait
 *     for the disk
 * @param memtableBytes the estimated memory of the newest writes at which they are merged into the map, 16 KiB to 1
 *     GiB. More means fewer and larger merges (less written per put, higher put rates), but more memory, a longer log
 *     and a longer recovery. The log segment that backs it is never larger
 * @param maxFrozen how many such tables may wait for the merge, 1 to 16. At this number, writers wait too
 */
public record MvStoreOptions(
        Durability durability, long cacheBytes, long entryCacheBytes, long memtableBytes, int maxFrozen) {

    /** The smallest cache. */
    public static final long MIN_CACHE_BYTES = 1L << 20;

    /** The largest cache. */
    public static final long MAX_CACHE_BYTES = 64L << 30;

    /** The smallest table of new writes. */
    public static final long MIN_MEMTABLE_BYTES = 16L << 10;

    /** The largest table of new writes. */
    public static final long MAX_MEMTABLE_BYTES = 1L << 30;

    /** The largest number of tables that wait for the merge. */
    public static final int MAX_FROZEN = 16;

    private static final int DEFAULT_MAX_FROZEN = 2;

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException if a number is out of its range
     */
    public MvStoreOptions {
        Ranges.require("cacheBytes", cacheBytes, MIN_CACHE_BYTES, MAX_CACHE_BYTES);
        Ranges.require("entryCacheBytes", entryCacheBytes, 0, MAX_CACHE_BYTES);
        Ranges.require("memtableBytes", memtableBytes, MIN_MEMTABLE_BYTES, MAX_MEMTABLE_BYTES);
        Ranges.require("maxFrozen", maxFrozen, 1, MAX_FROZEN);
    }

    /**
     * {@link Durability#OS} and the shares of {@link MemoryBudget#ofHeap()}, with up to 2 tables that wait.
     *
     * @return the default options
     */
    public static MvStoreOptions defaults() {
        return of(MemoryBudget.ofHeap());
    }

    /**
     * {@link Durability#OS} and the shares of a budget, with up to 2 tables that wait.
     *
     * @param memory the node's
     * @return options
     */
    public static MvStoreOptions of(MemoryBudget memory) {
        return new MvStoreOptions(
                Durability.OS,
                memory.pageCacheBytes(),
                memory.entryCacheBytes(),
                memory.tableBytes(),
                DEFAULT_MAX_FROZEN);
    }

    /**
     * The same options with this durability.
     *
     * @param durability what an acknowledged write survives
     * @return new options
     */
    public MvStoreOptions withDurability(Durability durability) {
        return new MvStoreOptions(
                requireNonNull(durability, "durability"), cacheBytes, entryCacheBytes, memtableBytes, maxFrozen);
    }

    /**
     * The same options with this cache.
     *
     * @param cacheBytes 1 MiB to 64 GiB
     * @return new options
     * @throws IllegalArgumentException if it is out of its range
     */
    public MvStoreOptions withCacheBytes(long cacheBytes) {
        return new MvStoreOptions(durability, cacheBytes, entryCacheBytes, memtableBytes, maxFrozen);
    }

    /**
     * The same options with this cache of single entries.
     *
     * @param entryCacheBytes 0 bytes to 64 GiB
     * @return new options
     * @throws IllegalArgumentException if it is out of its range
     */
    public MvStoreOptions withEntryCacheBytes(long entryCacheBytes) {
        return new MvStoreOptions(durability, cacheBytes, entryCacheBytes, memtableBytes, maxFrozen);
    }

    /**
     * The same options with tables of this size.
     *
     * @param memtableBytes 16 KiB to 1 GiB
     * @return new options
     * @throws IllegalArgumentException if it is out of its range
     */
    public MvStoreOptions withMemtableBytes(long memtableBytes) {
        return new MvStoreOptions(durability, cacheBytes, entryCacheBytes, memtableBytes, maxFrozen);
    }

    /**
     * The same options with this number of waiting tables.
     *
     * @param maxFrozen 1 to 16
     * @return new options
     * @throws IllegalArgumentException if it is out of its range
     */
    public MvStoreOptions withMaxFrozen(int maxFrozen) {
        return new MvStoreOptions(durability, cacheBytes, entryCacheBytes, memtableBytes, maxFrozen);
    }
}
