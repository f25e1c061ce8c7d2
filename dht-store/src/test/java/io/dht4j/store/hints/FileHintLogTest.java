package io.dht4j.store.hints;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dht4j.NodeId;
import io.dht4j.spi.Entry;
import io.dht4j.spi.HintLog;
import io.dht4j.spi.StoreException;
import io.dht4j.testkit.store.HintLogContract;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class FileHintLogTest extends HintLogContract {

    private static final NodeId NODE = new NodeId("n1");
    private static final int ROOM = 1 << 20;

    @Override
    protected HintLog open(Path directory) {
        return FileHintLog.open(directory, MAX_BYTES);
    }

    private void reopen() {
        log.close();
        log = open(directory);
    }

    private void keep(int from, int to) {
        IntStream.range(from, to).forEach(i -> log.add(NODE, List.of(entry(i, 100)), 1));
    }

    private static List<Entry> entries(int from, int to) {
        return IntStream.range(from, to).mapToObj(i -> entry(i, 100)).toList();
    }

    private List<Path> segments() throws IOException {
        try (Stream<Path> files = Files.list(directory.resolve("for-" + NODE.value()))) {
            return files.sorted().toList();
        }
    }

    @Test
    void undeliveredHintsSurviveAProcessEnd() {
        keep(0, 10);
        reopen();
        keep(10, 20);

        assertThat(log.bytes()).isPositive();
        assertThat(log.targets()).containsExactly(NODE);
        List<Entry> all = new ArrayList<>();
        for (HintLog.Batch batch = log.oldest(NODE, ROOM); !batch.entries().isEmpty(); batch = log.oldest(NODE, ROOM)) {
            all.addAll(batch.entries());
            log.delivered(NODE, batch);
        }
        assertThat(all).isEqualTo(entries(0, 20));
        assertThat(log.bytes()).isZero();
    }

    @Test
    void directoriesThatAreNoQueuesAreNotOpened() throws IOException {
        log.close();
        Path foreign = Files.createDirectory(directory.resolve("lost+found"));
        Files.write(foreign.resolve("1.hints"), new byte[1000]);
        if (Files.getFileStore(foreign).supportsFileAttributeView("posix")) {
            Files.setPosixFilePermissions(foreign, Set.of());
        }
        try {
            log = open(directory);

            assertThat(log.bytes()).isZero();
            assertThat(log.targets()).isEmpty();
        } finally {
            if (Files.getFileStore(foreign).supportsFileAttributeView("posix")) {
                Files.setPosixFilePermissions(foreign, PosixFilePermissions.fromString("rwx------"));
            }
        }
    }

    @Test
    void largeHintsAreReadAsTheyWereWrittenAndNotAfterDamage() throws IOException {
        log.close();
        int bytes = 3 << 20;
        byte[] value = new byte[bytes];
        new SplittableRandom(1).nextBytes(value);
        Entry large = Entry.value(entry(1, 1).key(), entry(1, 1).version(), value, Entry.NEVER);
        List<Entry> hinted = List.of(large, entry(2, 100), large);
        log = FileHintLog.open(directory, 8L * bytes);
        assertThat(log.add(NODE, hinted, 1)).isTrue();
        assertThat(log.oldest(NODE, ROOM).entries()).isEqualTo(hinted);
        log.close();

        log = FileHintLog.open(directory, 8L * bytes);
        assertThat(log.oldest(NODE, ROOM).entries()).isEqualTo(hinted);
        Path file = segments().get(0);
        byte[] whole = Files.readAllBytes(file);
        whole[bytes + 1000]++;
        Files.write(file, whole);
        assertThat(log.oldest(NODE, ROOM).entries()).isEmpty();
        assertThat(log.lostBytes()).isPositive();
    }

    @Test
    void filesGoWhenAllInThemWasDelivered() throws IOException {
        keep(0, 10);
        log.delivered(NODE, log.oldest(NODE, ROOM));

        assertThat(segments()).isEmpty();
        keep(10, 11);
        assertThat(segments()).hasSize(1);
    }

    @Test
    void aFrameThatTheProcessDidNotFinishIsPassedOver() throws IOException {
        keep(0, 3);
        Path file = segments().get(0);
        log.close();
        byte[] whole = Files.readAllBytes(file);
        for (int cut = 1; cut < 140; cut += 7) {
            Files.write(file, java.util.Arrays.copyOf(whole, whole.length - cut));
            log = open(directory);
            assertThat(log.oldest(NODE, ROOM).entries()).isEqualTo(entries(0, 2));
            log.close();
        }
        log = open(directory);
    }

    @Test
    void damageCostsTheRestOfItsFileAndNothingElse() throws IOException {
        keep(0, 3);
        Path file = segments().get(0);
        reopen();
        keep(3, 6);
        byte[] bytes = Files.readAllBytes(file);
        bytes[bytes.length - 30] ^= 1;
        Files.write(file, bytes, StandardOpenOption.TRUNCATE_EXISTING);

        HintLog.Batch before = log.oldest(NODE, ROOM);
        assertThat(before.entries()).isEqualTo(entries(0, 2));
        log.delivered(NODE, before);
        assertThat(log.lostBytes()).isZero();
        assertThat(log.oldest(NODE, ROOM).entries()).isEqualTo(entries(3, 6));
        assertThat(log.lostBytes()).isEqualTo(HintQueue.frameBytes(entries(2, 3)));
    }

    @Test
    void aFileThatIsGoneIsCountedAsLost() throws IOException {
        keep(0, 3);
        Path file = segments().get(0);
        reopen();
        keep(3, 6);
        Files.delete(file);

        assertThat(log.oldest(NODE, ROOM).entries()).isEqualTo(entries(3, 6));
        assertThat(log.lostBytes()).isEqualTo(3 * HintQueue.frameBytes(entries(0, 1)));
    }

    @Test
    void expiredHintsCountThoughTheirFileRemains() throws IOException {
        NodeId other = new NodeId("n2");
        keep(0, 3);
        log.add(other, List.of(entry(1, 100)), 1);
        long before = log.bytes();
        Path file = segments().get(0);
        // A directory that is not empty takes the file's place.
        Files.move(file, file.resolveSibling("moved"));
        Files.createDirectories(file.resolve("full"));

        assertThatThrownBy(() -> log.expire(2))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining(file.toString());

        assertThat(log.targets()).as("the other node's hints have expired too").isEmpty();
        assertThat(log.bytes()).isZero();
        assertThat(log.lostBytes()).isEqualTo(before);
    }

    @Test
    void laterHintsDoNotDelayTheExpiryOfEarlierOnes() {
        log.add(NODE, List.of(entry(1, 100)), 0);
        log.add(NODE, List.of(entry(2, 100)), 60 * 60 * 1000L);

        assertThat(log.expire(30 * 60 * 1000L)).isPositive();

        assertThat(log.oldest(NODE, ROOM).entries()).containsExactly(entry(2, 100));
    }

    @Test
    void hintsAreRefusedWithoutTheirDirectory() throws IOException {
        keep(0, 5);
        Path moved = directory.resolveSibling(directory.getFileName() + "-moved");
        Files.move(directory, moved);
        try {
            await().untilAsserted(() -> assertThatThrownBy(() -> keep(5, 6))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining(directory.toString())
                    .hasMessageContaining("is not at its path"));
            assertThat(directory).doesNotExist();
            assertThatThrownBy(() -> log.add(new NodeId("n2"), List.of(entry(1, 100)), 1))
                    .isInstanceOf(StoreException.class);
        } finally {
            Files.move(moved, directory);
        }
    }

    @Test
    void removedHintFileCountsAsLostAndIsNoLongerWritten() throws IOException {
        keep(0, 5);
        long before = log.bytes();
        Files.delete(segments().get(0));
        await().until(() -> {
            keep(5, 6);
            return log.lostBytes() > 0;
        });
        assertThat(log.lostBytes()).isGreaterThan(before / 2);
        reopen();
        assertThat(log.oldest(NODE, ROOM).entries()).isNotEmpty().containsOnly(entry(5, 100));
    }

    @Test
    void aDirectoryBelongsToOneLog() {
        assertThatThrownBy(() -> FileHintLog.open(directory, MAX_BYTES))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining(directory.toString())
                .hasMessageContaining("locked");
    }

    @Test
    void tooSmallALogIsRefused() {
        assertThatThrownBy(() -> FileHintLog.open(directory.resolve("other"), 1000))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1000")
                .hasMessageContaining(String.valueOf(FileHintLog.MIN_BYTES));
    }
}
