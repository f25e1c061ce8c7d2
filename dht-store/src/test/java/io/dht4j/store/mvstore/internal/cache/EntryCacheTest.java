package io.dht4j.store.mvstore.internal.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.spi.Entry;
import io.dht4j.spi.Store;
import io.dht4j.store.mvstore.MvStore;
import io.dht4j.store.mvstore.MvStoreOptions;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What single entries in memory tell: by themselves, and in front of a store. */
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
    void entryReadBeforeAChangeIsNotCached() {
        EntryCache cache = new EntryCache(1 << 20);
        long stamp = cache.stamp(KEY);
        apply(cache, entry(2));

        cache.keep(KEY, Optional.of(entry(1)), true, stamp);

        assertThat(cache.get(KEY)).isNull();
    }

    @Test
    void changeReplacesOlderCachedEntriesOnly() {
        EntryCache cache = new EntryCache(1 << 20);
        apply(cache, entry(1));
        assertThat(cache.get(KEY)).isNull();
        cache.keep(KEY, Optional.of(entry(1)), true, cache.stamp(KEY));
        assertThat(cache.get(KEY)).isEqualTo(held(entry(1)));

        apply(cache, entry(3));
        assertThat(cache.get(KEY)).isEqualTo(held(entry(3)));
        apply(cache, entry(2));
        assertThat(cache.get(KEY)).isEqualTo(held(entry(3)));

        cache.removed(KEY);
        assertThat(cache.get(KEY)).isNull();
    }

    @Test
    void entryReadDuringAChangeIsNotCached() {
        EntryCache cache = new EntryCache(1 << 20);
        long before = cache.stamp(KEY);
        cache.apply(entry(2), put -> {
            long during = cache.stamp(KEY);
            cache.keep(KEY, Optional.of(entry(1)), true, before);
            cache.keep(KEY, Optional.of(entry(1)), true, during);
            assertThat(cache.get(KEY)).isNull();
            cache.keep(KEY, Optional.of(entry(2)), true, during);
            assertThat(cache.get(KEY)).isNull();
        });
    }

    @Test
    void readOfANewerEntryEvictsTheCachedOne() {
        EntryCache cache = new EntryCache(1 << 20);
        cache.keep(KEY, Optional.of(entry(1)), true, cache.stamp(KEY));
        long stamp = cache.stamp(KEY);
        cache.apply(entry(2), put -> {
            cache.keep(KEY, Optional.of(entry(2)), true, stamp);
            assertThat(cache.get(KEY)).isNull();
            cache.keep(KEY, Optional.of(entry(1)), true, stamp);
            assertThat(cache.get(KEY)).isNull();
        });
    }

    @Test
    void uncertainNewerEntryOnlyEvictsTheCachedOne() {
        EntryCache cache = new EntryCache(1 << 20);
        cache.keep(KEY, Optional.of(entry(2)), true, cache.stamp(KEY));
        cache.keep(KEY, Optional.of(entry(1)), false, cache.stamp(KEY));
        assertThat(cache.get(KEY)).isEqualTo(held(entry(2)));

        cache.keep(KEY, Optional.of(entry(3)), false, cache.stamp(KEY));
        assertThat(cache.get(KEY)).isNull();
        cache.keep(KEY, Optional.of(entry(3)), false, cache.stamp(KEY));
        assertThat(cache.get(KEY)).isNull();
    }

    @Test
    void readDuringAChangeEvictsAbsence() {
        EntryCache cache = new EntryCache(1 << 20);
        cache.keep(KEY, Optional.empty(), true, cache.stamp(KEY));
        long stamp = cache.stamp(KEY);
        cache.apply(entry(1), put -> {
            cache.keep(KEY, Optional.of(entry(1)), true, stamp);
            assertThat(cache.get(KEY)).isNull();
            cache.keep(KEY, Optional.empty(), true, stamp);
            assertThat(cache.get(KEY)).isNull();
        });
    }

    @Test
    void entryReadBeforeARemovalIsNotCached() {
        EntryCache cache = new EntryCache(1 << 20);
        long stamp = cache.stamp(KEY);
        cache.removed(KEY);
        cache.keep(KEY, Optional.empty(), true, cache.stamp(KEY));

        Optional<Entry> gone = Optional.of(Entry.tombstone(KEY, new Version(5)));
        cache.keep(KEY, gone, true, stamp);
        assertThat(cache.get(KEY)).isNull();
        cache.keep(KEY, Optional.of(entry(3)), true, cache.stamp(KEY));
        cache.keep(KEY, gone, true, stamp);
        assertThat(cache.get(KEY)).isNull();
    }

    @Test
    void failedChangeEvictsTheEntry() {
        EntryCache cache = new EntryCache(1 << 20);
        cache.keep(KEY, Optional.of(entry(1)), true, cache.stamp(KEY));

        assertThatIllegalStateException()
                .isThrownBy(() -> cache.apply(entry(2), put -> {
                    throw new IllegalStateException("full");
                }));

        assertThat(cache.get(KEY)).isNull();
        cache.keep(KEY, Optional.of(entry(1)), true, cache.stamp(KEY));
        assertThat(cache.get(KEY)).isEqualTo(held(entry(1)));
    }

    /**
     * A small cache, so that entries come and go; a reader's answer is never older than one that was there before it
     * asked.
     */
    @Test
    void readersAtTheSameTimeNeverContradictEachOther() throws Exception {
        EntryCache cache = new EntryCache(1000);
        List<Key> keys = IntStream.range(0, 8).mapToObj(i -> Key.of("key-" + i)).toList();
        Map<Key, Entry> store = new ConcurrentHashMap<>();
        Map<Key, AtomicLong> seen = new HashMap<>();
        keys.forEach(key -> seen.put(key, new AtomicLong()));
        AtomicBoolean writing = new AtomicBoolean(true);
        CountDownLatch reading = new CountDownLatch(4);
        Callable<Long> reader = () -> {
            SplittableRandom random =
                    new SplittableRandom(Thread.currentThread().getId());
            long fromCache = 0;
            reading.countDown();
            while (writing.get()) {
                Key key = keys.get(random.nextInt(keys.size()));
                long least = seen.get(key).get();
                Store.Held known = cache.get(key);
                Optional<Entry> found;
                if (known != null) {
                    fromCache++;
                    found = known.entry();
                } else {
                    long stamp = cache.stamp(key);
                    found = Optional.ofNullable(store.get(key));
                    cache.keep(key, found, true, stamp);
                }
                long version = found.map(entry -> entry.version().packed()).orElse(0L);
                assertThat(version).isGreaterThanOrEqualTo(least);
                seen.get(key).accumulateAndGet(version, Math::max);
            }
            return fromCache;
        };
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Future<Long>> readers =
                    Stream.generate(() -> threads.submit(reader)).limit(4).toList();
            assertThat(reading.await(60, TimeUnit.SECONDS)).isTrue();
            for (int version = 1; version <= 200_000; version++) {
                Key key = keys.get(version % keys.size());
                Entry entry = Entry.value(key, new Version(version), new byte[10], Entry.NEVER);
                cache.apply(entry, put -> store.put(key, put));
                // Every later read sees an applied entry.
                seen.get(key).accumulateAndGet(version, Math::max);
            }
            writing.set(false);
            long fromCache = 0;
            for (Future<Long> each : readers) {
                fromCache += each.get(60, TimeUnit.SECONDS);
            }
            assertThat(fromCache).isPositive();
        } finally {
            writing.set(false);
            threads.shutdownNow();
        }
    }

    private static void apply(EntryCache cache, Entry entry) {
        cache.apply(entry, put -> {});
    }

    @Test
    void cacheStaysWithinItsSize() {
        EntryCache cache = new EntryCache(100_000);
        for (int i = 0; i < 1000; i++) {
            Key key = Key.of("key-" + i);
            Entry entry = Entry.value(key, new Version(1), new byte[1000], Entry.NEVER);
            cache.keep(key, Optional.of(entry), true, cache.stamp(key));
        }
        int kept = 0;
        for (int i = 0; i < 1000; i++) {
            kept += cache.get(Key.of("key-" + i)) == null ? 0 : 1;
        }
        assertThat(kept).isBetween(1, 100);
    }

    @Test
    void storeServesReadAndNewerEntriesFromMemory() {
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
    void unmergedEntryIsInMemoryOnceRead() {
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
    void cachedAbsenceEndsWithTheFirstWrite() {
        EntryCache cache = new EntryCache(1 << 20);
        cache.keep(KEY, Optional.empty(), true, cache.stamp(KEY));
        assertThat(cache.get(KEY)).isEqualTo(new Store.Held(Optional.empty()));

        apply(cache, entry(1));
        assertThat(cache.get(KEY)).isEqualTo(held(entry(1)));
    }

    @Test
    void cacheWithoutRoomServesNothing() {
        try (Store store = MvStore.open(directory, MvStoreOptions.defaults().withEntryCacheBytes(0))) {
            store.apply(List.of(entry(1)));
            store.settle();
            assertThat(store.get(KEY)).contains(entry(1));
            assertThat(store.getFromMemory(KEY)).isEmpty();
        }
    }
}
