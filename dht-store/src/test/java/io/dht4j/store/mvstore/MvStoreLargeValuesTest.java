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
import io.dht4j.store.log.LogFormat;
import io.dht4j.store.mvstore.internal.map.MapContent;
import io.dht4j.testkit.SearchEffort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Values that are kept in fragments: complete in every read, and removed with the entry. */
class MvStoreLargeValuesTest extends MvStoreFaults {

    private static final int[] SIZES = {
        0, 10, MapContent.FRAGMENT_BYTES, MapContent.FRAGMENT_BYTES + 1, 3 * MapContent.FRAGMENT_BYTES, 700_000
    };

    private final SplittableRandom random = new SplittableRandom(20_261_125);
    private final Map<Key, Entry> model = new TreeMap<>();
    private long version = 1;

    private Entry entry() {
        Key key = Key.of("key-" + random.nextInt(6));
        Version next = new Version(version++);
        if (random.nextInt(5) == 0) {
            return Entry.tombstone(key, next);
        }
        byte[] value = new byte[SIZES[random.nextInt(SIZES.length)]];
        random.nextBytes(value);
        return Entry.value(key, next, value, Entry.NEVER);
    }

    private void write(MvStore store) {
        Entry entry = entry();
        store.apply(List.of(entry));
        model.put(entry.key(), entry);
    }

    private void assertHolds(MvStore store) {
        Map<Key, Entry> shown = new TreeMap<>();
        try (EntryCursor cursor = store.scan(KeyRange.all())) {
            cursor.forEachRemaining(entry -> shown.put(entry.key(), entry));
        }
        assertThat(shown).isEqualTo(model);
        model.forEach((key, entry) -> assertThat(store.get(key)).contains(entry));
    }

    @Test
    void digestListenerReceivesTheDigestOfALargeValue() {
        try (MvStore store = MvStore.open(directory, MvStoreOptions.defaults())) {
            Entry large =
                    Entry.value(Key.of("key"), new Version(1), new byte[MapContent.FRAGMENT_BYTES + 1], Entry.NEVER);
            Entry larger = Entry.value(
                    Key.of("key"), new Version(2), new byte[2 * MapContent.FRAGMENT_BYTES + 1], Entry.NEVER);
            store.apply(List.of(large));
            store.settle();
            List<Object> reports = new CopyOnWriteArrayList<>();
            store.follow(new ContentListener() {
                        @Override
                        public void added(Entry entry) {
                            reports.add(entry);
                        }

                        @Override
                        public void removed(Entry entry) {
                            reports.add(entry);
                        }

                        @Override
                        public boolean replaced(Version before, int digest, Entry after) {
                            reports.addAll(List.of(before, digest, after));
                            return true;
                        }
                    })
                    .close();
            store.apply(List.of(larger));
            store.settle();
            assertThat(reports).containsExactly(large.version(), large.digest(), larger);
        }
    }

    @ParameterizedTest
    @EnumSource(Durability.class)
    void supersededLargeValuesLeaveNoFragments(Durability durability) {
        for (int round = 0; round < 3; round++) {
            try (MvStore store = open(small(durability))) {
                RecordingListener listener = new RecordingListener().begin(store);
                for (int i = 0; i < 60; i++) {
                    write(store);
                    if (random.nextInt(10) == 0) {
                        store.settle();
                        assertHolds(store);
                    }
                }
                listener.assertMatches(store);
                assertHolds(store);
            }
        }
        try (MvStore store = open(small(durability))) {
            assertHolds(store);
            for (Key key : model.keySet()) {
                store.apply(List.of(Entry.tombstone(key, new Version(version++))));
            }
            store.settle();
            assertThat(store.purge(new Version(version), 0)).isEqualTo(model.size());
        }
        assertThat(MapContent.fragments(directory)).isZero();
    }

    @Test
    @Tag("search")
    void largeValuesRecoverFromWriteFailures() throws Exception {
        AtomicBoolean fails = new AtomicBoolean();
        try (MvStore store = open(small(Durability.OS))) {
            disk.failWrites(path ->
                    fails.get() && FailingDisk.isMap(path) && random.split().nextInt(4) == 0);
            RecordingListener listener = new RecordingListener().begin(store);
            for (int i = 0; i < SearchEffort.of(4); i++) {
                fails.set(true);
                for (int j = 0; j < 20; j++) {
                    Entry entry = entry();
                    try {
                        store.apply(List.of(entry));
                        model.put(entry.key(), entry);
                    } catch (StoreException e) {
                        assertThat(e).hasMessageContaining("No space left on device");
                    }
                }
                fails.set(false);
                awaitWritable(store);
                store.settle();
                assertHolds(store);
            }
            listener.assertMatches(store);
            for (Key key : model.keySet()) {
                store.apply(List.of(Entry.tombstone(key, new Version(version++))));
            }
            store.settle();
            store.purge(new Version(version), 0);
        }
        assertThat(MapContent.fragments(directory)).isZero();
    }

