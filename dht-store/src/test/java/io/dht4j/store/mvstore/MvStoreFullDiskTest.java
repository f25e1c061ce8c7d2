package io.dht4j.store.mvstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.StoreProblem;
import io.dht4j.Version;
import io.dht4j.spi.Entry;
import io.dht4j.spi.EntryCursor;
import io.dht4j.spi.StoreException;
import io.dht4j.store.disk.AtomicFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Stores that are opened while their disk is full: they are read, say why they take no writes, and take them when there
 * is room.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
@Tag("full")
class MvStoreFullDiskTest extends MvStoreFaults {

    private static final String PLACEMENT = "64 partitions, ring";

    private Path copies;
    private int copied;

    @BeforeEach
    void nameADirectoryForCopies() {
        copies = directory;
        directory = directory.resolve("store");
    }

    private void fill(Durability durability) throws IOException {
        try (MvStore store = open(small(durability))) {
            store.bind(PLACEMENT);
            put(store, 1000);
        }
        leaveAsKilled();
    }

    /** As a process leaves its files that is killed. */
    private void leaveAsKilled() throws IOException {
        Files.delete(directory.resolve("CLOSED"));
    }

    /** What the directory of a store on a full disk holds, as if the process had been killed, is opened next. */
    private void killed() throws IOException {
        Path copy = Files.createDirectory(copies.resolve("copy-" + copied++));
        try (Stream<Path> files = Files.list(directory)) {
            // Others come and go while it tries whether there is room.
            for (Path file : files.filter(file -> !file.toString().endsWith(AtomicFile.DRAFT_SUFFIX))
                    .toList()) {
                Files.copy(file, copy.resolve(file.getFileName()));
            }
        }
        directory = copy;
    }

