package io.dht4j.spi;

import java.util.Iterator;
import java.util.NoSuchElementException;

/**
 * A cursor over a store's entries in ascending order of their keys, including tombstones and expired entries. The
 * cursor returns every entry that exists when it is opened and is not replaced during the iteration. Of an entry
 * written during the iteration it may return the old or the new state, and each key at most once. Confined to one
 * thread at a time. Methods may block on the disk and throw {@link StoreException}.
 */
public interface EntryCursor extends Iterator<Entry>, AutoCloseable {

    /**
     * Returns whether there is another entry.
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

    /** Releases the cursor's resources. May be called repeatedly. */
    @Override
    void close();
}
