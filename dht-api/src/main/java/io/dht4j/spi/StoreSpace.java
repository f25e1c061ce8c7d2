package io.dht4j.spi;

/**
 * The size of a store and the room that it has left, both estimates.
 *
 * @param usedBytes the bytes of the entries that the store holds, without what a compaction would free; 0 or more
 * @param freeBytes the bytes that the store can still write before its disk is full; 0 or more
 */
public record StoreSpace(long usedBytes, long freeBytes) {

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException if a number is negative
     */
    public StoreSpace {
        if (usedBytes < 0 || freeBytes < 0) {
            throw new IllegalArgumentException(
                    "the used and the free bytes of a store are 0 or more, not " + usedBytes + " and " + freeBytes);
        }
    }
}
