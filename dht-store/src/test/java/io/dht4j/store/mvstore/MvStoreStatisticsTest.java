package io.dht4j.store.mvstore;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Key;
import io.dht4j.StoreStatistics;
import io.dht4j.Version;
import io.dht4j.spi.Entry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a durable store counts, and reports to the Flight Recorder. */
class MvStoreStatisticsTest {

    private static final int ENTRIES = 2000;
    private static final byte[] VALUE = new byte[1000];

    /** Tables that are full after a tenth of the entries, so that writers wait for merges. */
    private static final MvStoreOptions TINY = MvStoreOptions.defaults()
            .withDurability(Durability.FSYNC)
            .withMemtableBytes(MvStoreOptions.MIN_MEMTABLE_BYTES)
            .withCacheBytes(MvStoreOptions.MIN_CACHE_BYTES)
            .withMaxFrozen(1);

    @TempDir
    private Path directory;

    private static Key key(int i) {
        return Key.of("key-" + i);
    }

    /** Writes groups of 20, and reads two keys twice. */
    private static void use(MvStore store) {
        for (int i = 0; i < ENTRIES; i += 20) {
            int from = i;
            store.apply(IntStream.range(from, from + 20)
                    .mapToObj(n -> Entry.value(key(n), new Version(n + 1L), VALUE, Entry.NEVER))
                    .toList());
        }
        store.settle();
        for (int i = 0; i < 2; i++) {
            store.get(key(1));
            store.get(key(2));
        }
    }

    @Test
    void theWorkOfTheStoreIsCounted() {
        try (MvStore store = MvStore.open(directory.resolve("store"), TINY)) {
            use(store);
            StoreStatistics statistics = store.statistics().orElseThrow();

            assertThat(statistics.commits().count()).isEqualTo(ENTRIES / 20);
            assertThat(statistics.commits().bytes()).isGreaterThan(ENTRIES * 1000L);
            assertThat(statistics.commits().nanos()).isPositive();
            assertThat(statistics.fsyncs().count())
                    .isGreaterThanOrEqualTo(statistics.commits().count());
            assertThat(statistics.fsyncs().nanos()).isPositive();
            assertThat(statistics.merges().count()).isPositive();
            assertThat(statistics.merges().bytes()).isGreaterThan(ENTRIES * 1000L);
            assertThat(statistics.mapBytes())
                    .isEqualTo(directory.resolve("store/data.mv").toFile().length());
            assertThat(statistics.logBytes()).isPositive().isLessThan(ENTRIES * 1000L);
            assertThat(statistics.tables().used()).isZero();
            assertThat(statistics.entryCache().orElseThrow().hits()).isEqualTo(2);
            assertThat(statistics.entryCache().orElseThrow().misses()).isEqualTo(2);
            assertThat(statistics.entryCache().orElseThrow().memory().used()).isPositive();
            assertThat(statistics.pageCache().orElseThrow().reads()).isPositive();
        }
    }

    @Test
    void mergesAreEventsOfTheFlightRecorder() throws Exception {
        Path file = directory.resolve("recording.jfr");
        try (Recording recording = new Recording()) {
            recording.enable("io.dht4j.StoreMerge").withoutThreshold();
            recording.enable("io.dht4j.StoreWriteStall").withoutThreshold();
            recording.start();
            try (MvStore store = MvStore.open(directory.resolve("store"), TINY)) {
                use(store);
                assertThat(store.statistics().orElseThrow().writeStalls().count())
                        .isPositive();
            }
            recording.stop();
            recording.dump(file);
        }
        assertThat(Files.size(file)).isPositive();
        List<RecordedEvent> events = RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().startsWith("io.dht4j."))
                .toList();
        Set<String> names =
                events.stream().map(event -> event.getEventType().getName()).collect(Collectors.toSet());
        assertThat(names).contains("io.dht4j.StoreMerge", "io.dht4j.StoreWriteStall");
        assertThat(events).allSatisfy(event -> {
            assertThat(event.getEventType().getCategoryNames()).containsExactly("dht4j", "Store");
            assertThat(event.getEventType().getDescription()).isNotBlank();
            assertThat(event.getString("store"))
                    .isEqualTo(directory.resolve("store").toString());
            assertThat(event.getDuration()).isPositive();
        });
        assertThat(events)
                .filteredOn(event -> event.getEventType().getName().equals("io.dht4j.StoreMerge"))
                .allSatisfy(event -> assertThat(event.getLong("writtenBytes")).isPositive());
    }
}
