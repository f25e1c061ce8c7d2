package io.dht4j.store.mvstore;

import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.spi.Entry;
import io.dht4j.spi.Store.Held;
import io.dht4j.store.mvstore.internal.cache.EntryCache;
import io.dht4j.store.mvstore.internal.map.EntryMap;
import io.dht4j.store.mvstore.internal.memtable.Memtable;
import io.dht4j.store.mvstore.internal.memtable.Memtables;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads the newest entries out of the cache, the memtables and the map. The memtables are read before the map: an entry
 * that leaves them is in the map before. Safe for use by any number of threads; methods block on the disk.
 */
final class EntryReader {

    /** Of more entries in memory, {@link #count()} examines a part only. */
    private static final int COUNTED_ENTRIES = 4096;

    private static final int COUNTING_ATTEMPTS = 20;

    private final EntryCache cache;
    private final Memtables memtables;
    private final EntryMap map;

    EntryReader(EntryCache cache, Memtables memtables, EntryMap map) {
        this.cache = cache;
        this.memtables = memtables;
        this.map = map;
    }

    /** Returns the newest entry of a key, and caches it. */
    Optional<Entry> get(Key key) {
        Held cached = cache.get(key);
        return cached == null ? read(key) : cached.entry();
    }

    private Optional<Entry> read(Key key) {
        long stamp = cache.stamp(key);
        Optional<Entry> inTables = newestIn(memtables.view(), key);
        EntryMap.Found inMap = map.get(key);
        Optional<Entry> newest = newest(inTables, inMap.entry());
        cache.keep(key, newest, inMap.isInFile(), stamp);
        return newest;
    }

    private static Optional<Entry> newestIn(Memtables.View view, Key key) {
        Optional<Entry> newest = Optional.ofNullable(view.active().get(key));
        for (Memtable table : view.frozen()) {
            newest = newest(newest, Optional.ofNullable(table.get(key)));
        }
        return newest;
    }

    private static Optional<Entry> newest(Optional<Entry> one, Optional<Entry> other) {
        if (one.isEmpty() || other.isEmpty()) {
            return one.isEmpty() ? other : one;
        }
        return Optional.of(Entry.newest(one.get(), other.get()));
    }

    /** Returns the newest version of the key of an entry that was just written. */
    Version newestVersion(Entry written) {
        Version version = written.version();
        Memtables.View view = memtables.view();
        Version newest = newest(version, view.active(), written.key());
        for (Memtable table : view.frozen()) {
            newest = newest(newest, table, written.key());
        }
        if (newest.compareTo(version) > 0 || version.compareTo(map.newestEver()) > 0) {
            return newest;
        }
        // The version alone, for which a large value need not be read.
        Held cached = cache.get(written.key());
        Optional<Version> inMap =
                cached == null ? map.version(written.key()) : cached.entry().map(Entry::version);
        return inMap.filter(held -> held.compareTo(version) > 0).orElse(version);
    }

    private static Version newest(Version known, Memtable table, Key key) {
        if (table.newest().compareTo(known) <= 0) {
            return known;
        }
        Entry held = table.get(key);
        return held == null || held.version().compareTo(known) <= 0 ? known : held.version();
    }

    /** Returns the number of keys: exact while few writes wait for the merge, otherwise an estimate. */
    long count() {
        long inMap = map.size();
        long waiting = waitingEntries();
        for (int i = 0; i < COUNTING_ATTEMPTS && inMap != map.size(); i++) {
            // A key went from a table to the map during the count.
            inMap = map.size();
            waiting = waitingEntries();
        }
        return inMap + waiting;
    }

    /** Returns how many keys are in the tables and not in the map. */
    private long waitingEntries() {
        Memtables.View view = memtables.view();
        List<Memtable> oldestFirst = new ArrayList<>(view.frozen());
        oldestFirst.add(view.active());
        long count = 0;
        for (int i = 0; i < oldestFirst.size(); i++) {
            count += added(oldestFirst.get(i), oldestFirst.subList(0, i));
        }
        return count;
    }

    /** Returns how many keys of a table are neither in older tables nor in the map. */
    private long added(Memtable table, List<Memtable> older) {
        long examined = 0;
        long added = 0;
        for (Entry entry : table) {
            Key key = entry.key();
            if (examined == COUNTED_ENTRIES) {
                return added * table.size() / examined;
            }
            examined++;
            if (older.stream().noneMatch(other -> other.contains(key)) && !map.contains(key)) {
                added++;
            }
        }
        return added;
    }
}
