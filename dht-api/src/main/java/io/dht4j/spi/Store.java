package io.dht4j.spi;

import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.NodeId;
import io.dht4j.StoreProblem;
import io.dht4j.StoreStatistics;
import io.dht4j.Version;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * A node's entries: a sorted map from each key to its newest entry. Methods block, as storage engines do. The core
 * calls them on its store threads, or inline if {@link #isMemoryFast()} returns true. Safe for use by any number of
 * threads.
 *
 * <p>An interrupt of a calling thread must not damage the store. After {@link #close()} every method throws a
 * {@link StoreException}.
 */
public interface Store extends AutoCloseable {

    /** The largest size of a note: 32 MiB. */
    int MAX_NOTE_BYTES = 32 << 20;

    /**
     * Reads the newest entry of a key, including tombstones and expired entries.
     *
     * @param key the key
     * @return the entry, or empty if none was ever applied or it was purged
     * @throws StoreException if the store cannot be read
     */
    Optional<Entry> get(Key key);

    /**
     * Merges entries into the store: the entry of each key that {@link Entry#supersedes supersedes} the others stays.
     * On return every entry (or a newer one of its key) is visible to {@link #get} and {@link #scan}, and as durable as
     * the store is configured. After an exception, any of the entries may have been stored.
     *
     * @param entries any number of entries, in any order, keys possibly repeated
     * @throws StoreException if the entries cannot be stored
     */
    void apply(List<Entry> entries);

    /**
     * Merges entries as {@link #apply} does, and returns the newest version of each key.
     *
     * @param entries any number of entries, in any order, keys possibly repeated
     * @return for each entry, in the same order, the newest version of its key at some moment after the merge: that of
     *     the entry, or a newer one that superseded it. By default each key is read after {@link #apply}
     * @throws StoreException if the entries cannot be stored or read; any of them may have been stored then
     */
    default List<Version> applyAndGetVersions(List<Entry> entries) {
        apply(entries);
        List<Version> newest = new ArrayList<>(entries.size());
        for (Entry entry : entries) {
            // An entry purged since the merge was the newest of its key until then.
            newest.add(get(entry.key())
                    .map(Entry::version)
                    .filter(held -> held.compareTo(entry.version()) > 0)
                    .orElse(entry.version()));
        }
        return newest;
    }

    /**
     * Opens a cursor over a range.
     *
     * @param range the keys to show
     * @return a cursor, which the caller closes
     * @throws StoreException if the store cannot be read
     */
    EntryCursor scan(KeyRange range);

    /**
     * Removes entries permanently, for example tombstones. After the removal of a key's newest entry, no older entry of
     * the key reappears. Safe only when every replica has the removed entries, and no older ones of their keys can
     * arrive. On return the removal is as durable as entries are. After an exception, an unknown number of entries may
     * have been removed.
     *
     * @param dispensable returns whether an entry may be removed; called on any thread, must be quick
     * @return how many entries were removed
     * @throws StoreException if the store cannot be written
     */
    long purge(Predicate<Entry> dispensable);

    /**
     * Removes tombstones and expired values that are older than a version.
     *
     * @param before entries of this version or a newer one stay
     * @param nowMillis the wall clock in milliseconds since 1970, which decides which values have expired
     * @return how many entries were removed
     * @throws StoreException if the store cannot be written
     */
    default long purge(Version before, long nowMillis) {
        return purge(entry -> entry.version().compareTo(before) < 0 && !entry.isLive(nowMillis));
    }

    /**
     * Removes every entry of some keys, live ones too: this node is no replica of them any more. Later entries of these
     * keys are merged like those of a new key, whatever their versions. Other keys are read and written meanwhile. On
     * return the removal is as durable as entries are. After an exception, an unknown number of entries may have been
     * removed.
     *
     * @param dropped returns whether the entry of a key is removed. Called on any thread, must be quick; the answer for
     *     a key may become false meanwhile. Nothing is applied to keys for which it is true
     * @return how many entries were removed. By default they are removed by {@link #purge(Predicate)}
     * @throws StoreException if the store cannot be written
     */
    default long drop(Predicate<Key> dropped) {
        return purge(entry -> dropped.test(entry.key()));
    }

    /**
     * Registers a listener of all later changes of the content and returns the current content. A store may delay the
     * notification of a change that {@link #get} already shows; {@link #settle} forces it. The order of notifications
     * is unspecified.
     *
     * <p>Called once, while no other thread applies or purges. Called again, at any time, after reading the content has
     * failed, as it may after a failure of the store; the former listener then receives no more notifications.
     *
     * @param listener called by several threads at a time while the store is working; must be quick and must not call
     *     the store
     * @return the content as of the first reported change: each entry once, in any order. Read by one thread at a time,
     *     and closed by the caller before the store is closed
     * @throws StoreException if the store cannot be read
     */
    EntryCursor follow(ContentListener listener);

    /**
     * Notifies the listener of every change made before this call. Blocks until that is done.
     *
     * @throws StoreException if the store cannot be written
     */
    void settle();

    /**
     * Stores a few bytes beside the entries, replacing an earlier note of the same name. On return they are as durable
     * as the store can make them, regardless of the configured durability of entries.
     *
     * @param name 1 to 32 of the letters a to z and hyphens, chosen by the core
     * @param bytes up to {@link #MAX_NOTE_BYTES}
     * @throws StoreException if they cannot be stored
     */
    void keepNote(String name, byte[] bytes);

    /**
     * Reads a note of {@link #keepNote}.
     *
     * @param name the name of the note
     * @return a copy, or empty if there is none
     * @throws StoreException if it cannot be read, or is damaged
     */
    Optional<byte[]> note(String name);

    /**
     * Returns the number of keys, including tombstones and expired entries. Quick. The result is an estimate during
     * writes and while the latest writes have not been moved to their final place, also after the store was opened
     * again.
     *
     * @return 0 or more
     * @throws StoreException if the store cannot be read
     */
    long entries();

    /**
     * Returns the size of the store and the room that it has left, both estimates. With it a node that leaves is
     * refused where the others have no room for its entries, and the progress of moves is shown. Quick.
     *
     * @return empty if the store does not know, as by default
     * @throws StoreException if the store cannot be read
     */
    default Optional<StoreSpace> space() {
        return Optional.empty();
    }

    /**
     * Returns what the store has done since it was opened, and what it occupies. Quick, but may access the disk.
     *
     * @return empty if the store does not know, as by default
     * @throws StoreException if the store is closed
     */
    default Optional<StoreStatistics> statistics() {
        return Optional.empty();
    }

    /**
     * Reserves the store for a node until it is closed, so that no two nodes share one. Called first of all by a node
     * that starts. Stores that do not override this method accept several nodes.
     *
     * @param node the node
     * @throws StoreException {@link StoreException#inUse} if a node has claimed it since it was opened; another one if
     *     the store is closed
     */
    default void claim(NodeId node) {}

    /**
     * Binds the store to the settings that determine its keys. The first description is stored as durably as entries.
     * With other settings the store would contain keys of which this node is no replica, and lack others. Called once,
     * before the store is used.
     *
     * @param placement describes this node, all nodes, partitions, placement and hash function; equal only if this node
     *     is a replica of the same keys
     * @throws StoreException if the store is bound to another description, which the message quotes, or cannot be
     *     written
     */
    void bind(String placement);

    /**
     * Returns an upper bound of the versions assigned before the store was opened. A node starts its clock after this
     * version. A wall clock set back can then not make new writes older than stored ones. Quick.
     *
     * @return not smaller than the version of any entry in the store when it was opened; zero if there was none
     */
    Version newestAtOpen();

    /**
     * Returns whether every call ends within microseconds, so that it may run on any thread, including an event loop.
     *
     * @return true for stores in memory
     */
    boolean isMemoryFast();

    /**
     * Returns the entry of a key if memory alone can answer. Quick regardless of {@link #isMemoryFast()}: accesses no
     * disk, waits for no other thread, and may run on any thread, including an event loop.
     *
     * @param key the key
     * @return what {@link #get} would return now; empty if the answer needs more than memory, which says nothing about
     *     the key
     * @throws StoreException if the store is closed
     */
    default Optional<Held> getFromMemory(Key key) {
        return isMemoryFast() ? Optional.of(new Held(get(key))) : Optional.empty();
    }

    /**
     * The result of a lookup in memory.
     *
     * @param entry the entry of the key, possibly a tombstone; empty if there is none
     */
    record Held(Optional<Entry> entry) {}

    /**
     * Returns the present problems of the store, for the status. Quick; does not access the disk.
     *
     * @return at most one for each kind; empty if the store has no problems
     */
    default List<StoreProblem> problems() {
        return List.of();
    }

    /**
     * Returns the store's name for the status.
     *
     * @return for example {@code mvstore}
     */
    String name();

    /**
     * Makes all applied entries durable and releases files and threads. Blocks until running calls have ended. May be
     * called repeatedly.
     *
     * @throws StoreException if pending data could not be written
     */
    @Override
    void close();
}
