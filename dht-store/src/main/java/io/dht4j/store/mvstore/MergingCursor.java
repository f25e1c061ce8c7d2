package io.dht4j.store.mvstore;

import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.spi.Entry;
import io.dht4j.spi.EntryCursor;
import io.dht4j.store.mvstore.internal.map.ReadGuard;
import io.dht4j.store.mvstore.internal.memtable.Memtable;
import io.dht4j.store.mvstore.internal.memtable.Memtables;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Iterates over the tables and the map together, and returns the newest entry of each key. The tables are those of the
 * moment when it was opened; the map is read in pages on demand. An entry that moves from a table to the map in between
 * is still read from the table. A cursor that is never closed holds memory, but no file space.
 */
final class MergingCursor implements EntryCursor {

    private final ReadGuard guard;
    private final KeyRange range;
    private final List<Source> sources = new ArrayList<>();
    private Optional<Entry> following = Optional.empty();
    private boolean done;

    MergingCursor(ReadGuard guard, KeyRange range, Memtables.View view, Function<KeyRange, List<Entry>> pages) {
        this.guard = guard;
        this.range = range;
        sources.add(new TableSource(view.active()));
        view.frozen().forEach(table -> sources.add(new TableSource(table)));
        sources.add(new MapSource(pages));
    }

    @Override
    public boolean hasNext() {
        return guard.reading(() -> {
            if (!done && following.isEmpty()) {
                following = advance();
                done = following.isEmpty();
            }
            return !done;
        });
    }

    @Override
    public Entry next() {
        if (!hasNext()) {
            throw new NoSuchElementException("the cursor is at the end of its range");
        }
        Entry entry = following.orElseThrow();
        following = Optional.empty();
        return entry;
    }

    @Override
    public void close() {
        done = true;
        following = Optional.empty();
        sources.clear();
    }

    private Optional<Entry> advance() {
        @Nullable Entry newest = null;
        for (Source source : sources) {
            Entry head = source.peek();
            if (head == null) {
                continue;
            }
            int order = newest == null ? -1 : head.key().compareTo(newest.key());
            if (newest == null || order < 0) {
                newest = head;
            } else if (order == 0) {
                newest = Entry.newest(newest, head);
            }
        }
        if (newest == null) {
            return Optional.empty();
        }
        for (Source source : sources) {
            Entry head = source.peek();
            if (head != null && head.key().equals(newest.key())) {
                source.drop();
            }
        }
        return Optional.of(newest);
    }

    /** The entries of the range in one table or in the map, ascending. */
    private abstract static class Source {
        private @Nullable Entry head;

        /** Returns the next entry, or null at the end. */
        final @Nullable Entry peek() {
            if (head == null) {
                head = read();
            }
            return head;
        }

        final void drop() {
            head = null;
        }

        abstract @Nullable Entry read();
    }

    private final class TableSource extends Source {
        private final Iterator<Entry> entries;
        private boolean over;

        TableSource(Memtable table) {
            entries = table.from(range.start());
        }

        @Override
        @Nullable
        Entry read() {
            if (over || !entries.hasNext()) {
                return null;
            }
            Entry entry = entries.next();
            over = !range.contains(entry.key());
            return over ? null : entry;
        }
    }

    private final class MapSource extends Source {
        private final Function<KeyRange, List<Entry>> pages;
        private final Deque<Entry> page = new ArrayDeque<>();
        private Optional<Key> start = Optional.of(range.start());

        MapSource(Function<KeyRange, List<Entry>> pages) {
            this.pages = pages;
        }

        @Override
        @Nullable
        Entry read() {
            if (page.isEmpty() && start.isPresent()) {
                page.addAll(pages.apply(new KeyRange(start.get(), range.end())));
                start = page.isEmpty() ? Optional.empty() : page.getLast().key().successor();
            }
            return page.poll();
        }
    }
}
