package io.dht4j.store.mvstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.Version;
import io.dht4j.spi.ContentListener;
import io.dht4j.spi.Entry;
import io.dht4j.spi.EntryCursor;
import io.dht4j.spi.StoreException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the tests of a store on a failing disk share: a directory on such a disk, and what stores in it have
 * acknowledged.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
abstract class MvStoreFaults {

    static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    Path directory;

    final FailingDisk disk = new FailingDisk(20_261_122);
    final Map<Key, Entry> acknowledged = new TreeMap<>();
    private long next = 1;

    /** Tables so small that they are merged all the time. */
    static MvStoreOptions small(Durability durability) {
        return MvStoreOptions.defaults()
                .withDurability(durability)
                .withMemtableBytes(MvStoreOptions.MIN_MEMTABLE_BYTES)
                .withCacheBytes(MvStoreOptions.MIN_CACHE_BYTES);
    }

    MvStore open(MvStoreOptions options) {
        return MvStore.open(directory, options, disk);
    }

    void put(MvStore store) {
        long number = next++;
        Entry entry = Entry.value(
                Key.of("key-" + number % 500),
                new Version(number),
                ("value " + number + "x".repeat(300)).getBytes(StandardCharsets.UTF_8),
                Entry.NEVER);
        store.apply(List.of(entry));
        acknowledged.put(entry.key(), entry);
    }

    void put(MvStore store, int count) {
        for (int i = 0; i < count; i++) {
            put(store);
        }
    }

    void putUntilRefused(MvStore store) {
        assertThatThrownBy(() -> put(store, 100_000)).isInstanceOf(StoreException.class);
    }

    static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            assertThat(latch.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    static void await(String what, BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as(what).isLessThan(end);
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }

    static void awaitWritable(MvStore store) throws InterruptedException {
        await("it takes writes again", () -> store.problems().isEmpty());
    }

    /** Everything that was acknowledged is there; of a write that failed, what it wrote may be there too. */
    void assertNothingLost(MvStore store) {
        Map<Key, Entry> shown = new TreeMap<>();
        try (EntryCursor cursor = store.scan(KeyRange.all())) {
            cursor.forEachRemaining(entry -> shown.put(entry.key(), entry));
        }
        acknowledged.forEach((key, entry) -> {
            assertThat(shown.get(key)).as("%s", key).isNotNull();
            assertThat(shown.get(key).version()).isGreaterThanOrEqualTo(entry.version());
            assertThat(store.get(key)).contains(shown.get(key));
        });
    }

    /** Records the content of a store: the entries at the beginning, and each change since. */
    static final class RecordingListener implements ContentListener {
        private final Map<Entry, Integer> counts = new ConcurrentHashMap<>();

        @Override
        public void added(Entry entry) {
            counts.merge(entry, 1, Integer::sum);
        }

        @Override
        public void removed(Entry entry) {
            counts.merge(entry, -1, Integer::sum);
        }

        RecordingListener begin(MvStore store) {
            try (EntryCursor held = store.follow(this)) {
                held.forEachRemaining(this::added);
            }
            return this;
        }

        void assertMatches(MvStore store) {
            store.settle();
            Map<Entry, Integer> shown = new HashMap<>();
            try (EntryCursor cursor = store.scan(KeyRange.all())) {
                cursor.forEachRemaining(entry -> shown.put(entry, 1));
            }
            counts.values().removeIf(count -> count == 0);
            assertThat(counts).isEqualTo(shown);
        }
    }
}