    private Path lastSegment() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(FailingDisk::isLog)
                    .max(Comparator.comparingInt((Path file) -> file.toString().length())
                            .thenComparing(Comparator.naturalOrder()))
                    .orElseThrow();
        }
    }

    private static void assertIsRead(MvStore store, String why) {
        store.bind(PLACEMENT);
        assertThatThrownBy(() -> store.apply(List.of(Entry.tombstone(Key.of("refused"), new Version(1)))))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("refuses writes")
                .hasMessageContaining(why);
        assertThat(store.problems()).singleElement().satisfies(problem -> {
            assertThat(problem.kind()).isEqualTo(StoreProblem.Kind.WRITES_REFUSED);
            assertThat(problem.message()).contains(why).contains("goes on by itself");
        });
    }

    private void assertWritesAgain(MvStore store) throws Exception {
        awaitWritable(store);
        put(store, 600);
        assertNothingLost(store);
        assertThat(store.get(Key.of("refused"))).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Durability.class)
    void aStoreIsReadAndTakesWritesWhenThereIsRoom(Durability durability) throws Exception {
        fill(durability);
        disk.fill();
        try (MvStore store = open(small(durability))) {
            assertIsRead(store, "the disk is full, with 12345 bytes free: make room, of 4 MiB at least");
            assertNothingLost(store);
            disk.heal();
            assertWritesAgain(store);
        }
        try (MvStore store = open(small(durability))) {
            assertNothingLost(store);
            assertThat(store.problems()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(Durability.class)
    void storeOnAReadOnlyDiskWritesAfterARemount(Durability durability) throws Exception {
        fill(durability);
        disk.makeReadOnly();
        try (MvStore store = open(small(durability))) {
            assertIsRead(store, "the file system is mounted read-only");
            assertNothingLost(store);
            disk.heal();
            assertWritesAgain(store);
        }
        try (MvStore store = open(small(durability))) {
            assertNothingLost(store);
        }
    }

    @Test
    void readsDuringAReopenOfTheMapReportNoDamage() throws Exception {
        try (MvStore store = open(small(Durability.OS))) {
            put(store, 500);
            store.settle();
        }
        disk.makeReadOnly();
        // Without what would be in memory.
        try (MvStore store = open(small(Durability.OS).withEntryCacheBytes(0));
                EntryCursor held = store.follow(new RecordingListener());
                EntryCursor scan = store.scan(KeyRange.all())) {
            held.next();
            scan.next();
            CountDownLatch opening = new CountDownLatch(1);
            CountDownLatch opens = new CountDownLatch(1);
            disk.beforeOpens(path -> {
                if (FailingDisk.isMap(path)) {
                    opening.countDown();
                    awaitUninterruptibly(opens);
                }
            });
            disk.heal();
            awaitUninterruptibly(opening);

            assertThatThrownBy(() -> held.forEachRemaining(entry -> {}))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("opened again");
            Thread get = reading(() -> assertThat(store.get(Key.of("key-499"))).isPresent());
            Thread rest = reading(() ->
                    scan.forEachRemaining(entry -> assertThat(acknowledged).containsValue(entry)));
            await("they have read, or wait", () -> waitsOrEnds(get) && waitsOrEnds(rest));
            opens.countDown();

            awaitRead(get);
            awaitRead(rest);
            assertWritesAgain(store);
            assertThat(store.problems()).isEmpty();
        }
    }

    private final Map<Thread, Throwable> failedReads = new ConcurrentHashMap<>();

    private Thread reading(Runnable read) {
        Thread reader = new Thread(read, "reader");
        reader.setUncaughtExceptionHandler(failedReads::put);
        reader.start();
        return reader;
    }

    private static boolean waitsOrEnds(Thread thread) {
        return thread.getState() == Thread.State.BLOCKED || !thread.isAlive();
    }

    private void awaitRead(Thread reader) throws InterruptedException {
        reader.join(PATIENCE.toMillis());
        assertThat(reader.isAlive()).isFalse();
        assertThat(failedReads).isEmpty();
    }

    @Test
    void repeatedKillsOnAFullDiskLoseNothing() throws Exception {
        fill(Durability.OS);
        disk.fill();
        for (int i = 0; i < 3; i++) {
            try (MvStore store = open(small(Durability.OS))) {
                assertIsRead(store, "No space left on device");
                assertNothingLost(store);
                killed();
            }
        }
        disk.heal();
        try (MvStore store = open(small(Durability.OS))) {
            assertWritesAgain(store);
        }
        leaveAsKilled();
        try (MvStore store = open(small(Durability.OS))) {
            assertNothingLost(store);
        }
    }

    @ParameterizedTest
    @EnumSource(Durability.class)
    void aTornEndIsCutWhenThereIsRoom(Durability durability) throws Exception {
        fill(durability);
        Path last = lastSegment();
        byte[] bytes = Files.readAllBytes(last);
        byte[] torn = new byte[bytes.length + 30];
        System.arraycopy(bytes, 0, torn, 0, bytes.length);
        // The beginning of a frame like the first one.
        System.arraycopy(bytes, 24, torn, bytes.length, 30);
        Files.write(last, torn);
        disk.makeReadOnly();
        try (MvStore store = open(small(durability))) {
            assertIsRead(store, "Read-only file system");
            assertNothingLost(store);
            assertThat(last).hasSize(torn.length);
            disk.heal();
            assertWritesAgain(store);
        }
        leaveAsKilled();
        try (MvStore store = open(small(durability))) {
            assertNothingLost(store);
        }
    }

    @Test
    void segmentWithoutAHeaderGetsOneBeforeWrites() throws Exception {
        fill(Durability.OS);
        String name = lastSegment().getFileName().toString();
        long number = Long.parseLong(name.substring(4, name.length() - 4));
        Files.createFile(directory.resolve("log-" + (number + 1) + ".seg"));
        disk.fill();
        try (MvStore store = open(small(Durability.OS))) {
            assertIsRead(store, "No space left on device");
            disk.heal();
            assertWritesAgain(store);
        }
        leaveAsKilled();
        try (MvStore store = open(small(Durability.OS))) {
            assertNothingLost(store);
        }
    }

    @Test
    void storeStaysCleanlyClosedAfterAStartOnAFullDisk() throws Exception {
        try (MvStore store = open(small(Durability.OS))) {
            store.bind(PLACEMENT);
            put(store, 100);
        }
        disk.fill();
        try (MvStore store = open(small(Durability.OS))) {
            assertIsRead(store, "No space left on device");
        }
        disk.heal();
        Path last = lastSegment();
        byte[] bytes = Files.readAllBytes(last);
        Files.write(last, Arrays.copyOf(bytes, bytes.length - 1));
        assertThatThrownBy(() -> open(small(Durability.OS)))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("Rebuild.begin");
    }

    @Test
    void aDirectoryWithoutAStoreIsRefusedWithTheReason() throws Exception {
        disk.fill();
        assertThatThrownBy(() -> open(small(Durability.OS)))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining(directory.toString())
                .hasMessageContaining("the disk is full");
    }
}
