package io.dht4j.spi;

/**
 * Hears of every change of what a store holds. An entry that takes the place of another is told as two changes, in either
 * order. Safe for use by any number of threads; does not block.
 */
public interface ContentListener {

    /**
     * The store holds an entry that it did not hold before.
     *
     * @param entry a value or a tombstone
     */
    void added(Entry entry);

    /**
     * The store holds an entry no longer: a newer one took its place, or it was purged.
     *
     * @param entry as it was held
     */
    void removed(Entry entry);
}
