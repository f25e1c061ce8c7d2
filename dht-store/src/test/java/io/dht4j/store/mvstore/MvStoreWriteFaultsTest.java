package io.dht4j.store.mvstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.Key;
import io.dht4j.StoreProblem;
import io.dht4j.Version;
import io.dht4j.spi.ContentListener;
import io.dht4j.spi.Entry;
import io.dht4j.spi.StoreException;
import io.dht4j.testkit.SearchEffort;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What a store does when its disk cannot be written or forced: it refuses writes, is read as before, and loses nothing
 * that it acknowledged.
 */
class MvStoreWriteFaultsTest extends MvStoreFaults {

    private static final Error NO_MEMORY = new OutOfMemoryError("Java heap space, says this test");

    private static void assertRefusesWrites(MvStore store, String why) {
        assertThatThrownBy(() -> store.apply(List.of(Entry.tombstone(Key.of("refused"), new Version(1)))))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("refuses writes")
                .hasMessageContaining(why);
        assertThatThrownBy(() -> store.purge(new Version(1), 0)).isInstanceOf(StoreException.class);
        assertThat(store.problems()).singleElement().satisfies(problem -> {
            assertThat(problem.kind()).isEqualTo(StoreProblem.Kind.WRITES_REFUSED);
            assertThat(problem.message()).contains(why);
            assertThat(problem.since()).isBetween(Instant.ofEpochMilli(1), Instant.now());
        });
    }

    @ParameterizedTest
    @EnumSource(Durability.class)
    @Tag("full")
    void aLogOnAFullDiskTakesNothingUntilThereIsRoomAgain(Durability durability) throws Exception {
        try (MvStore store = open(small(durability))) {
            put(store, 1000);
            disk.failWrites(path -> true);
            putUntilRefused(store);
            assertRefusesWrites(store, "No space left on device");
            assertNothingLost(store);

            disk.heal();
            awaitWritable(store);
            put(store, 1000);
            assertNothingLost(store);
        }
        try (MvStore store = open(small(durability))) {
            assertNothingLost(store);
            assertThat(store.get(Key.of("refused"))).isEmpty();
        }
    }

    @Test
    void aMapThatCannotBeWrittenStopsTheWritesAndNotTheReads() throws Exception {
        try (MvStore store = open(small(Durability.OS))) {
            put(store, 2000);
            disk.failWrites(FailingDisk::isMap);
            putUntilRefused(store);
            assertRefusesWrites(store, "data.mv");
            assertNothingLost(store);
            assertThat(store.entries()).isEqualTo(acknowledged.size());

            disk.heal();
            awaitWritable(store);
            put(store, 2000);
            assertNothingLost(store);
        }
        try (MvStore store = open(small(Durability.OS))) {
            assertNothingLost(store);
        }
    }

    @Test
    void closeWithAnUnwritableMapLosesNothing() throws Exception {
        try (MvStore store = open(small(Durability.OS))) {
            put(store, 2000);
            disk.failWrites(FailingDisk::isMap);
            putUntilRefused(store);
        }
        disk.heal();
        try (MvStore store = open(small(Durability.OS))) {
            assertThat(store.problems()).isEmpty();
            assertNothingLost(store);
        }
    }

    @Test
    void aReadOnlyDiskStopsTheWritesUntilItCanBeWrittenAgain() throws Exception {
        MvStore stopped = open(small(Durability.OS));
        put(stopped, 1000);
        disk.makeReadOnly();
        putUntilRefused(stopped);
        assertThat(stopped.problems()).hasSize(1);
        assertNothingLost(stopped);
        assertThatThrownBy(stopped::close).isInstanceOf(StoreException.class);
        disk.heal();
        try (MvStore store = open(small(Durability.OS))) {
            assertNothingLost(store);
            put(store, 100);
        }
    }

    @Test
    void logIsNotWrittenAfterAFailedFsyncBeforeARestart() throws Exception {
        assertLogIsNotWrittenAfterAFailedFsync(
                () -> disk.failSyncs(FailingDisk::isLog),
                "could not be forced to the disk",
                // A second fsync would succeed, and mean nothing.
                "until it is opened again");
    }

