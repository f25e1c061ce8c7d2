package io.dht4j.store.mvstore;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.spi.Entry;
import io.dht4j.spi.Store;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What single entries in memory tell: by themselves, and in front of a store's map. */
class EntryCacheTest {

    private static final Key KEY = Key.of("key");

    @TempDir
    Path directory;

    private static Entry entry(long version) {
        return Entry.value(KEY, new Version(version), new byte[] {(byte) version}, Entry.NEVER);
    }

    private static Store.Held held(Entry entry) {
        return new Store.Held(Optional.of(entry));
    }

    @Test
    void what_was_read_before_a_change_is_not_kept_after_it() {
        EntryCache cache = new EntryCache(1 << 20);
        long stamp = cache.stamp(KEY);
        cache.changed(entry(2));

        cache.keep(KEY, Optional.of(entry(1)), stamp);

        assertThat(cache.get(KEY)).isNull();
    }

    @Test
    void a_change_replaces_what_is_kept_and_brings_in_nothing_else() {
        EntryCache cache = new EntryCache(1 << 20);
        cache.changed(entry(1));
        assertThat(cache.get(KEY)).isNull();
        cache.keep(KEY, Optional.of(entry(1)), cache.stamp(KEY));
        assertThat(cache.get(KEY)).isEqualTo(held(entry(1)));

        cache.changed(entry(2));
        assertThat(cache.get(KEY)).isEqualTo(held(entry(2)));

        cache.changed(KEY);
        assertThat(cache.get(KEY)).isNull();
    }

    @Test
    void it_keeps_no_more_than_fits() {
        EntryCache cache = new EntryCache(100_000);
        for (int i = 0; i < 1000; i++) {
            Key key = Key.of("key-" + i);
            Entry entry = Entry.value(key, new Version(1), new byte[1000], Entry.NEVER);
            cache.keep(key, Optional.of(entry), cache.stamp(key));
        }
        int kept = 0;
        for (int i = 0; i < 1000; i++) {
            kept += cache.get(Key.of("key-" + i)) == null ? 0 : 1;
        }
        assertThat(kept).isBetween(1, 100);
    }

    @Test
    void a_store_tells_from_memory_what_was_read_and_what_is_newer() {
        try (Store store = MvStore.open(directory, MvStoreOptions.defaults())) {
            store.apply(List.of(entry(1)));
            store.settle();
            assertThat(store.getFromMemory(KEY)).isEmpty();
            assertThat(store.get(KEY)).contains(entry(1));
            assertThat(store.getFromMemory(KEY)).contains(held(entry(1)));

            store.apply(List.of(entry(3)));
            assertThat(store.getFromMemory(KEY)).contains(held(entry(3)));
            store.settle();
            assertThat(store.getFromMemory(KEY)).contains(held(entry(3)));

            store.apply(List.of(entry(2)));
            assertThat(store.getFromMemory(KEY)).contains(held(entry(3)));
            store.apply(List.of(Entry.tombstone(KEY, new Version(4))));
            assertThat(store.purge(any -> true)).isEqualTo(1);
            assertThat(store.getFromMemory(KEY)).isEmpty();
            assertThat(store.get(KEY)).isEmpty();
            assertThat(store.getFromMemory(KEY)).contains(new Store.Held(Optional.empty()));
        }
    }

    @Test
    void what_has_not_been_merged_is_told_from_memory_once_it_was_read() {
        try (Store store = MvStore.open(directory, MvStoreOptions.defaults())) {
            store.apply(List.of(entry(1)));
            assertThat(store.getFromMemory(KEY)).isEmpty();
            assertThat(store.get(KEY)).contains(entry(1));
            assertThat(store.getFromMemory(KEY)).contains(held(entry(1)));

            store.settle();
            assertThat(store.getFromMemory(KEY)).contains(held(entry(1)));
        }
    }

    @Test
    void that_a_key_was_absent_is_forgotten_when_it_comes() {
        EntryCache cache = new EntryCache(1 << 20);
        cache.keep(KEY, Optional.empty(), cache.stamp(KEY));
        assertThat(cache.get(KEY)).isEqualTo(new Store.Held(Optional.empty()));

        cache.changed(entry(1));
        assertThat(cache.get(KEY)).isEqualTo(held(entry(1)));
    }

    @Test
    void without_room_nothing_is_told_from_memory() {
        try (Store store = MvStore.open(directory, MvStoreOptions.defaults().withEntryCacheBytes(0))) {
            store.apply(List.of(entry(1)));
            store.settle();
            assertThat(store.get(KEY)).contains(entry(1));
            assertThat(store.getFromMemory(KEY)).isEmpty();
        }
    }
}
