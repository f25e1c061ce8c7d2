package io.dht4j.spi;

import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.StoreProblem;
import io.dht4j.Version;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Where a node keeps its entries: a sorted map from keys to their newest entries. Methods block, as storage engines do;
 * the core calls them on its store threads, or inline where {@link #isMemoryFast()} says so. Safe for use by any number
 * of threads.
 *
 * <p>An interrupt of a calling thread must do no harm to the store. After {@link #close()} every method throws a
 * {@link StoreException}.
 */
public interface Store extends AutoCloseable {

    /** How large a note may be: 32 MiB. */
    int MAX_NOTE_BYTES = 32 << 20;

    /**
     * Reads the newest entry of a key, tombstones and expired entries included.
     *
     * @param key the key
     * @return the entry, or empty if none was ever applied or it was purged
     * @throws StoreException if the store cannot be read
     */
    Optional<Entry> get(Key key);

    /**
     * Merges entries into the store: of each key the one that {@link Entry#supersedes supersedes} stays. On return
     * every one of them (or a newer one of its key) is visible to {@link #get} and {@link #scan}, and durable as the
     * store is configured. When it throws, any of the entries may or may not have been kept.
     *
     * @param entries any number of entries, in any order, keys possibly repeated
     * @throws StoreException if the entries cannot be kept
     */
    void apply(List<Entry> entries);

    /**
     * Merges entries as {@link #apply} does, and tells what is the newest version of each key then.
     *
     * @param entries any number of entries, in any order, keys possibly repeated
     * @return for each entry, in the same order, the newest version that the store held of its key at some moment after
     *     it was merged: that of the entry, or a newer one that superseded it. By default each key is read after
     *     {@link #apply}
     * @throws StoreException if the entries cannot be kept, or be read again; any of them may have been kept then
     */
    default List<Version> applyAndGetVersions(List<Entry> entries) {
        apply(entries);
        List<Version> newest = new ArrayList<>(entries.size());
        for (Entry entry : entries) {
            // What was purged meanwhile was held until then, with nothing newer.
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
     * Removes entries for good. Of a key whose newest entry goes, nothing older comes back. Only safe when every
     * replica has seen what goes, and nothing older of its keys can come any more. When it throws, some of them may be
     * gone, and nobody is told how many.
     *
     * @param dispensable whether an entry may go: a tombstone or a value that has expired; asked on any thread, must be
     *     quick
     * @return how many entries were removed
     * @throws StoreException if the store cannot be written
     */
    long purge(Predicate<Entry> dispensable);

    /**
     * Removes tombstones and expired values that are older than a version.
     *
     * @param before entries of this version or a newer one stay
     * @param nowMillis the wall clock in milliseconds since 1970, to tell which values have expired
     * @return how many entries were removed
     * @throws StoreException if the store cannot be written
     */
    default long purge(Version before, long nowMillis) {
        return purge(entry -> entry.version().compareTo(before) < 0 && !entry.isLive(nowMillis));
    }

    /**
     * Tells a listener of every change of what is held from now on, in an order of its own. A store may hold back a
     * change that {@link #get} shows already; {@link #settle} makes it tell. Called once, while nobody applies or
     * purges; and again, at any time, when reading what is held has failed, as it may after the store has failed: then
     * the former listener is told nothing more.
     *
     * @param listener called on any thread, by several at a time, while the store is working: it must be quick and must
     *     not call the store
     * @return what is held now, as of the first change that is told: each entry once, in any order. Read by one thread
     *     at a time, and closed by the caller, before the store is closed
     * @throws StoreException if the store cannot be read
     */
    EntryCursor follow(ContentListener listener);

    /**
     * Tells the listener of every change that was made before this call began. Blocks until that is done.
     *
     * @throws StoreException if the store cannot be written
     */
    void settle();

    /**
     * Keeps a few bytes beside the entries, in place of what was kept under this name. On return they are as durable as
     * the store can make them, whatever is configured for entries.
     *
     * @param name 1 to 32 of the letters a to z and hyphens, as the core chooses them
     * @param bytes up to {@link #MAX_NOTE_BYTES}
     * @throws StoreException if they cannot be kept
     */
    void keepNote(String name, byte[] bytes);

    /**
     * Reads what {@link #keepNote} kept.
     *
     * @param name as it was kept
     * @return a copy, or empty if nothing was
     * @throws StoreException if it cannot be read, or is damaged
     */
    Optional<byte[]> note(String name);

    /**
     * How many keys the store holds, tombstones and expired entries included. Quick; an estimate while writes go on,
     * and while the store has still to put away the latest ones, also after it was opened again.
     *
     * @return 0 or more
     * @throws StoreException if the store cannot be read
     */
    long entries();

    /**
     * Ties what is in the store to what decides which keys it holds. The first description is kept, as durably as
     * entries are; with another one later the store would hold keys of which this node is no replica and lack others.
     * Called once, before the store is used.
     *
     * @param placement describes this node, all nodes, partitions, placement and hash function; equal only if this node
     *     is a replica of the same keys
     * @throws StoreException if the store was tied to another description, which the message quotes, or cannot be
     *     written
     */
    void bind(String placement);

    /**
     * Up to where versions had been given when the store was opened. A node starts its clock behind it, so that a wall
     * clock that was set back cannot make new writes older than those that the store already has. Quick.
     *
     * @return not smaller than the version of any entry that was in the store when it was opened; zero if there was
     *     none
     */
    Version newestAtOpen();

    /**
     * Whether every call ends within microseconds, so that it may run on any thread, an event loop included.
     *
     * @return true for stores in memory
     */
    boolean isMemoryFast();

    /**
     * What the store holds of a key, where it can tell from memory alone. Quick, whatever {@link #isMemoryFast()} says:
     * touches no disk, waits for no other thread, and may run on any thread, an event loop included.
     *
     * @param key the key
     * @return what {@link #get} would return now; empty if it would have to look further, which says nothing of the key
     * @throws StoreException if the store is closed
     */
    default Optional<Held> getFromMemory(Key key) {
        return isMemoryFast() ? Optional.of(new Held(get(key))) : Optional.empty();
    }

    /**
     * What a store holds of a key.
     *
     * @param entry its entry, a tombstone perhaps; empty if there is none
     */
    record Held(Optional<Entry> entry) {}

    /**
     * What the store cannot do at the moment, for status. Quick; does not touch the disk.
     *
     * @return one for each kind at most; empty if all is well
     */
    default List<StoreProblem> problems() {
        return List.of();
    }

    /**
     * The store's name, as status shows it.
     *
     * @return for example {@code mvstore}
     */
    String name();

    /**
     * Makes everything that was applied durable and releases files and threads. Blocks until calls under way have
     * ended. May be called repeatedly.
     *
     * @throws StoreException if something could not be written
     */
    @Override
    void close();
}