    @Test
    void logIsNotWrittenAfterAFailedFsyncWithoutMemory() throws Exception {
        assertLogIsNotWrittenAfterAFailedFsync(
                () -> disk.failSyncsAndSayingSoWith(NO_MEMORY, FailingDisk::isLog),
                "",
                "could not be forced to the disk");
    }

    private void assertLogIsNotWrittenAfterAFailedFsync(Runnable failure, String message, String refusal)
            throws Exception {
        try (MvStore store = open(MvStoreOptions.defaults().withDurability(Durability.FSYNC))) {
            put(store, 10);
            failure.run();
            Entry lost = Entry.tombstone(Key.of("not acknowledged"), new Version(1));
            assertThatThrownBy(() -> store.apply(List.of(lost)))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining(message);
            disk.heal();
            assertThat(store.get(lost.key())).isEmpty();
            assertRefusesWrites(store, refusal);
            assertNothingLost(store);
        }
        try (MvStore store = open(MvStoreOptions.defaults().withDurability(Durability.FSYNC))) {
            assertNothingLost(store);
            put(store, 10);
        }
    }

    @ParameterizedTest
    @EnumSource(Durability.class)
    void mapStaysUntrustedAfterAFailedFsync(Durability durability) throws Exception {
        try (MvStore store = open(small(durability))) {
            put(store, 1000);
            disk.failSyncs(FailingDisk::isMap);
            putUntilRefused(store);
            disk.heal();
            assertRefusesWrites(store, "Rebuild.begin");
            assertNothingLost(store);
        }
        assertThatThrownBy(() -> open(small(durability)))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("UNTRUSTED")
                .hasMessageContaining("data.mv")
                .hasMessageContaining("Rebuild.begin");
        // Without other replicas the remaining entries can still be read.
        Files.delete(directory.resolve("UNTRUSTED"));
        try (MvStore store = open(small(durability))) {
            assertNothingLost(store);
        }
    }

    @Test
    void mapStaysUntrustedAfterAFailedFsyncWithoutMemory() throws Exception {
        try (MvStore store = open(small(Durability.FSYNC))) {
            put(store, 1000);
            disk.failSyncsAndSayingSoWith(NO_MEMORY, FailingDisk::isMap);
            putUntilRefused(store);
            disk.heal();
            assertRefusesWrites(store, "Rebuild.begin");
            assertNothingLost(store);
        }
        assertThatThrownBy(() -> open(small(Durability.FSYNC)))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("UNTRUSTED")
                .hasMessageContaining("data.mv");
    }

    @Test
    void mapStaysUntrustedAfterAFailedFsyncAtClose() {
        MvStore store = open(MvStoreOptions.defaults());
        put(store, 10);
        store.settle();
        disk.failSyncs(FailingDisk::isMap);
        assertThatThrownBy(store::close).isInstanceOf(StoreException.class).hasMessageContaining("Rebuild.begin");
        disk.heal();
        assertThatThrownBy(() -> open(MvStoreOptions.defaults())).hasMessageContaining("UNTRUSTED");
    }

