package io.dht4j.spi;

import io.dht4j.Version;

/**
 * Receives every change of a store's content. Safe for use by any number of threads; quick, and waits for a moment at
 * most.
 */
public interface ContentListener {

    /**
     * The store holds an entry that it did not hold before.
     *
     * @param entry a value or a tombstone
     */
    void added(Entry entry);

    /**
     * The store holds an entry no longer: it was purged, or a newer one took its place.
     *
     * @param entry as it was held
     */
    void removed(Entry entry);

    /**
     * An entry took the place of another one. The same as a call of both other methods, in either order, which a store
     * may make instead.
     *
     * @param before as it was held
     * @param after of the same key
     */
    default void replaced(Entry before, Entry after) {
        removed(before);
        added(after);
    }

    /**
     * As {@link #replaced(Entry, Entry)}, by a store that would have to read a large value for nothing else.
     *
     * @param before the version of the entry that is held no longer, a value
     * @param digest its {@linkplain Entry#digest() digest}
     * @param after of the same key
     * @return false if that is not enough, and nothing was done: then the store calls the other method, with the entry
     *     as it was held. By default it is not enough
     */
    default boolean replaced(Version before, int digest, Entry after) {
        return false;
    }
}
