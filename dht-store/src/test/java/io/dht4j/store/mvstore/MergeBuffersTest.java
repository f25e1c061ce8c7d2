package io.dht4j.store.mvstore;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.spi.Entry;
import io.dht4j.spi.Store;
import io.dht4j.store.mvstore.internal.map.MapBuffers;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What bringing a table into the map leaves to the collector. */
@Tag("full")
class MergeBuffersTest {

    private static final int TABLE_BYTES = 32 << 20;

    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(ints = {100, 1 << 10, 16 << 10, 256 << 10})
    void mergeCommitsReuseFewBuffersForAnyValueSize(int valueBytes) {
        MapBuffers disk = new MapBuffers();
        try (Store store = MvStore.open(directory, MvStoreOptions.defaults(), disk)) {
            fillAndMerge(store, valueBytes, 1);
            disk.seen.clear();
            fillAndMerge(store, valueBytes, 2);
        }
        // The first commits, before the ratio of memory to file is known, may need larger ones.
        assertThat(disk.seen).hasSizeBetween(1, 3);
    }

    private static void fillAndMerge(Store store, int valueBytes, long version) {
        byte[] value = new byte[valueBytes];
        new SplittableRandom(version).nextBytes(value);
        for (int i = 0; i < TABLE_BYTES / (valueBytes + 100); i++) {
            store.apply(List.of(Entry.value(Key.of("key-" + i), new Version(version), value.clone(), Entry.NEVER)));
        }
        store.settle();
    }
}