    static LongStream seeds() {
        return LongStream.rangeClosed(1, SearchEffort.isWhole() ? 6 : 2);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void anyWriteFailureKeepsAcknowledgedEntries(long seed) throws Exception {
        SplittableRandom random = new SplittableRandom(seed);
        Durability durability = random.nextBoolean() ? Durability.OS : Durability.FSYNC;
        for (int life = 0; life < 4; life++) {
            try (MvStore store = open(small(durability))) {
                assertNothingLost(store);
                int begins = random.nextInt(600);
                int percent = 1 + random.nextInt(100);
                SplittableRandom dice = random.split();
                for (int i = 0; i < 1500; i++) {
                    if (i == begins) {
                        disk.failWrites(path -> {
                            synchronized (dice) {
                                return dice.nextInt(100) < percent;
                            }
                        });
                    }
                    try {
                        put(store);
                    } catch (StoreException e) {
                        assertThat(e).hasMessageContaining("No space left on device");
                    }
                }
                assertNothingLost(store);
            }
            disk.heal();
        }
    }

    static List<Error> errors() {
        return List.of(
                new AssertionError("as this test wants it"), new OutOfMemoryError("Java heap space, says this test"));
    }

    @ParameterizedTest
    @MethodSource("errors")
    void anErrorOfTheProcessWhileMergingIsNoDamageAndPasses(Error error) throws Exception {
        AtomicBoolean fails = new AtomicBoolean(true);
        AtomicInteger added = new AtomicInteger();
        try (MvStore store = open(small(Durability.OS))) {
            put(store, 100);
            store.settle();
            store.follow(new ContentListener() {
                        @Override
                        public void added(Entry entry) {
                            if (fails.get()) {
                                throw error;
                            }
                            added.incrementAndGet();
                        }

                        @Override
                        public void removed(Entry entry) {
                            // its replacement is reported next
                        }
                    })
                    .close();
            // One only, so that nothing is merged before it is asked for.
            put(store);
            assertThatThrownBy(store::settle).isInstanceOf(StoreException.class);

            assertRefusesWrites(store, error.toString());
            assertThat(store.problems().get(0).message())
                    .contains("data.mv", "it goes on by itself")
                    .doesNotContain("Rebuild.begin");
            assertNothingLost(store);

            fails.set(false);
            awaitWritable(store);
            put(store, 1000);
            store.settle();
            assertNothingLost(store);
            assertThat(added).as("entries that the listener learned of").hasPositiveValue();
        }
        try (MvStore store = open(small(Durability.OS))) {
            assertNothingLost(store);
        }
    }

    @ParameterizedTest
    @MethodSource("errors")
    void anErrorOfTheProcessWhileTheMapIsWrittenPasses(Error error) throws Exception {
        try (MvStore store = open(small(Durability.OS))) {
            put(store, 100);
            disk.failWritesWith(error, FailingDisk::isMap);
            assertThatThrownBy(store::settle).isInstanceOf(StoreException.class);
            assertNothingLost(store);

            disk.heal();
            awaitWritable(store);
            put(store, 1000);
            store.settle();
            assertNothingLost(store);
            assertThat(store.problems()).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("errors")
    void anErrorOfTheProcessInTheLogFailsThatWriteOnly(Error error) {
        try (MvStore store = open(small(Durability.OS))) {
            put(store, 100);
            disk.failWritesWith(error, FailingDisk::isLog);
            assertThatThrownBy(() -> put(store))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining(String.valueOf(error.getMessage()));
            disk.heal();

            put(store, 1000);
            assertNothingLost(store);
            assertThat(store.problems()).isEmpty();
        }
        try (MvStore store = open(small(Durability.OS))) {
            assertNothingLost(store);
        }
    }

    /** The log of a process with more memory is merged while it is read, where it does not fit. */
    @ParameterizedTest
    @EnumSource(Durability.class)
    void aLogThatExceedsTheMemoryForTablesComesBack(Durability durability, @TempDir Path copy) throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        List<Entry> entries = new ArrayList<>();
        byte[] large = new byte[3 << 20];
        new SplittableRandom(7).nextBytes(large);
        try (MvStore store =
                open(small(durability).withMemtableBytes(large.length).withMaxFrozen(MvStoreOptions.MAX_FROZEN))) {
            store.follow(new ContentListener() {
                        @Override
                        public void added(Entry entry) {
                            awaitUninterruptibly(release);
                        }

                        @Override
                        public void removed(Entry entry) {
                            // its replacement is reported next
                        }
                    })
                    .close();
            for (int i = 1; i <= 4; i++) {
                entries.add(Entry.value(Key.of("large " + i), new Version(3 * i), large, Entry.NEVER));
                entries.add(Entry.value(Key.of("small " + i), new Version(3 * i + 1), new byte[] {1}, Entry.NEVER));
                entries.add(Entry.tombstone(Key.of("gone " + i), new Version(3 * i + 2)));
                store.apply(entries.subList(entries.size() - 3, entries.size()));
            }
            // What a process leaves that was killed before anything was merged.
            try (Stream<Path> files = Files.list(directory)) {
                for (Path file : files.toList()) {
                    Files.copy(file, copy.resolve(String.valueOf(file.getFileName())));
                }
            }
            release.countDown();
        }
        try (MvStore store = MvStore.open(copy, small(durability))) {
            for (Entry each : entries) {
                assertThat(store.get(each.key())).contains(each);
            }
        }
    }
}