    /** As one page, as files of before have them. */
    @Test
    void aLargeValueThatIsNotInPiecesIsReadAndSuperseded() {
        Key key = Key.of("key");
        byte[] value = new byte[2_000_000];
        random.nextBytes(value);
        Entry before = Entry.value(key, new Version(5), value, Entry.NEVER);
        open(small(Durability.OS)).close();
        MapContent.putWhole(directory, before);

        Entry after = Entry.value(key, new Version(6), value, Entry.NEVER);
        try (MvStore store = open(small(Durability.OS))) {
            assertThat(store.get(key)).contains(before);
            store.apply(List.of(after));
            store.settle();
            assertThat(store.get(key)).contains(after);
        }
        assertThat(MapContent.fragments(directory))
                .isEqualTo((value.length + MapContent.FRAGMENT_BYTES - 1) / MapContent.FRAGMENT_BYTES);
    }

    @Test
    void scanContinuesPastAPurgedLargeValue() throws Exception {
        Key large = Key.of("a large value, before the others");
        try (MvStore store = open(small(Durability.OS))) {
            put(store, 500);
            store.apply(List.of(Entry.value(large, new Version(1), new byte[2 << 20], Entry.NEVER)));
            store.settle();
        }
        // Opened again, so that the pages are read from the disk.
        try (MvStore store = open(small(Durability.OS))) {
            AtomicBoolean reading = new AtomicBoolean();
            AtomicBoolean purged = new AtomicBoolean();
            CompletableFuture<List<Key>> scanned = new CompletableFuture<>();
            Thread scan = new Thread(() -> scanned.completeAsync(() -> keys(store), Runnable::run), "scan");
            disk.holdMapReads(() -> {
                if (Thread.currentThread() != scan) {
                    return false;
                }
                reading.set(true);
                return !purged.get();
            });
            scan.start();
            await("the scan has begun to read the map", reading::get);

            assertThat(store.purge(entry -> entry.key().equals(large))).isEqualTo(1);
            purged.set(true);

            assertThat(scanned.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .containsExactlyElementsOf(acknowledged.keySet());
        }
    }

    @Test
    void fragmentsWhoseEntryIsLostInAPowerFailureAreRemoved() throws Exception {
        Key key = Key.of("key");
        try (MvStore store = open(small(Durability.OS))) {
            store.apply(List.of(Entry.value(key, new Version(1), new byte[10], Entry.NEVER)));
            store.settle();
            // The first fragments are written, the others are not.
            AtomicInteger writes = new AtomicInteger();
            disk.failWrites(path -> FailingDisk.isMap(path) && writes.incrementAndGet() > 8);
            store.apply(List.of(Entry.value(key, new Version(2), new byte[12 << 20], Entry.NEVER)));
            assertThatThrownBy(store::settle).isInstanceOf(StoreException.class);
        }
        disk.heal();
        assertThat(MapContent.fragments(directory)).isPositive();
        forgetLog();

        try (MvStore store = open(small(Durability.OS))) {
            assertThat(store.get(key)).map(Entry::version).contains(new Version(1));
            store.apply(List.of(Entry.value(Key.of("other"), new Version(3), new byte[10], Entry.NEVER)));
            store.settle();
            assertThat(store.get(key)).map(Entry::version).contains(new Version(1));
        }
        assertThat(MapContent.fragments(directory)).isZero();
    }

    /** What was written to the log and not merged did not reach the disk. */
    private void forgetLog() throws IOException {
        Files.deleteIfExists(directory.resolve("CLOSED"));
        List<Path> log = new ArrayList<>();
        try (Stream<Path> files = Files.list(directory)) {
            files.filter(FailingDisk::isLog)
                    .sorted(Comparator.comparingLong(MvStoreLargeValuesTest::number))
                    .forEach(log::add);
        }
        byte[] first = Files.readAllBytes(log.get(0));
        Files.write(log.get(0), Arrays.copyOf(first, LogFormat.SEGMENT_HEADER_BYTES));
        for (Path later : log.subList(1, log.size())) {
            Files.delete(later);
        }
    }

    private static long number(Path segment) {
        String name = segment.getFileName().toString();
        return Long.parseLong(name.substring("log-".length(), name.length() - ".seg".length()));
    }

    private static List<Key> keys(MvStore store) {
        List<Key> keys = new ArrayList<>();
        try (EntryCursor cursor = store.scan(KeyRange.all())) {
            cursor.forEachRemaining(entry -> keys.add(entry.key()));
        }
        return keys;
    }
}
