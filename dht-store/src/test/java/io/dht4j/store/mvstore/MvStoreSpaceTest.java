package io.dht4j.store.mvstore;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.spi.Entry;
import io.dht4j.spi.StoreSpace;
import io.dht4j.store.disk.Disk;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a store reports about its size and its room. */
class MvStoreSpaceTest {

    private static final int ENTRIES = 2_000;
    private static final int VALUE_BYTES = 1_000;

    @TempDir
    Path directory;

    private static List<Entry> entries() {
        return IntStream.range(0, ENTRIES)
                .mapToObj(i -> Entry.value(Key.of("key" + i), new Version(1), new byte[VALUE_BYTES], Entry.NEVER))
                .toList();
    }

    private static void assertSize(StoreSpace space) {
        assertThat(space.usedBytes()).isBetween((long) ENTRIES * VALUE_BYTES, 2L * ENTRIES * VALUE_BYTES);
    }

    @Test
    void theSizeIsThatOfTheEntriesBeforeAndAfterTheMerge() {
        try (MvStore store = MvStore.open(directory, MvStoreOptions.defaults())) {
            assertThat(store.space().orElseThrow().usedBytes()).isLessThan(100_000);
            store.apply(entries());
            assertSize(store.space().orElseThrow());
            store.settle();
            assertSize(store.space().orElseThrow());
        }
        try (MvStore store = MvStore.open(directory, MvStoreOptions.defaults())) {
            assertSize(store.space().orElseThrow());
        }
    }

    @Test
    void theRoomIsThatOfTheDisk() {
        Disk disk = new Disk() {
            @Override
            public long usableBytes(Path any) {
                return 12_345;
            }
        };
        try (MvStore store = MvStore.open(directory, MvStoreOptions.defaults(), disk)) {
            assertThat(store.space().orElseThrow().freeBytes()).isEqualTo(12_345);
        }
    }
}
