package io.dht4j.store.mvstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.Key;
import io.dht4j.Version;
import io.dht4j.spi.Entry;
import io.dht4j.spi.StoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a store does with a log that does not fit into the memory that its options allow. */
@Tag("jdk")
class MvStoreReplayTest extends MvStoreFaults {

    /** What a log of some hundred entries does not fit into. */
    private static final MvStoreOptions TINY =
            small(Durability.OS).withMaxFrozen(1).withEntryCacheBytes(0);

    private static final MvStoreOptions TWO_MEGABYTES =
            small(Durability.OS).withMemtableBytes(2 << 20).withMaxFrozen(1);

    private void writeLog(int entries) {
        try (MvStore store = open(MvStoreOptions.defaults())) {
            put(store, entries);
        }
    }

    private void assertIsReplayedAndMerged(int keys, int valueBytes, String heap) throws Exception {
        try (MvStore store = open(MvStoreOptions.defaults().withMemtableBytes(2L * keys * valueBytes))) {
            byte[] value = new byte[valueBytes];
            for (int i = 0; i < keys; i++) {
                store.apply(List.of(Entry.value(ReadingProcess.key(i), new Version(1 + i), value, Entry.NEVER)));
            }
        }
        try (ChildJvm child =
                ChildJvm.startWithHeap(heap, ReadingProcess.class, directory.toString(), String.valueOf(keys))) {
            assertThat(child.readLine()).isEqualTo("found " + keys);
        }
    }

    @Test
    void aLogIsReplayedAndMergedInAHeapThatDoesNotHoldIt() throws Exception {
        // Large enough to be alone in their frames.
        assertIsReplayedAndMerged(60, (1 << 20) + (1 << 19), "64m");
    }

    @Test
    @Tag("full")
    void logOfLargestValuesIsReplayedInASmallHeap() throws Exception {
        assertIsReplayedAndMerged(8, 16 << 20, "128m");
    }

    @Test
    void entriesMergedDuringReplayKeepTheirVersions() {
        writeLog(600);
        try (MvStore store = open(TINY)) {
            assertNothingLost(store);
            for (Map.Entry<Key, Entry> held : acknowledged.entrySet()) {
                Version version = held.getValue().version();
                // Newer than anything that was merged before the store was opened.
                Entry late = Entry.tombstone(held.getKey(), new Version(version.packed() - 1));
                assertThat(store.applyAndGetVersions(List.of(late))).containsExactly(version);
            }
            assertThat(store.newestAtOpen()).isEqualTo(new Version(600));
        }
    }

    @Test
    void listenerMatchesTheStoreAfterAReplay() {
        writeLog(600);
        try (MvStore store = open(TINY)) {
            RecordingListener listener = new RecordingListener().begin(store);
            put(store, 300);
            listener.assertMatches(store);
        }
        try (MvStore store = open(TINY)) {
            assertNothingLost(store);
        }
    }

    /** So many bytes that they cannot all be merged without a write to the map. */
    private List<Entry> writeLargeLog(int entries) {
        List<Entry> written = new ArrayList<>();
        for (int i = 0; i < entries; i++) {
            written.add(Entry.value(Key.of("key-" + i), new Version(1 + i), new byte[10_000], Entry.NEVER));
        }
        try (MvStore store = open(MvStoreOptions.defaults())) {
            store.apply(written);
        }
        return written;
    }

    @Test
    void aLogOfTheSizeThatARestartMayLeaveIsReadOnAFullDisk() {
        // More than two tables, which are merged down to that where they can be, and less than three.
        List<Entry> entries = writeLargeLog(500);
        disk.fill();
        try (MvStore store = open(TWO_MEGABYTES)) {
            for (Entry entry : entries) {
                assertThat(store.get(entry.key())).contains(entry);
            }
            assertThat(store.problems()).hasSize(1);
        }
    }

    @Test
    void logThatExceedsMemoryAndDiskIsRefusedWithBothRemedies() {
        List<Entry> entries = writeLargeLog(800);
        disk.fill();
        assertThatThrownBy(() -> open(TWO_MEGABYTES))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("-Xmx")
                .hasMessageContaining("make room");
        disk.heal();
        try (MvStore store = open(TWO_MEGABYTES)) {
            for (Entry entry : entries) {
                assertThat(store.get(entry.key())).contains(entry);
            }
        }
    }
}
