package io.dht4j.spi;

import java.util.Iterator;
import java.util.NoSuchElementException;

/**
 * A walk over a store's entries in ascending order of their keys, tombstones and expired entries included. It shows
 * every entry that was there when it was opened and is not replaced during the walk; of those that are written during
 * the walk it may show the old or the new one, each key at most once. For one thread at a time. Methods may block on
 * the disk and throw {@link StoreException}.
 */
public interface EntryCursor extends Iterator<Entry>, AutoCloseable {

    /**
     * Whether there is another entry.
     *
     * @return false at the end of the range
     * @throws StoreException if the store cannot be read
     */
    @Override
    boolean hasNext();

    /**
     * Moves to the next entry.
     *
     * @return the entry
     * @throws NoSuchElementException at the end of the range
     * @throws StoreException if the store cannot be read
     */
    @Override
    Entry next();

    /** Releases what the cursor holds. May be called repeatedly. */
    @Override
    void close();
}
