package io.dht4j.store.mvstore;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.spi.Entry;
import io.dht4j.spi.Store;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What bringing a table into the map, and tidying the map up, leave to the collector. */
class MergeBuffersTest {

    private static final int TABLE_BYTES = 32 << 20;

    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(ints = {100, 1 << 10, 16 << 10, 256 << 10})
    void commits_of_a_merge_write_out_of_few_buffers_whatever_the_size_of_values(int valueBytes) {
        Buffers disk = new Buffers();
        try (Store store = MvStore.open(directory, MvStoreOptions.defaults(), disk)) {
            fillAndMerge(store, valueBytes, 1);
            disk.seen.clear();
            fillAndMerge(store, valueBytes, 2);
        }
        // The first commits, before the ratio of memory to file is known, may need larger ones.
        assertThat(disk.seen).hasSizeBetween(1, 3);
    }

    @ParameterizedTest
    @ValueSource(ints = {100, 16 << 10})
    void tidying_writes_out_of_few_buffers_and_so_much_at_a_time(int valueBytes) throws IOException {
        Buffers disk = new Buffers();
        Path file = directory.resolve("data.mv");
        int count = TABLE_BYTES / (valueBytes + 100);
        try (EntryMap map =
                EntryMap.open(file, disk, Durability.OS, 8 << 20, new EntryCache(1 << 20), new Health(directory))) {
            map.setRetentionMillis(0);
            merge(map, valueBytes, count, 1, 1);
            // Half of what is in the file becomes outdated, here and there.
            for (int version = 2; version <= 4; version++) {
                merge(map, valueBytes, count, 3, version);
            }
            long before = Files.size(file);
            Set<byte[]> buffers = Collections.newSetFromMap(new IdentityHashMap<>());
            AtomicLong steps = new AtomicLong();
            for (long tidied = -1; tidied != steps.get(); ) {
                tidied = steps.get();
                long written = disk.written.get();
                disk.seen.clear();
                map.settle(began -> {
                    // What is moved into gaps comes after it, out of what it was read into.
                    buffers.addAll(disk.seen);
                    steps.addAndGet(disk.seen.isEmpty() ? 0 : 1);
                    return true;
                });
                // A step more than what is meant to be rewritten, and what is moved into gaps.
                assertThat(disk.written.get() - written).isLessThan(64 << 20);
            }
            assertThat(Files.size(file)).isLessThan(before).isLessThan(2L * TABLE_BYTES);
            assertThat(buffers).hasSizeBetween(1, 8);
            assertThat(map.size()).isEqualTo(count);
        }
    }

    @Test
    void tidying_ends_where_something_more_urgent_waits() throws IOException {
        int count = TABLE_BYTES / 1000;
        try (EntryMap map = EntryMap.open(
                directory.resolve("data.mv"),
                new Buffers(),
                Durability.OS,
                8 << 20,
                new EntryCache(1 << 20),
                new Health(directory))) {
            map.setRetentionMillis(0);
            merge(map, 900, count, 1, 1);
            for (int version = 2; version <= 4; version++) {
                merge(map, 900, count, 3, version);
            }
            AtomicLong steps = new AtomicLong();
            map.settle(began -> steps.incrementAndGet() < 2);
            assertThat(steps).hasValue(2);
        }
    }

    private static void merge(EntryMap map, int valueBytes, int count, int every, long version) {
        byte[] value = new byte[valueBytes];
        new SplittableRandom(version).nextBytes(value);
        for (int i = 0; i < count; i += every) {
            map.merge(Entry.value(Key.of("key-%08d".formatted(i)), new Version(version), value.clone(), Entry.NEVER));
        }
        map.finishSegment(version, new Version(version));
    }

    private static void fillAndMerge(Store store, int valueBytes, long version) {
        byte[] value = new byte[valueBytes];
        new SplittableRandom(version).nextBytes(value);
        for (int i = 0; i < TABLE_BYTES / (valueBytes + 100); i++) {
            store.apply(List.of(Entry.value(Key.of("key-" + i), new Version(version), value.clone(), Entry.NEVER)));
        }
        store.settle();
    }

    /** Remembers out of which arrays larger pieces of the map were written, and how much. */
    private static final class Buffers extends Disk {

        final AtomicLong written = new AtomicLong();
        final Set<byte[]> seen = Collections.synchronizedSet(Collections.newSetFromMap(new IdentityHashMap<>()));

        @Override
        void write(RandomAccessFile file, Path path, byte[] bytes, int from, int length) throws IOException {
            super.write(file, path, bytes, from, length);
            written.addAndGet(length);
            if (FailingDisk.isMap(path) && bytes.length > 1 << 16) {
                seen.add(bytes);
            }
        }
    }
}
