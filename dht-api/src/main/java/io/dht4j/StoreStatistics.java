package io.dht4j;

import io.dht4j.NodeGauges.Bounded;
import java.util.Optional;

/**
 * The counts of a store's work since it was opened, and the space that it occupies. Immutable.
 *
 * @param commits groups of writes that were appended to the log, and their bytes
 * @param fsyncs calls that forced a file or a directory to the disk, without bytes
 * @param merges tables in memory that were merged into the map, and the bytes that this wrote; pauses of a merge count
 * @param compactions rewrites of parts of the map's file, and the bytes that this wrote; pauses count
 * @param writeStalls waits of writes for a merge, without bytes
 * @param tables bytes of the entries in memory that wait for the merge; of a store in memory, of all entries
 * @param mapBytes size of the map's file
 * @param logBytes size of the log's files
 * @param entryCache the cache of entries; empty if there is none
 * @param pageCache the cache of the map's pages; empty if there is none
 */
public record StoreStatistics(
        Work commits,
        Work fsyncs,
        Work merges,
        Work compactions,
        Work writeStalls,
        Bounded tables,
        long mapBytes,
        long logBytes,
        Optional<EntryCache> entryCache,
        Optional<PageCache> pageCache) {

    /**
     * Work of one kind that has ended.
     *
     * @param count how often it was done
     * @param nanos how long it took altogether, in nanoseconds
     * @param bytes how many bytes it wrote; 0 if the kind has no bytes
     */
    public record Work(long count, long nanos, long bytes) {

        /** Nothing was done. */
        public static final Work NONE = new Work(0, 0, 0);
    }

    /**
     * A cache of entries.
     *
     * @param hits reads that it answered
     * @param misses reads that it did not answer
     * @param memory bytes that it occupies, an estimate
     */
    public record EntryCache(long hits, long misses, Bounded memory) {}

    /**
     * A cache of pages of a file.
     *
     * @param reads reads of the file, each of which is a miss or a part of the store's own work
     * @param readBytes their bytes
     * @param hitRatio share of the pages that were found in the cache since the file was opened, 0 to 1, in hundredths
     * @param memory bytes that it occupies, an estimate
     */
    public record PageCache(long reads, long readBytes, double hitRatio, Bounded memory) {}

    /**
     * Returns the statistics of a store that has neither files nor caches.
     *
     * @param entries bytes of its entries
     */
    public static StoreStatistics inMemory(Bounded entries) {
        return new StoreStatistics(
                Work.NONE,
                Work.NONE,
                Work.NONE,
                Work.NONE,
                Work.NONE,
                entries,
                0,
                0,
                Optional.empty(),
                Optional.empty());
    }
}
